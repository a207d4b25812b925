package decider

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// byRef indexes the decisions that execute, or that have a configuration, by ref.
func byRef(all []Decision) map[resource.Ref]int {
	out := make(map[resource.Ref]int, len(all))
	for i := range all {
		if all[i].Proposed.Executes() || all[i].Desired != nil {
			out[all[i].Ref] = i
		}
	}
	return out
}

// link sets the dependencies of each decision: the configured dependencies and, if a resource that it
// depends on now is deleted or replaced, the dependencies of its observed IDs.
func link(all []Decision, kinds Kinds) {
	index := byRef(all)
	leaving := map[identity]int{}
	opened := map[resource.Scope]int{} // scopes inside resources that are destroyed
	for i := range all {
		if d := &all[i]; d.Proposed.Destroys() && d.Observed != nil {
			leaving[identity{d.Ref.Scope(), d.Ref.Kind, d.Observed.ID}] = i
			if k, _ := kinds(d.Ref.Provider, d.Ref.Kind); k.Opens != nil {
				opened[k.Opens(d.Ref)] = i
			}
		}
	}
	var kind resource.Kind // the last one looked up: decisions are sorted by kind
	for i := range all {
		d := &all[i]
		if !d.Proposed.Executes() {
			continue
		}
		if d.Desired != nil {
			for _, r := range d.Desired.Refs() {
				if j, ok := index[r]; ok && j != i && all[j].Proposed.Executes() {
					d.DependsOn = append(d.DependsOn, r)
				}
			}
		}
		if d.Observed == nil || len(leaving) == 0 {
			continue
		}
		if kind.Provider != d.Ref.Provider || kind.Name != d.Ref.Kind {
			kind, _ = kinds(d.Ref.Provider, d.Ref.Kind)
			kind.Provider, kind.Name = d.Ref.Provider, d.Ref.Kind
		}
		if j, inside := opened[d.Ref.Scope()]; inside && d.Proposed.Destroys() && !slices.Contains(d.DependsOn, all[j].Ref) {
			d.DependsOn = append(d.DependsOn, all[j].Ref)
		}
		for _, id := range idsHeld(d.Observed, kind.Attrs) {
			j, leaves := leaving[id]
			if !leaves || j == i {
				continue
			}
			if x := &all[j]; !slices.Contains(d.DependsOn, x.Ref) && (d.Proposed.Destroys() || d.releasesID(x)) {
				d.DependsOn = append(d.DependsOn, x.Ref)
			}
		}
		slices.SortFunc(d.DependsOn, resource.Ref.Compare)
	}
}

// releasesID reports whether a change of the decision removes the ID of x from its resource.
func (d *Decision) releasesID(x *Decision) bool {
	for _, c := range d.Changes {
		if contains(c.From, x.Observed.ID) && !contains(c.To, x.Observed.ID) &&
			!slices.Contains(resource.AppendRefs(nil, c.To), x.Ref) {
			return true
		}
	}
	return false
}

func contains(v resource.Value, id string) bool {
	switch v := v.(type) {
	case resource.String:
		return string(v) == id
	case resource.List:
		return slices.ContainsFunc(v, func(e resource.Value) bool { return contains(e, id) })
	case resource.Attrs:
		return slices.ContainsFunc(v, func(a resource.Attr) bool { return contains(a.Value, id) })
	}
	return false
}

// refersTo reports whether the decision's configuration depends on the ref.
func (d *Decision) refersTo(r resource.Ref) bool {
	return d.Desired != nil && slices.Contains(d.Desired.Refs(), r)
}

// arrange sorts the decisions by dependency level, then by ref. A cycle in the configuration is
// an error; one that exists only through observed dependencies is cut, because those do not order
// creates.
func arrange(all []Decision) error {
	for {
		nodes := make([]resource.Node, 0, len(all))
		for _, i := range byRef(all) {
			nodes = append(nodes, resource.Node{Ref: all[i].Ref, DependsOn: all[i].DependsOn})
		}
		levels, err := resource.Levels(nodes)
		var cycle *resource.CycleError
		switch {
		case err == nil:
			order(all, levels)
			return nil
		case errors.As(err, &cycle) && cutCycle(all, cycle.Cycle):
		default:
			return fmt.Errorf("decider: %w", err)
		}
	}
}

// cutCycle removes the first dependency of a cycle that is not configured.
func cutCycle(all []Decision, cycle []resource.Ref) bool {
	index := byRef(all)
	for k, r := range cycle {
		dependency := cycle[(k+1)%len(cycle)]
		if d := &all[index[r]]; !d.refersTo(dependency) {
			d.DependsOn = slices.DeleteFunc(d.DependsOn, func(n resource.Ref) bool { return n == dependency })
			return true
		}
	}
	return false
}

func order(all []Decision, levels [][]resource.Ref) {
	level := map[resource.Ref]int{}
	for l, refs := range levels {
		for _, r := range refs {
			level[r] = l
		}
	}
	at := func(d *Decision) int {
		if d.Proposed.Executes() || d.Desired != nil {
			return level[d.Ref]
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b Decision) int {
		if c := at(&a) - at(&b); c != 0 {
			return c
		}
		return CompareNatural(a.Ref, b.Ref)
	})
}

// linkRecorded adds edges from recorded dependencies. A resource that left the configuration is deleted
// before its former dependencies, and a resource that dropped a reference is updated before the referenced
// resource is deleted. Configurations of different times can depend on each other, so an edge that would
// close a cycle is omitted.
func linkRecorded(all []Decision, f Facts) {
	if f.LastDependsOn == nil {
		return
	}
	index := byRef(all)
	for i := range all {
		d := &all[i]
		leaves := d.Desired == nil && d.Proposed.Destroys()
		letsGo := d.Desired != nil && d.Proposed == Update
		if !leaves && !letsGo {
			continue
		}
		for _, r := range f.LastDependsOn(d.Ref) {
			j, known := index[r]
			if !known || j == i || !all[j].Proposed.Destroys() || letsGo && all[j].Proposed != Delete ||
				slices.Contains(d.DependsOn, r) || reaches(all, index, r, d.Ref) {
				continue
			}
			d.DependsOn = append(d.DependsOn, r)
			slices.SortFunc(d.DependsOn, resource.Ref.Compare)
		}
	}
}

// reaches reports whether one decision depends on another, through others too.
func reaches(all []Decision, index map[resource.Ref]int, from, to resource.Ref) bool {
	seen, todo := map[resource.Ref]bool{}, []resource.Ref{from}
	for len(todo) > 0 {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		i, known := index[r]
		switch {
		case r == to:
			return true
		case !known || seen[r]:
			continue
		}
		seen[r] = true
		todo = append(todo, all[i].DependsOn...)
	}
	return false
}
