package recovery

import (
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// FilterOf returns the resources that an observation of a scope must list even if they have lost their
// marks: the resources of open bindings, the resources of open actions, and the last resource bound under a
// configured name that has no binding now, since it may be in the way. A provider lists marked resources
// without a filter.
func FilterOf(
	s resource.Scope, bindings []resource.Binding, intents []resource.Intent, opens []OpenAction,
) *provider.Filter {
	f := &provider.Filter{IDs: map[string][]string{}}
	add := func(ref resource.Ref, id string) {
		if id != "" {
			f.IDs[ref.Kind] = append(f.IDs[ref.Kind], id)
		}
	}
	bound, past := map[resource.Ref]bool{}, map[resource.Ref][]string{}
	for i := range bindings {
		switch b := &bindings[i]; {
		// A dismissed resource blocks nothing, so it need not be listed.
		case b.Dismissed:
		case b.Ended:
			past[b.Ref] = append(past[b.Ref], b.ID)
		default:
			add(b.Ref, b.ID)
			bound[b.Ref] = true
		}
	}
	for i := range opens {
		// The action has the ID of the resource before it, or the ID that the system accepted.
		if o := &opens[i]; o.Ref.Scope() == s {
			add(o.Ref, o.Have)
			add(o.Ref, o.ID)
		}
	}
	if len(past) == 0 {
		return f
	}
	for i := range intents {
		for j := range intents[i].Resources {
			ref := intents[i].Resources[j].Ref
			for _, id := range past[ref] {
				if !bound[ref] {
					add(ref, id)
				}
			}
		}
	}
	return f
}
