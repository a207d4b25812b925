package system

import "github.com/ovi-project/ovi/resource"

// HoldsName returns the Holds of a kind whose names are unique in its location. The thing is named in messages.
func HoldsName(thing string) func(resource.Ref, resource.Attrs, resource.State) []resource.Hold {
	return func(ref resource.Ref, _ resource.Attrs, _ resource.State) []resource.Hold {
		return []resource.Hold{{What: thing, Name: ref.Name, Identity: true}}
	}
}
