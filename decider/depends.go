package decider

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// Kinds finds schemas; they say which attributes of a thing hold ids of others.
type Kinds func(provider, kind string) (resource.Kind, bool)

// identity is how a provider names a thing where another holds its id.
type identity struct {
	scope    resource.Scope
	kind, id string
}

// byRef finds the decision that acts on a ref, or that a wish for it led to.
func byRef(all []Decision) map[resource.Ref]int {
	out := make(map[resource.Ref]int, len(all))
	for i := range all {
		if all[i].Proposed.Executes() || all[i].Desired != nil {
			out[all[i].Ref] = i
		}
	}
	return out
}

// link fills in what each decision needs. A wish names what it needs; of a thing that is
// there, the ids it holds tell what it stands on, which matters where that is taken away.
func link(all []Decision, kinds Kinds) {
	index := byRef(all)
	leaving := map[identity]int{}
	for i := range all {
		if d := &all[i]; d.Proposed.Destroys() && d.Observed != nil {
			leaving[identity{d.Ref.Scope(), d.Ref.Kind, d.Observed.ID}] = i
		}
	}
	var kind resource.Kind // the last one asked for: things come sorted by kind
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
		for _, j := range dependsOnObserved(d.Observed, kind.Attrs, leaving) {
			x := &all[j]
			if j != i && !slices.Contains(d.DependsOn, x.Ref) && (d.Proposed.Destroys() || d.releasesID(x)) {
				d.DependsOn = append(d.DependsOn, x.Ref)
			}
		}
		slices.SortFunc(d.DependsOn, resource.Ref.Compare)
	}
}

// dependsOnObserved finds the decisions that delete something whose id the resource holds.
func dependsOnObserved(o *resource.Observed, schema []resource.Attribute, leaving map[identity]int) []int {
	var out []int
	for _, id := range idsHeld(o, schema) {
		if j, ok := leaving[id]; ok {
			out = append(out, j)
		}
	}
	return out
}

// releasesID says that a change of the decision takes the id of x out of the thing.
func (d *Decision) releasesID(x *Decision) bool {
	for _, c := range d.Changes {
		if mentions(c.From, x.Observed.ID) && !mentions(c.To, x.Observed.ID) &&
			!slices.Contains(resource.AppendRefs(nil, c.To), x.Ref) {
			return true
		}
	}
	return false
}

func mentions(v resource.Value, id string) bool {
	switch v := v.(type) {
	case resource.String:
		return string(v) == id
	case resource.List:
		return slices.ContainsFunc(v, func(e resource.Value) bool { return mentions(e, id) })
	case resource.Attrs:
		return slices.ContainsFunc(v, func(a resource.Attr) bool { return mentions(a.Value, id) })
	}
	return false
}

// refersTo says that a decision's wish itself names the ref.
func (d *Decision) refersTo(r resource.Ref) bool {
	return d.Desired != nil && slices.Contains(d.Desired.Refs(), r)
}

// arrange sorts the decisions by level of need, then by ref. A circle of wishes is an error;
// a circle that closes only through what stands on what is cut: it is no order of making.
func arrange(all []Decision) error {
	for {
		levels, err := resource.Levels(nodes(all))
		var circle *resource.CycleError
		switch {
		case err == nil:
			order(all, levels)
			return nil
		case errors.As(err, &circle) && cutCycle(all, circle.Cycle):
		default:
			return fmt.Errorf("decider: %w", err)
		}
	}
}

func nodes(all []Decision) []resource.Node {
	out := make([]resource.Node, 0, len(all))
	for _, i := range byRef(all) {
		out = append(out, resource.Node{Ref: all[i].Ref, DependsOn: all[i].DependsOn})
	}
	return out
}

// cutCycle takes the first need out of a circle that no wish names.
func cutCycle(all []Decision, circle []resource.Ref) bool {
	index := byRef(all)
	for k, r := range circle {
		need := circle[(k+1)%len(circle)]
		if d := &all[index[r]]; !d.refersTo(need) {
			d.DependsOn = slices.DeleteFunc(d.DependsOn, func(n resource.Ref) bool { return n == need })
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
		return a.Ref.Compare(b.Ref)
	})
}
