// Package barepath finds the paths of variables that are written without ${…}, such as vars.size: the text itself is
// hardly ever meant.
package barepath

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/source"
)

// Find calls found for each text below a node that is the path of a variable or a local, and not a key, with the path
// that is meant. The words of Terraform for these paths count as well. In a block these are the paths of its for_each
// or count, too, and the keys that hold expressions, or whose readers report such a text, are not searched. Declared
// reports whether a variable or a local exists under a name such as vars.size. A nil node is allowed.
func Find(n *source.Node, block bool, declared func(string) bool, found func(n *source.Node, path string)) {
	if block {
		outer, each, count := declared, n.Get("for_each") != nil, n.Get("count") != nil
		declared = func(name string) bool {
			return each && (name == "each.key" || name == "each.value") || count && name == "count.index" || outer(name)
		}
	}
	if n == nil {
		return
	}
	if n.Shape == source.Scalar {
		if path, is := pathOf(n.Text, declared); is && n.Type == source.String && !n.Bad {
			found(n, path)
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

// pathOf is the path of a declared variable or local, or of a key below one, that a text is; var and local are the
// words of Terraform.
func pathOf(text string, declared func(string) bool) (path string, is bool) {
	root, rest, is := strings.Cut(text, ".")
	if other := (map[string]string{"var": "vars", "local": "locals"})[root]; other != "" {
		root = other
	}
	switch {
	case text == "count.index":
		return "index", declared(text)
	case !is || !slices.Contains([]string{"vars", "locals", "each"}, root):
		return "", false
	}
	name, _, _ := strings.Cut(rest, ".")
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.'
	}
	return root + "." + rest, strings.TrimFunc(rest, plain) == "" && declared(root+"."+name)
}
