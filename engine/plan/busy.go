package plan

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// Busy is a decision that another apply of this process works on: it has started it, or will start it.
type Busy struct {
	Decision *decider.Decision
	Since    time.Time // when it started; zero: it has not started
}

// BusyPolicy is the name of the policy that leaves to a running apply what it works on.
const BusyPolicy = "in_progress"

// busyPolicy leaves to a running apply what it works on, and lets wait what the two must not do at the same time:
// what depends on such a resource, what such a resource depends on and would be destroyed, what takes a thing
// that such a resource has or takes, and the other members of a count that has turns.
type busyPolicy struct {
	busy    []Busy
	kinds   decider.Kinds
	awaited map[resource.Ref]bool // filled with the busy resources whose end lets another decision start
}

// Name implements decider.Policy.
func (busyPolicy) Name() string { return BusyPolicy }

// Review implements decider.Policy.
func (b busyPolicy) Review(p decider.Plan, _ decider.Facts) (map[int]decider.Blocker, error) {
	out := map[int]decider.Blocker{}
	if len(b.busy) == 0 {
		return out, nil
	}
	of := map[resource.Ref]*Busy{}
	needed := map[resource.Ref]*Busy{} // what a busy resource depends on
	sets := map[resource.Ref]*Busy{}
	for i := range b.busy {
		x := &b.busy[i]
		ref := x.Decision.Ref
		of[ref], sets[resource.SetOf(ref)] = x, x
		for _, on := range dependencies(x.Decision) {
			needed[on] = x
		}
	}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if x, why := b.waits(d, of, needed, sets); x != nil {
			out[i] = decider.Blocker{Reason: why}
			if d.Ref != x.Decision.Ref || d.DesiredDigest() != x.Decision.DesiredDigest() {
				b.awaited[x.Decision.Ref] = true
			}
		}
	}
	return out, nil
}

// waits returns what a decision waits for in a running apply, and why; nil: nothing.
func (b busyPolicy) waits(d *decider.Decision, of, needed, sets map[resource.Ref]*Busy) (*Busy, string) {
	for _, ref := range []resource.Ref{d.Ref, d.Renamed} {
		if x := of[ref]; x != nil {
			return x, b.words(x)
		}
	}
	for _, on := range dependencies(d) {
		if x := of[on]; x != nil {
			return x, fmt.Sprintf("it depends on %s: %s", on.Short(), b.words(x))
		}
	}
	if x := needed[d.Ref]; x != nil && d.Proposed.Destroys() {
		return x, fmt.Sprintf("%s depends on it: %s", x.Decision.Ref.Short(), b.words(x))
	}
	if x := sets[resource.SetOf(d.Ref)]; x != nil && d.Turn != nil {
		return x, fmt.Sprintf("its turn is after %s: %s", x.Decision.Ref.Short(), b.words(x))
	}
	for i := range b.busy {
		if what, clash := b.clash(d, b.busy[i].Decision); clash {
			return &b.busy[i], fmt.Sprintf("%s has or takes %s: %s", b.busy[i].Decision.Ref.Short(), what, b.words(&b.busy[i]))
		}
	}
	return nil, ""
}

// words says what the running apply does. It has no age, because the reasons of blockers are hashed.
func (b busyPolicy) words(x *Busy) string {
	action := cmp.Or(x.Decision.Action, x.Decision.Proposed)
	if x.Since.IsZero() {
		return fmt.Sprintf("the running apply will %s it", action)
	}
	return fmt.Sprintf("its %s has been running since %s", action, x.Since.UTC().Format(time.RFC3339))
}

// dependencies are the resources that a decision's configuration depends on, or that its resource refers to.
func dependencies(d *decider.Decision) []resource.Ref {
	if d.Desired != nil {
		return slices.Concat(d.DependsOn, d.Desired.Refs())
	}
	return d.DependsOn
}

// clash returns a thing that two decisions want at the same time: what one has, or will have, and the other, too.
func (b busyPolicy) clash(d, busy *decider.Decision) (string, bool) {
	for _, h := range b.holds(d) {
		for _, o := range b.holds(busy) {
			if h.Clashes(o) {
				return h.What + " " + h.Name, true
			}
		}
	}
	return "", false
}

// holds are the things that the resource of a decision has, and that its configuration takes.
func (b busyPolicy) holds(d *decider.Decision) (out []resource.Hold) {
	k, known := b.kinds(d.Ref.Provider, d.Ref.Kind)
	if !known {
		return nil
	}
	if d.Desired != nil {
		out = k.HeldAs(d.Ref, d.Desired.Attrs, d.Desired.State)
	}
	if d.Observed != nil {
		out = append(out, k.HeldBy(d.Observed)...)
	}
	return out
}
