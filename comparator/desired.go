package comparator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// side is the configuration of one stack, sorted by ref.
type side struct {
	stack   string
	desired []resource.Desired
	rules   rules.Rules
	partial bool // resources that are not in it may be configured
	moved   []resource.Move
	removed []resource.Move
	next    int // the first resource not yet compared

	ignoreKind string // the kind that ignore was built for
	ignore     []string
}

// sides sorts the stacks by name. A missing or duplicate stack name is an error, because
// ownership is by stack.
func sides(intents []resource.Intent) ([]side, error) {
	out := make([]side, 0, len(intents))
	for _, in := range intents {
		if in.Stack == "" {
			return nil, fmt.Errorf("comparator: the configuration %q has no stack name", in.Source)
		}
		if slices.ContainsFunc(out, func(s side) bool { return s.stack == in.Stack }) {
			return nil, fmt.Errorf("comparator: duplicate stack %s: rename one of the two", in.Stack)
		}
		out = append(out, side{
			stack: in.Stack, desired: in.Resources, rules: in.Rules, partial: in.Partial, moved: in.Moved, removed: in.Removed,
		})
	}
	slices.SortFunc(out, func(a, b side) int { return strings.Compare(a.stack, b.stack) })
	return out, nil
}

// sort sorts the configured resources by ref.
func (s *side) sort() {
	s.desired = slices.Clone(s.desired)
	slices.SortStableFunc(s.desired, func(a, b resource.Desired) int { return resource.CompareRefs(a.Ref, b.Ref) })
}

// head is the next configured resource; nil after the last.
func (s *side) head() *resource.Desired {
	if s.next == len(s.desired) {
		return nil
	}
	return &s.desired[s.next]
}

// take returns the head and advances. It also checks here that the refs grow and are the stack's,
// which saves a pass over the input.
func (c *comparison) take(s *side) *resource.Desired {
	w := s.head()
	s.next++
	if n := s.head(); n != nil && resource.CompareRefs(w.Ref, n.Ref) >= 0 {
		c.unsorted = true
		if w.Ref == n.Ref {
			c.errs = append(c.errs, fmt.Errorf("comparator: duplicate %s, %s and %s: rename or remove one",
				w.Ref, positionOf(w, s.stack), positionOf(n, s.stack)))
		}
	}
	if w.Ref.Stack != s.stack {
		c.errs = append(c.errs, fmt.Errorf("comparator: %s is not of stack %s, which configures it", w.Ref, s.stack))
	}
	return w
}

// positionOf describes the position of a configured resource for the user.
func positionOf(d *resource.Desired, stack string) string {
	if d.At.File == "" {
		return "in stack " + stack
	}
	return "at " + d.At.String()
}

// ignored lists the ignored patterns of one resource. The stack's patterns are built once for each kind.
func (s *side) ignored(d *resource.Desired) []string {
	if len(s.rules.Ignore) == 0 {
		return d.Ignore
	}
	if s.ignoreKind != d.Ref.Kind {
		s.ignoreKind, s.ignore = d.Ref.Kind, s.rules.Ignored(d.Ref.Kind)
	}
	if len(d.Ignore) == 0 {
		return s.ignore
	}
	return slices.Concat(s.ignore, d.Ignore)
}

// find returns the configured resource with a ref.
func (s *side) find(ref resource.Ref) (*resource.Desired, bool) {
	i, ok := slices.BinarySearchFunc(s.desired, ref,
		func(d resource.Desired, r resource.Ref) int { return resource.CompareRefs(d.Ref, r) })
	if !ok {
		return nil, false
	}
	return &s.desired[i], true
}
