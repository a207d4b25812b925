// Package barepath finds the paths of variables that are written without ${…}, such as vars.size: the text itself is
// hardly ever meant.
package barepath

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/source"
)

// Find calls found for each text below a node that is the path of a variable or a local, and not a key. In a block the
// keys that hold expressions, or whose readers report such a text, are not searched. Declared reports whether a
// variable or a local exists under a name such as vars.size. A nil node is allowed.
func Find(n *source.Node, block bool, declared func(string) bool, found func(*source.Node)) {
	if n == nil {
		return
	}
	if n.Shape == source.Scalar {
		if n.Type == source.String && !n.Bad && isPath(n.Text, declared) {
			found(n)
		}
		return
	}
	for i := range n.Kids {
		switch {
		case n.Shape == source.List:
		case i%2 == 0:
			continue
		case block && slices.Contains([]string{"when", "for_each", "count", "blessed", "type", "use"}, n.Kids[i-1].Text):
			continue
		}
		Find(&n.Kids[i], false, declared, found)
	}
}

// isPath reports whether a text is the path of a declared variable or local, or of a key below one.
func isPath(text string, declared func(string) bool) bool {
	root, rest, is := strings.Cut(text, ".")
	if !is || root != "vars" && root != "locals" {
		return false
	}
	name, _, _ := strings.Cut(rest, ".")
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.'
	}
	return strings.TrimFunc(rest, plain) == "" && declared(root+"."+name)
}
