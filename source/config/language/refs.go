package language

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/source"
)

// refForm matches the type of a variable that names a resource.
var refForm = regexp.MustCompile(`^ref\(([a-z][a-z0-9_]*)\)$`)

// refKind returns the kind of the resources that a type names.
func (k *kind) refKind() string {
	for ; k != nil; k = k.elem {
		if k.of != "" {
			return k.of
		}
	}
	return ""
}

// refer turns the names of resources into references, as the language means them that they are written in.
func (k *kind) refer(n *source.Node, prefix string, isID func(kind, text string) bool) *source.Node {
	out := *n
	switch {
	case n.Shape != source.Scalar && k.elem != nil:
		out.Kids = slices.Clone(n.Kids)
		for i := range out.Kids {
			if n.Shape == source.List || i%2 == 1 {
				out.Kids[i] = *k.elem.refer(&n.Kids[i], prefix, isID)
			}
		}
		return &out
	case k.of == "" || n.Shape != source.Scalar || n.Type != source.String:
		return n
	}
	text := n.Text
	if n.Parts != nil {
		s, plain := settledParts(*n.Parts).(string)
		if !plain {
			return n
		}
		text = s
	}
	if text == "" || isID != nil && isID(k.of, text) {
		return n
	}
	name := k.of + "/" + strings.TrimPrefix(text, k.of+"/")
	if strings.Count(text, "/") > 1 && !strings.HasPrefix(text, k.of+"/") { // a whole name
		name = text
	}
	out.Parts, out.Quoted = &source.Parts{{Text: source.Inside(prefix, name), Reference: true}}, true
	return &out
}
