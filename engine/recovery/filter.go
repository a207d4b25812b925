package recovery

import (
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// FilterOf returns what an observation of a scope must list although it has lost its marks: whatever a binding
// that has not ended proves, what an open action is about, and what was bound last under a configured
// name that nothing is bound to, since it may be in the way. What has marks a provider lists by itself.
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
		case b.Dismissed:
		case b.Ended:
			past[b.Ref] = append(past[b.Ref], b.ID)
		default:
			add(b.Ref, b.ID)
			bound[b.Ref] = true
		}
	}
	for i := range opens {
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
