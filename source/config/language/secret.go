package language

import (
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/source"
)

// secretReader reads secrets. In the configuration, a secret must come from an environment variable, a file or a
// resource.
type secretReader struct {
	// hide keeps a text out of all messages; written replaces it.
	hide    func(secret, written string)
	outside bool // the values are from outside of the configuration, such as --set
}

// read returns a value of a type that is or has a secret, so that no message shows it; name is its path.
func (r secretReader) read(k *kind, n *source.Node, name string) (any, error) {
	switch {
	case n.IsNull() && k.optional:
		return nil, nil
	case k.elem != nil && n.Shape == source.Scalar && n.Parts.FromOutside() && !hasReference(*n.Parts):
		if text := k.textNode(plainText(*n.Parts)); text.Shape != source.Scalar {
			return secretReader{r.hide, true}.read(k, text, name)
		}
		return nil, fmt.Errorf("it must be %s, and the text from outside is not", k)
	case k.elem != nil:
		return r.each(k, n, name)
	case n.Shape != source.Scalar || n.IsNull():
		return nil, fmt.Errorf("a secret must be text, got %s", n.Form())
	case r.outside:
		r.hide(n.Text, "${"+name+"}")
		return Opaque{source.Parts{{Text: n.Text, From: name}}}, nil
	case n.Parts.FromOutside() || n.Parts != nil && hasReference(*n.Parts):
		return Opaque{*n.Parts}, nil
	}
	return nil, fmt.Errorf("a secret must not be written in the configuration; use ${env:NAME} or ${file:PATH}")
}

// each returns a list or a map of secrets. The keys of a map are no secret: a text from outside that may be meant
// otherwise, such as {a = "b"} of HCL, is refused without its keys.
func (r secretReader) each(k *kind, n *source.Node, name string) (any, error) {
	switch {
	case k.name == "list" && n.Shape == source.List:
		out := make([]any, 0, len(n.Kids))
		for i := range n.Kids {
			v, err := r.read(k.elem, &n.Kids[i], fmt.Sprintf("%s[%d]", name, i))
			if err != nil {
				return nil, fmt.Errorf("element %d: %w", i, err)
			}
			out = append(out, v)
		}
		return out, nil
	case k.name == "map" && n.Shape == source.Object:
		out := make(map[string]any, len(n.Kids)/2)
		for i := 0; i+1 < len(n.Kids); i += 2 {
			key := n.Kids[i].Text
			if r.outside && strings.ContainsAny(key, "= \t\r\n\"'") {
				return nil, fmt.Errorf("key %d is no name: write KEY: VALUE", i/2+1)
			}
			v, err := r.read(k.elem, &n.Kids[i+1], name+"."+key)
			switch {
			case err != nil && r.outside:
				return nil, fmt.Errorf("key %d: %w", i/2+1, err)
			case err != nil:
				return nil, fmt.Errorf("key %s: %w", key, err)
			}
			out[key] = v
		}
		return out, nil
	}
	return nil, fmt.Errorf("it must be %s, got %s", k, n.Form())
}
