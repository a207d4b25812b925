package comparator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// walk merges configured and observed resources in one pass.
func walk(
	in Input, sides []side, scopes []observedScope, renamed map[resource.Ref]resource.Ref,
) *comparison {
	c := &comparison{in: in, renamed: renamed, sides: sides, scopes: scopes, owned: map[string]int{}}
	c.opt = resource.DiffOptions{Resolve: c.resolve, Secrets: in.Secrets, Unreachable: c.isUnreachable}
	c.parents = parents{
		knownID: c.resolve,
		seenIn: func(s resource.Scope) []resource.Observed {
			if p := c.scopeOf(s); p != nil {
				return p.resources
			}
			return nil
		},
		blockOf: func(r resource.Ref) *resource.Desired { return configuredAs(c.sides, r) },
	}
	for _, s := range sides {
		c.owned[s.stack] = 0
	}
	for i := range scopes {
		c.unreachableUntil(&scopes[i].scope)
		c.merge(&scopes[i])
	}
	c.unreachableUntil(nil)
	return c
}

type comparison struct {
	in       Input
	renamed  map[resource.Ref]resource.Ref // recorded names, by the configured ones
	sides    []side
	scopes   []observedScope
	opt      resource.DiffOptions
	parents  parents
	kinds    kindCache
	memo     memo
	replaced map[resource.Ref]bool // will be replaced, so their IDs will change
	// updated are those that will be updated, with the changes: values that these change are known after apply
	updated   map[resource.Ref][]resource.Change
	out       []Difference
	unchanged int
	owned     map[string]int
	// unverified is appended to in the first comparison only: cascade compares again.
	unverified []Unverified
	kept       []Kept // the same
	pairs      pairs
	removes    bool // a configuration says that a resource stays
	unsorted   bool // the input is not sorted, so the result is invalid
	errs       []error
}

// first finds the stack whose next configured resource has the smallest ref; nil after the last.
func (c *comparison) first() *side {
	var best *side
	for i := range c.sides {
		s := &c.sides[i]
		if s.next < len(s.desired) && (best == nil || resource.CompareRefs(s.head().Ref, best.head().Ref) < 0) {
			best = s
		}
	}
	return best
}

// unreachableUntil reports the configured resources before a scope, or all that remain, as
// unreachable.
func (c *comparison) unreachableUntil(scope *resource.Scope) {
	for s := c.first(); s != nil; s = c.first() {
		if scope != nil && resource.CompareScopes(s.head().Ref.Scope(), *scope) >= 0 {
			return
		}
		w := c.take(s)
		c.out = append(c.out, Difference{
			Type: Unreachable, Ref: w.Ref, Desired: w, Cause: c.cause(w.Ref.Scope()),
		})
	}
}

func (c *comparison) cause(s resource.Scope) error {
	if err := c.in.Live.Unreachable[s]; err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", s, resource.ErrNotObserved)
}

// merge walks the configured and the observed resources of a scope side by side, name by name.
func (c *comparison) merge(p *observedScope) {
	for i := 0; i < len(p.resources); {
		n := c.run(p.resources[i:], byName)
		group := p.resources[i : i+n]
		i += n
		for k := range group {
			if stack := group[k].Ref.Stack; group[k].Managed() && c.ours(stack) != nil {
				c.owned[stack]++
			}
		}
		c.named(p, group)
	}
	c.missingUntil(p, nil)
}

// named compares what was observed under one name with what the stacks configure under it.
func (c *comparison) named(p *observedScope, group []resource.Observed) {
	c.pairs = pairs{stacks: c.pairs.stacks[:0], blocking: c.pairs.blocking[:0]}
	for s := c.missingUntil(p, &group[0].Ref); s != nil; s = c.missingUntil(p, &group[0].Ref) {
		c.pairs.stacks = append(c.pairs.stacks, s.stack)
		c.pair(p, s, c.take(s), group)
	}
	c.unowned(group)
	for len(group) > 0 {
		n := c.run(group, byRef)
		c.unconfigured(group[:n])
		group = group[n:]
	}
}

// pairs are what stacks configure under the name that is compared.
type pairs struct {
	stacks   []string             // those that do
	blocking []*resource.Observed // what they are in conflict with, which is listed no second time
}

// missingUntil reports the configured resources of a scope before a name, or all that remain, as
// missing. It returns the next stack that configures the name; nil if none does.
func (c *comparison) missingUntil(p *observedScope, name *resource.Ref) *side {
	for s := c.first(); s != nil; s = c.first() {
		w := s.head()
		if name != nil {
			if order := byName(&w.Ref, name); order == 0 {
				return s
			} else if order > 0 {
				return nil
			}
		}
		if w.Ref.Location != p.scope.Location || w.Ref.Provider != p.scope.Provider {
			return nil
		}
		c.missing(p, c.take(s))
	}
	return nil
}

// missing reports a configured resource that does not exist, as far as its kind was read in full. One
// that has its marks, and is recorded under another name, may be it: nothing is created beside that.
func (c *comparison) missing(p *observedScope, w *resource.Desired) {
	if err := p.snapshot.Covers(w.Ref.Kind); err != nil {
		c.out = append(c.out, Difference{Type: Unreachable, Ref: w.Ref, Desired: w, Cause: err})
		return
	}
	if o := p.markedAs(w.Ref); o != nil {
		c.out = append(c.out, Difference{
			Type: Conflict, Ref: w.Ref, Desired: w, Observed: o,
			Cause: &OwnershipError{*o, w.Ref},
		})
		return
	}
	c.out = append(c.out, Difference{Type: Missing, Ref: w.Ref, Desired: w, Changes: c.createChanges(w)})
}

// ours finds a stack among those that are compared.
func (c *comparison) ours(stack string) *side {
	for i := range c.sides {
		if c.sides[i].stack == stack {
			return &c.sides[i]
		}
	}
	return nil
}

// sort sorts the differences by ref, type and ID. They are nearly sorted already.
func (c *comparison) sort() {
	order := func(a, b Difference) int {
		if d := resource.CompareRefs(a.Ref, b.Ref); d != 0 {
			return d
		}
		if d := strings.Compare(string(a.Type), string(b.Type)); d != 0 {
			return d
		}
		return strings.Compare(a.id(), b.id())
	}
	if !slices.IsSortedFunc(c.out, order) {
		slices.SortStableFunc(c.out, order)
	}
}

func (d Difference) id() string {
	if d.Observed == nil {
		return ""
	}
	return d.Observed.ID
}
