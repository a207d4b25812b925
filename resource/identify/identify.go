// Package identify makes the names that resources have on their systems.
package identify

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// NameHere stands for the name of a resource in a pattern.
const NameHere = "${name}"

// Schemas finds the schema of a kind.
type Schemas interface {
	Kind(provider, kind string) (resource.Kind, bool)
}

// Names sets the attribute for its name on its system of each resource that does not set it, in the kinds that have
// such an attribute: to the pattern, with the name of the resource in place of NameHere. An empty pattern sets none.
// The attribute is for creating the resource, as its own name is, and not compared: a resource that has another name
// keeps it, such as one that was renamed. Names returns the names that their kinds do not accept.
func Names(pattern string, all []*resource.Desired, schemas Schemas) (wrong []resource.Finding) {
	if pattern == "" {
		return nil
	}
	checkers := map[string]*resource.Checker{}
	for _, x := range all {
		k, _ := schemas.Kind(x.Ref.Provider, x.Ref.Kind)
		if _, own := x.Attrs.Get(k.Identifier); own || k.Identifier == "" {
			continue
		}
		name := strings.ReplaceAll(pattern, NameHere, x.Ref.Name)
		x.Attrs = x.Attrs.With(k.Identifier, resource.String(name))
		x.Ignore = append(slices.Clip(x.Ignore), k.Identifier)
		id := k.Provider + "/" + k.Name
		if checkers[id] == nil {
			c, err := resource.NewChecker(k)
			if err != nil { // the schema was checked when the resource was added
				continue
			}
			checkers[id] = c
		}
		_, problems := checkers[id].Check(x.Attrs)
		for _, p := range problems {
			if p.Path == k.Identifier {
				wrong = append(wrong, resource.Finding{Ref: x.Ref, Problem: resource.Problem{
					Path: "name", Summary: "options.identifier makes an invalid name: " + p.Summary,
					Suggestion: "set " + k.Identifier + " in the block, or change options.identifier",
				}})
			}
		}
	}
	return wrong
}
