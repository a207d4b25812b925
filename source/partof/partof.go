// Package partof finds the kinds whose resources are parts of others. It knows nothing else of a source.
package partof

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Kind returns a kind whose resources are parts of those in a dependency cycle, such as the rules of groups. An empty
// name means that there is none.
func Kind(kinds []resource.Kind, cycle []resource.Ref) string {
	whole := cycle[0].Kind
	if slices.ContainsFunc(cycle, func(r resource.Ref) bool { return r.Kind != whole }) {
		return ""
	}
	for _, k := range kinds {
		isPart := func(a resource.Attribute) bool { return a.Required && a.RefKind == whole }
		if strings.HasPrefix(k.Name, whole+"_") && slices.ContainsFunc(k.Attrs, isPart) {
			return k.Name
		}
	}
	return ""
}
