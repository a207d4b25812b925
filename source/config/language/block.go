package language

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
)

// mostEntries bounds the entries of a for_each.
const mostEntries = 10_000

// Member is one block without expressions, for_each and when.
type Member struct {
	Node source.Node
	// Group is the name of all members of a for_each. An empty name means that the block has none.
	Group string
	// IsEmpty reports that a for_each has no entries. The node has the keys of the block that need no entry.
	IsEmpty bool
	// Failed reports that an expression of the block has a problem.
	Failed bool
}

// entry is one entry of a for_each.
type entry struct {
	key   string
	value any
}

// Block yields the members of a block, none if its when is false.
func (l *Language) Block(f *input.File, n *source.Node, yield func(*Member) bool) bool {
	forEach, when, group := n.Get("for_each"), n.Get("when"), n.Get("group")
	if n.Shape != source.Object || forEach == nil && when == nil && group == nil && !mayChange(n) {
		return yield(&Member{Node: *n})
	}
	sc := &Scope{Ref: refOf(n)}
	failed := l.failed
	if when != nil && !(forEach != nil && usesEach(when)) {
		holds, ok := l.condition(f, when, sc)
		if ok && !holds {
			return true
		}
		if !ok {
			return yield(&Member{Node: plainKeys(n), Failed: true, IsEmpty: true})
		}
		when = nil
	}
	if forEach == nil {
		if group != nil {
			l.wrong(f, group, sc.Ref, "group names the members of a for_each, and the block has none",
				"add for_each, or remove group")
		}
		node, _ := l.Expand(f, without(n), sc, false)
		return yield(&Member{Node: node, Failed: l.failed > failed})
	}
	name := ""
	if x := n.Get("name"); group != nil {
		name = group.Text
	} else if x != nil && !source.HasParts(x.Text) {
		name = x.Text
	} else if x == nil {
		if t := n.Get("type"); t != nil {
			name = t.Text
		}
	}
	entries, ok := l.entries(f, forEach, sc)
	if !ok {
		return yield(&Member{Node: plainKeys(n), Failed: true, IsEmpty: true, Group: name})
	}
	some := false
	for _, e := range entries {
		failed := l.failed
		each := &Scope{Ref: sc.Ref, Key: e.key, each: map[string]any{"key": e.key, "value": e.value}}
		if when != nil {
			holds, ok := l.condition(f, when, each)
			if ok && !holds {
				continue
			}
		}
		some = true
		if !yield(l.member(f, n, each, name, failed)) {
			return false
		}
	}
	return some || yield(&Member{Node: plainKeys(n), IsEmpty: true, Group: name})
}

// member returns the block for one entry.
func (l *Language) member(f *input.File, n *source.Node, sc *Scope, group string, failed int) *Member {
	node, _ := l.Expand(f, without(n), sc, false)
	if x := n.Get("name"); x == nil || !source.HasParts(x.Text) {
		name := source.Node{Line: n.Line, Column: n.Column, Text: sc.Key, Quoted: true}
		switch t := n.Get("type"); {
		case x != nil:
			name.Text, name.Line, name.Column = x.Text+"-"+sc.Key, x.Line, x.Column
		case t != nil:
			name.Text = t.Text + "-" + sc.Key
		}
		node.Kids = slices.Clone(node.Kids)
		if at := node.Get("name"); at != nil {
			*at = name
		} else {
			node.Kids = append(node.Kids, source.Node{Line: n.Line, Column: n.Column, Text: "name"}, name)
		}
	}
	return &Member{Node: node, Group: group, Failed: l.failed > failed}
}

// entries returns the entries of a for_each, sorted by key.
func (l *Language) entries(f *input.File, n *source.Node, sc *Scope) ([]entry, bool) {
	fail := func(summary, suggestion string) ([]entry, bool) {
		l.wrong(f, n, sc.Ref, summary, suggestion)
		return nil, false
	}
	failed := l.failed
	node, present := l.Expand(f, n, sc, true)
	v, err := valueOf(&node)
	switch {
	case l.failed > failed:
		return nil, false
	case err != nil:
		return fail("for_each: "+err.Error(), "use a list of strings or a map")
	case !present || v == nil:
		return fail("for_each must be a list of strings or a map, got nothing", "use [] for no entries")
	}
	var out []entry
	switch v := v.(type) {
	case map[string]any:
		for _, k := range keysOf(v) {
			out = append(out, entry{k, v[k]})
		}
	case []any:
		for _, x := range v {
			key, ok := x.(string)
			if number, isNumber := x.(int64); isNumber {
				key, ok = strconv.FormatInt(number, 10), true
			}
			if !ok {
				if _, opaque := x.(Opaque); opaque {
					return fail("for_each needs a value known before apply, and it has "+form(x),
						"iterate over names, and use the value in an attribute")
				}
				return fail("for_each must be a list of strings, got "+form(x)+" in it", "use by(list, 'FIELD') for a list of maps")
			}
			out = append(out, entry{key, x})
		}
	case Opaque:
		return fail("for_each needs a value known before apply, and this is "+form(v),
			"iterate over names, and use the value in an attribute")
	default:
		return fail("for_each must be a list of strings or a map, got "+form(v), "use [A, B]")
	}
	slices.SortStableFunc(out, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	for i, e := range out {
		switch {
		case e.key == "":
			return fail("for_each has an empty key", "use a name for each entry")
		case i > 0 && out[i-1].key == e.key:
			return fail("for_each has the key "+source.Quote(e.key)+" twice", "remove one")
		}
	}
	if len(out) > mostEntries {
		return fail("for_each has more than 10000 entries", "use several blocks")
	}
	return out, true
}

// refOf returns the short name of a block, with its expressions.
func refOf(n *source.Node) string {
	var out []string
	for _, key := range []string{"type", "name"} {
		if x := n.Get(key); x != nil && x.Shape == source.Scalar && x.Text != "" {
			out = append(out, x.Text)
		}
	}
	return strings.Join(out, "/")
}

// usesEach reports whether a condition reads each.
func usesEach(n *source.Node) bool {
	p := compile(n.Text)
	return slices.ContainsFunc(p.refs, func(path []string) bool { return path[0] == "each" })
}

// own are the keys of a block that only this package reads.
func own() []string { return []string{"for_each", "when", "group"} }

// without returns a block without the keys that only this package reads.
func without(n *source.Node) *source.Node {
	out := *n
	out.Kids = make([]source.Node, 0, len(n.Kids))
	for i := 0; i+1 < len(n.Kids); i += 2 {
		if !slices.Contains(own(), n.Kids[i].Text) {
			out.Kids = append(out.Kids, n.Kids[i], n.Kids[i+1])
		}
	}
	return &out
}

// plainKeys returns the keys of a block that name it and have no expressions.
func plainKeys(n *source.Node) source.Node {
	out := *n
	out.Kids = nil
	for i := 0; i+1 < len(n.Kids); i += 2 {
		k, v := &n.Kids[i], &n.Kids[i+1]
		if k.Text == "spec" || slices.Contains(own(), k.Text) || v.Shape != source.Scalar || source.HasParts(v.Text) {
			continue
		}
		out.Kids = append(out.Kids, *k, *v)
	}
	return out
}
