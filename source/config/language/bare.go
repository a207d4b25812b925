package language

import (
	"maps"
	"slices"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/barepath"
	"github.com/ovi-project/ovi/source/config/input"
)

// BarePaths reports each text below a node that is the path of a variable, a local or an entry without ${…}. The ref
// names the resource; block reports that the node is a block. A nil language or node is allowed.
func BarePaths(l *Language, f *input.File, n *source.Node, ref string, block bool) {
	if l == nil || len(l.bindings) == 0 {
		return
	}
	barepath.Find(n, block, func(name string) bool { return l.bindings[name] != nil }, func(x *source.Node, path string) {
		l.wrong(f, x, ref, x.Text+" is read as text: an expression needs ${…}",
			"use ${"+path+"}, or ${'"+x.Text+"'} for the text itself")
		x.Bad = true // so that no reader reports it again
	})
}

// BareLocals reports the values of locals that are such texts.
func BareLocals(l *Language) {
	for _, name := range slices.Sorted(maps.Keys(l.bindings)) {
		if b := l.bindings[name]; !b.isVar() {
			BarePaths(l, b.file, b.node, "", false)
		}
	}
}
