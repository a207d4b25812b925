package language

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource/cmdline"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
)

// GivenValues returns the values that the command line sets, sorted by name. A secret is a digest.
func GivenValues(l *Language, digest func(secret string) string) []cmdline.Value {
	var out []cmdline.Value
	for _, name := range slices.Sorted(maps.Keys(l.bindings)) {
		b := l.bindings[name]
		if b.from == "" || b.bad {
			continue
		}
		v := cmdline.Value{Name: name, By: optionOf(b)}
		if o, opaque := b.value.(Opaque); opaque {
			for _, p := range o.Parts {
				v.Digest += digest(p.Text)
			}
		} else if text, err := jsonText(revealed(b.value)); err == nil && isSecret(b.value) {
			v.Digest = digest(text)
		} else if err == nil {
			v.Value = json.RawMessage(text)
		}
		out = append(out, v)
	}
	return out
}

// revealed returns a value with the text of its secrets, for a digest.
func revealed(v any) any {
	switch v := v.(type) {
	case Opaque:
		return plainText(v.Parts)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = revealed(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = revealed(v[k])
		}
		return out
	}
	return v
}

// optionOf returns the option that sets a variable.
func optionOf(b *binding) string {
	if b.from == "--values" {
		return b.from + " " + b.file.Name
	}
	return b.from
}

// Note keeps the variables of the command line that decide the resources of a block, for Decides.
func Note(l *Language, f *input.File, n *source.Node) {
	if l.decisive == nil || n.Shape != source.Object {
		return
	}
	x := &overriding{seen: map[*binding]bool{}}
	for _, key := range []string{"for_each", "when", "count", "name"} {
		switch v := n.Get(key); {
		case v == nil:
		case key == "when":
			x.ofPaths(l, l.program(v.Text).refs)
		default:
			x.ofNode(l, v)
		}
	}
	if len(x.names) == 0 {
		return
	}
	slices.Sort(x.names)
	l.decisive[f.At(n.Line, n.Column)] = x.names
	if when := n.Get("when"); when != nil {
		l.decisive[f.At(when.Line, when.Column)] = x.names
	}
}

// Decides names the values of the command line that decide what the block at a position makes, for the end of a
// sentence. An empty text means none.
func Decides(l *Language, at position.Position) string {
	names := l.decisive[at]
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// overriding finds the variables that the command line sets and that a value is computed from.
type overriding struct {
	seen  map[*binding]bool
	names []string
}

func (x *overriding) ofNode(l *Language, n *source.Node) {
	if n.Shape == source.Scalar && mayChange(n) {
		x.ofPieces(l, l.scan(n.Text).pieces)
	}
	for i := range n.Kids {
		x.ofNode(l, &n.Kids[i])
	}
}

func (x *overriding) ofPieces(l *Language, all []piece) {
	for _, p := range all {
		x.ofPieces(l, p.inner)
		if p.kind == expression {
			x.ofPaths(l, l.program(p.text).refs)
		}
	}
}

func (x *overriding) ofPaths(l *Language, all [][]string) {
	for _, path := range all {
		if len(path) < 2 {
			continue
		}
		b := l.bindings[strings.Join(path[:2], ".")]
		switch {
		case b == nil || x.seen[b]:
			continue
		case b.from != "":
			x.names = append(x.names, b.name+" by "+optionOf(b))
		case b.node == nil:
		case b.given != nil:
			x.ofNode(b.given.in, b.node)
		default:
			x.ofNode(l, b.node)
		}
		x.seen[b] = true
	}
}
