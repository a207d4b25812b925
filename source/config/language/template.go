package language

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
)

// template is a block with for_each or count, prepared for its entries: expressions that are equal for all entries are
// evaluated.
type template struct {
	node   *source.Node
	varies []int // the values that differ between entries, by their places in the node
	name   int   // the place of a name that gets the key of the entry; 0 if the name is not changed
	// usesIndex reports that the resources of a count differ.
	usesIndex bool
	failed    bool
}

// template prepares a block. A nil scope means that the block has no for_each: then nothing is evaluated before its
// scope is known.
func (l *Language) template(f *input.File, n *source.Node, sc *Scope) *template {
	t := &template{node: without(n)}
	t.usesIndex = n.Get("count") != nil && l.uses(t.node, "index")
	if sc != nil {
		t.addName(n)
	}
	failed := l.failed
	kids := t.node.Kids
	var absent []int
	for i := 1; i < len(kids); i += 2 {
		switch k := &kids[i]; {
		case !mayChange(k):
		case sc == nil, l.uses(k, "each"), l.uses(k, "index"):
			t.varies = append(t.varies, i)
		default:
			v, present := l.Expand(f, k, sc, false)
			if kids[i] = v; !present {
				absent = append(absent, i)
			}
		}
	}
	t.failed = l.failed > failed
	for _, i := range slices.Backward(absent) { // the value is null
		t.node.Kids = slices.Delete(t.node.Kids, i-1, i+1)
		for j := range t.varies {
			if t.varies[j] > i {
				t.varies[j] -= 2
			}
		}
		if t.name > i {
			t.name -= 2
		}
	}
	return t
}

// addName adds the key name to a block whose name has no expression.
func (t *template) addName(n *source.Node) {
	x := n.Get("name")
	if x != nil && source.HasParts(x.Text) {
		return
	}
	name := source.Node{Line: n.Line, Column: n.Column, Quoted: true}
	switch k := n.Get("type"); {
	case x != nil:
		name.Text, name.Line, name.Column = x.Text+"-", x.Line, x.Column
	case k != nil:
		name.Text = k.Text + "-"
	}
	kids := t.node.Kids
	for i := 0; i+1 < len(kids); i += 2 {
		if kids[i].Text == "name" {
			t.name, kids[i+1] = i+1, name
			return
		}
	}
	t.node.Kids = append(kids, source.Node{Line: n.Line, Column: n.Column, Text: "name"}, name)
	t.name = len(t.node.Kids) - 1
}

// instance returns the block of one entry. With head, it has only the keys that all resources of a count share.
func (l *Language) instance(f *input.File, t *template, sc *Scope, head bool) source.Node {
	out := *t.node
	out.Kids = slices.Clone(t.node.Kids)
	if t.name > 0 {
		out.Kids[t.name].Text += sc.Key
	}
	var heads []string
	if t.usesIndex { // the keys that all resources of a count share have no index
		heads = append([]string{"type", "name", "provider", "count", "was", "update"}, l.opts.LocationWords...)
	}
	nulls := 0
	for _, i := range t.varies {
		isHead := !t.usesIndex || slices.Contains(heads, out.Kids[i-1].Text)
		if head && !isHead {
			continue
		}
		scope := sc
		if isHead && sc.isMember {
			one := *sc
			one.isMember = false
			scope = &one
		}
		v, present := l.Expand(f, &t.node.Kids[i], scope, false)
		if out.Kids[i] = v; !present {
			out.Kids[i-1].Bad = true // a mark that is removed below
			nulls++
		}
	}
	if head || nulls > 0 {
		kept := out.Kids[:0]
		for i := 0; i+1 < len(out.Kids); i += 2 {
			if !out.Kids[i].Bad && (!head || slices.Contains(heads, out.Kids[i].Text)) {
				kept = append(kept, out.Kids[i], out.Kids[i+1])
			}
		}
		out.Kids = kept
	}
	return out
}

// uses reports whether an expression below a node reads a root.
func (l *Language) uses(n *source.Node, root string) bool {
	if n.Shape != source.Scalar {
		return slices.ContainsFunc(n.Kids, func(k source.Node) bool { return l.uses(&k, root) })
	}
	return mayChange(n) && strings.Contains(n.Text, root) && l.reads(l.scan(n.Text).pieces, root)
}
