package plan

import (
	"sync"

	"github.com/ovi-project/ovi/resource"
)

// called returns the function that names recorded resources in suggestions, so that a command finds exactly one: with
// the stack, if several stacks are recorded, and with the location, if the stack has the name in several.
func called(bindings []resource.Binding, stacks int) func(resource.Ref) string {
	short := sync.OnceValue(func() func(resource.Ref) string {
		var refs []resource.Ref
		for _, b := range bindings {
			if b.Live() {
				refs = append(refs, b.Ref)
			}
		}
		return resource.Shorten(refs, nil)
	})
	return func(r resource.Ref) string {
		name := short()(r)
		if stacks > 1 && name == r.Short() {
			return r.ShortInStack()
		}
		return name
	}
}
