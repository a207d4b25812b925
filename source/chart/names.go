package chart

import (
	"regexp"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// apiGroup starts the apiVersion of every version of these manifests.
const (
	apiGroup   = "cutepod/"
	apiVersion = apiGroup + "v1alpha0"
	kindPrefix = "Cute"
)

// manifestKind is how a manifest names a kind: CuteContainer.
func manifestKind(kind string) string {
	c := camel(kind)
	return kindPrefix + strings.ToUpper(c[:min(1, len(c))]) + c[min(1, len(c)):]
}

// camel is how a manifest names an attribute: mountPath for mount_path.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words {
		if i > 0 && w != "" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// names are the attributes that manifests name otherwise than their schemas do.
type names struct{ camel map[string]string }

var snake = regexp.MustCompile(`[a-z][a-z0-9]*(?:_[a-z0-9]+)+`)

func newNames() *names { return &names{map[string]string{}} }

func (n *names) add(attrs []resource.Attribute) {
	for i := range attrs {
		a := &attrs[i]
		if c := camel(a.Name); c != a.Name {
			n.camel[a.Name] = c
		}
		n.add(a.Fields)
		for e := a.Elem; e != nil; e = e.Elem {
			n.add(e.Fields)
		}
	}
}

// spell names attributes in a message as manifests do.
func (n *names) spell(text string) string {
	if !strings.Contains(text, "_") {
		return text
	}
	return snake.ReplaceAllStringFunc(text, func(word string) string {
		if c, ok := n.camel[word]; ok {
			return c
		}
		return word
	})
}
