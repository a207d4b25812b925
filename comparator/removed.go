package comparator

import (
	"fmt"

	"github.com/ovi-project/ovi/resource"
)

// removals marks the unwanted resources that stay.
func (c *comparison) removals() {
	keep := map[resource.Ref]bool{}
	for i := range c.sides {
		for _, r := range c.sides[i].removed {
			keep[r.From], c.removes = true, true
		}
	}
	if !c.removes {
		return
	}
	for i := range c.out {
		if d := &c.out[i]; d.Type == Unwanted && keep[d.Ref] {
			d.Forget = true
		}
	}
}

// refuseRemovals refuses to delete resources that an entry of `removed` with an unknown name may mean, and to change
// resources that are configured and said to be removed.
func (m *matching) refuseRemovals() {
	for i := range m.sides {
		for _, r := range m.sides[i].removed {
			switch _, n := proven(m.group(r.From)); {
			case m.isDesired(r.From):
				m.refuse(&RenameError{
					New: []resource.Ref{r.From}, Advice: "remove the block, or the entry of `removed`",
					Why: r.From.Short() + " is in `removed`, and is still configured",
				})
			case n == 0 && (m.in.Known == nil || !m.in.Known(r.From)):
				m.refuseLeft(r.From)
			}
		}
	}
}

// refuseLeft refuses to delete the resources that are left of the kind of an unknown name.
func (m *matching) refuseLeft(unknown resource.Ref) {
	e := &RenameError{Advice: "correct the entry of `removed`, or remove it"}
	for _, o := range m.left {
		if o.Ref.Stack == unknown.Stack && sameKind(o.Ref, unknown) && !o.configured && len(o.heirs) == 0 {
			e.Old = append(e.Old, o.Ref)
		}
	}
	if len(e.Old) > 0 {
		e.Why = fmt.Sprintf("no resource has the name %s of an entry of `removed`, and %s is no longer configured",
			unknown.Short(), shorts(e.Old))
		m.refuse(e)
	}
}
