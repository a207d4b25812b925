package language

import (
	"slices"

	"github.com/ovi-project/ovi/source"
)

// mayChange reports whether a node has a string with ${…}.
func mayChange(n *source.Node) bool {
	if n.Shape == source.Scalar {
		return n.Type == source.String && n.Parts == nil && source.HasParts(n.Text)
	}
	return slices.ContainsFunc(n.Kids, func(k source.Node) bool { return mayChange(&k) })
}

// grown adds parts to the size of a text, and to the cost of a load. It returns the summary of a problem if one of them
// exceeds its limit, and a suggestion.
func grown(size *int, cost *uint64, parts source.Parts) (summary, suggestion string) {
	for _, p := range parts {
		*size, *cost = *size+len(p.Text), *cost+uint64(len(p.Text)/bytesOfCost)
	}
	switch {
	case *size > mostText:
		return "the text is longer than 1 MiB", "docs/configuration.md lists what an expression can use"
	case *cost > costOfAll:
		return "the expressions of the configuration take too long", "use fewer or smaller loops"
	}
	return "", ""
}
