package comparator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// side is one stack's wishes, sorted by ref.
type side struct {
	stack   string
	desired []resource.Desired
	rules   resource.Rules
	next    int // the first wish not yet compared

	ignoreKind string // the kind that ignore was made for
	ignore     []string
}

// sides lists the stacks by name, and refuses what has no clear owner.
func sides(intents []resource.Intent) ([]side, error) {
	out := make([]side, 0, len(intents))
	for _, in := range intents {
		if in.Stack == "" {
			return nil, fmt.Errorf("comparator: the wishes from %q name no stack, so nothing could be owned by it", in.Source)
		}
		if slices.ContainsFunc(out, func(s side) bool { return s.stack == in.Stack }) {
			return nil, fmt.Errorf("comparator: stack %s comes from two sources: give one of them another name", in.Stack)
		}
		out = append(out, side{stack: in.Stack, desired: in.Resources, rules: in.Rules})
	}
	slices.SortFunc(out, func(a, b side) int { return strings.Compare(a.stack, b.stack) })
	return out, nil
}

// sort brings the wishes into the order of their refs.
func (s *side) sort() {
	s.desired = slices.Clone(s.desired)
	slices.SortStableFunc(s.desired, func(a, b resource.Desired) int { return a.Ref.Compare(b.Ref) })
}

// head is the next wish; nil after the last.
func (s *side) head() *resource.Desired {
	if s.next == len(s.desired) {
		return nil
	}
	return &s.desired[s.next]
}

// take moves on from the head. That the next wish has a greater ref is seen here, where both
// are at hand, and not in a walk of its own.
func (c *comparison) take(s *side) *resource.Desired {
	w := s.head()
	s.next++
	if n := s.head(); n != nil && w.Ref.Compare(n.Ref) >= 0 {
		c.unsorted = true
		if w.Ref == n.Ref {
			c.errs = append(c.errs, duplicateError(w, n, s.stack, s.stack))
		}
	}
	for i := range c.sides {
		if o := &c.sides[i]; o != s {
			if n := o.head(); n != nil && n.Ref == w.Ref {
				c.errs = append(c.errs, duplicateError(w, n, s.stack, o.stack))
			}
		}
	}
	return w
}

func duplicateError(a, b *resource.Desired, stackA, stackB string) error {
	return fmt.Errorf("comparator: %s is wanted twice, %s and %s: rename or remove one",
		a.Ref, positionOf(a, stackA), positionOf(b, stackB))
}

// positionOf says where a wish stands, for people.
func positionOf(d *resource.Desired, stack string) string {
	if d.At.File == "" {
		return "in stack " + stack
	}
	return fmt.Sprintf("at %s:%d", d.At.File, d.At.Line)
}

// ignored lists the patterns of one wish, made once for each kind.
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

// find looks a wish up.
func (s *side) find(ref resource.Ref) (*resource.Desired, bool) {
	i, ok := slices.BinarySearchFunc(s.desired, ref, func(d resource.Desired, r resource.Ref) int { return d.Ref.Compare(r) })
	if !ok {
		return nil, false
	}
	return &s.desired[i], true
}
