package language

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
)

// Origin describes the origin of a value: its position, and the variables that it is computed from, each with the
// source that set it. A nil Language knows the position alone.
func (l *Language) Origin(f *input.File, n *source.Node) string {
	if n.Line == 0 {
		return ""
	}
	out := f.At(n.Line, n.Column).String()
	if l == nil {
		return out
	}
	seen := map[string]bool{}
	var parts []string
	l.originsOf(l.origins[f.At(n.Line, n.Column)], seen, &parts)
	if len(parts) > 0 {
		out += ": " + strings.Join(parts, ", ")
	}
	return out
}

// originsOf adds the origins of the variables that pieces read, also through locals.
func (l *Language) originsOf(pieces []piece, seen map[string]bool, out *[]string) {
	for _, p := range pieces {
		l.originsOf(p.inner, seen, out)
		if p.kind != expression {
			continue
		}
		for _, path := range l.program(p.text).refs {
			if len(path) < 2 {
				continue
			}
			name := strings.Join(path[:2], ".")
			b := l.bindings[name]
			if b == nil || seen[name] {
				continue
			}
			seen[name] = true
			*out = append(*out, name+" "+l.setAt(b))
			if b.node != nil && b.decl == nil {
				l.originsOf(below(b), seen, out)
			}
		}
	}
}

// below returns the pieces of all strings of a local.
func below(b *binding) (out []piece) {
	var visit func(n *source.Node)
	visit = func(n *source.Node) {
		if n.Shape == source.Scalar && mayChange(n) {
			pieces, _ := scan(n.Text)
			out = append(out, pieces...)
		}
		for i := range n.Kids {
			visit(&n.Kids[i])
		}
	}
	visit(b.node)
	return slices.Clip(out)
}

// setAt describes the source that set a variable or a local.
func (l *Language) setAt(b *binding) string {
	switch {
	case b.from == "--set":
		return "by --set"
	case b.from != "":
		return "at " + b.file.At(b.at().Line, b.at().Column).String() + " (" + b.from + ")"
	}
	at := "at " + b.file.At(b.at().Line, b.at().Column).String()
	if b.inEnvironment {
		return at + " (environment " + l.chosen.Name + ")"
	}
	return at
}
