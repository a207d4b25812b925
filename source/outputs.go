package source

import (
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
)

// The limits of the outputs of a stack.
const (
	mostOutputs = 1_000
	longestJSON = 1 << 16 // of one output
)

// AddOutput adds an output. Its value is checked once all resources are known.
func AddOutput(d *Draft, o Output) {
	for i := range d.outputs {
		if first := &d.outputs[i]; first.Name == o.Name {
			d.note(Problem{
				At: o.At, Summary: "duplicate outputs." + o.Name, Suggestion: "remove one; the other is at " + first.At.String(),
			})
			return
		}
	}
	if len(d.outputs) == mostOutputs {
		d.note(Problem{At: o.At, Summary: "the stack has more than 1000 outputs", Suggestion: "use maps of values"})
	}
	d.outputs, d.resolveOutputs = append(d.outputs, o), outputsOf
	d.opts.tellAdded(&Resource{Attrs: Node{Shape: Object, Kids: []Node{{Text: o.Name}, o.Value}}, At: o.At}, d.outside)
}

// outputsOf reads the outputs of a stack. An output with a problem is reported.
func outputsOf(d *Draft) resource.Attrs {
	known := make(map[resource.Ref]bool, len(d.desired))
	for i := range d.desired {
		known[d.desired[i].Ref] = true
	}
	var out []resource.Attr
	for i := range d.outputs[:min(len(d.outputs), mostOutputs)] {
		o := &d.outputs[i]
		p := published{r: &reading{known: known, adding: &adding{
			Draft: d, r: &Resource{Provider: o.Provider, Location: o.Location, At: o.At},
		}}}
		v := p.value("outputs."+o.Name, &o.Value)
		if v == nil {
			continue
		}
		if len(resource.AppendJSON(nil, v)) > longestJSON {
			p.r.wrong(o.At, "outputs."+o.Name+" is larger than 64 KiB", "publish a smaller value")
		}
		out = append(out, resource.Attr{Name: o.Name, Value: v})
	}
	return resource.SortAttrs(out)
}

// published reads the value of one output. It may have any type, and is never a secret.
type published struct{ r *reading }

// value returns a value; nil if it is reported or omitted.
func (p published) value(path string, n *Node) resource.Value {
	switch {
	case n.Bad:
		p.r.failed = true
		return nil
	case n.IsNull():
		p.r.wrong(p.r.at(n, path), path+" has no value", "add a value, or remove the key")
		return nil
	case n.Shape == List:
		out := make(resource.List, 0, len(n.Kids))
		for i := range n.Kids {
			v := p.value(path+"["+strconv.Itoa(i)+"]", &n.Kids[i])
			if members, is := v.(resource.List); is && n.Kids[i].Shape == Scalar { // of a group
				out = append(out, members...)
			} else if v != nil {
				out = append(out, v)
			}
		}
		return out
	case n.Shape == Object:
		p.r.unique(path, n)
		var out []resource.Attr
		for i := 0; i+1 < len(n.Kids); i += 2 {
			if v := p.value(path+"."+n.Kids[i].Text, &n.Kids[i+1]); v != nil {
				out = append(out, resource.Attr{Name: n.Kids[i].Text, Value: v})
			}
		}
		return resource.SortAttrs(out)
	case n.Parts != nil:
		return p.parts(path, n)
	}
	return p.r.scalar(path, &resource.Attribute{Type: resource.TMap}, n) // of any type: a number stays one
}

// parts reads a string with ${…} in it.
func (p published) parts(path string, n *Node) resource.Value {
	if from := n.Parts.Private(); from != "" {
		p.r.wrong(p.r.at(n, path), path+" is a secret: it is a value from outside, "+from,
			"remove it, because outputs are recorded and shown; "+p.r.publish(from))
		return nil
	}
	if s, plain := n.Parts.text(); plain {
		return resource.String(s)
	}
	whole, out := len(*n.Parts) == 1, make(resource.Text, 0, len(*n.Parts))
	for _, x := range *n.Parts {
		if !x.Reference {
			out = append(out, resource.String(x.Text))
			continue
		}
		v, ok := p.reference(path, n, x.Text, whole)
		switch {
		case !ok:
			return nil
		case whole:
			return v
		case v != nil:
			out = append(out, v)
		}
	}
	return out
}

// reference reads one reference and checks that it has a value that may be shown; nil if it is omitted.
func (p published) reference(path string, n *Node, text string, whole bool) (resource.Value, bool) {
	r := p.r
	r.uses = r.uses[:0]
	text = outputs.Located(text, r.known, resource.Scope{Provider: r.r.Provider, Location: r.r.Location})
	ref, ok := r.reference(path, &resource.Attribute{Name: path, Anywhere: true}, n, text, !whole)
	if !ok {
		return nil, r.isOmitted()
	}
	if refs, is := r.groups.inList(ref); is && whole && strings.HasSuffix(path, "]") {
		out := make(resource.List, len(refs))
		for i := range refs {
			out[i] = resource.Reference{Ref: refs[i]}
		}
		return out, true
	}
	u := &r.uses[0]
	u.whole = whole
	if k, err := r.prepared(ref.Ref.Provider, ref.Ref.Kind); err == nil && k != nil && isSecretAt(k, ref.Path) {
		r.wrong(r.at(n, path), path+" is a secret: ${"+strings.TrimSuffix(text, "?")+"}",
			"remove it, because outputs are recorded and shown")
		return nil, false
	}
	self := resource.Ref{
		Provider: r.r.Provider, Location: r.r.Location, Kind: "outputs", Name: strings.TrimPrefix(path, "outputs."),
	}
	return ref, !r.lookUp(user{self, (&Resource{At: r.at(n, path)}).where}, u).bad
}
