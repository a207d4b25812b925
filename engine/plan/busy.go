package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/recovery"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// Busy is a decision that another apply of this process works on: it has started it, or will start it.
type Busy struct {
	Decision *decider.Decision
	Since    time.Time // when it started; zero: it has not started
	Waits    bool      // it only waits for a state of its resource
}

// Flight is an action that runs while a plan is made. The plan leaves its resource alone.
type Flight struct {
	Ref    resource.Ref
	Action decider.Action
	Since  time.Time
	Waits  bool   // it only waits for a state of its resource; known only for this process
	By     string // who holds its claim, "ann@host"; empty for an apply of this process
}

// flight is a Flight, or a decision that a running apply of this process will start, with everything that other
// actions may not touch meanwhile.
type flight struct {
	Flight
	renamed   resource.Ref // its recorded name, if another one
	desired   string       // digest of the configuration
	dependsOn []resource.Ref
	holds     []resource.Hold
}

// inFlight lists the actions that run now. It reads the open actions and claims once more, because an action may have
// started during the observation. An action that has ended since then counts too: the observation can be older than its
// result.
func (e *Planner) inFlight(ctx context.Context, p *Planning) (out []flight, err error) {
	p.Flights = nil
	if p.Past {
		return nil, nil
	}
	known := map[resource.Ref]bool{}
	for _, b := range p.o.Busy {
		d := b.Decision
		known[d.Ref] = true
		out = append(out, flight{
			Flight:  Flight{Ref: d.Ref, Action: cmp.Or(d.Action, d.Proposed), Since: b.Since, Waits: b.Waits},
			renamed: d.Renamed, desired: d.DesiredDigest(), dependsOn: dependencies(d), holds: e.holdsOf(d),
		})
	}
	now, err := e.OpenActions(ctx)
	if err != nil {
		return nil, err
	}
	for _, o := range slices.Concat(now, p.opened) {
		if o.Running && !known[o.Ref] {
			known[o.Ref] = true
			out = append(out, e.flightOf(p, o))
		}
	}
	more, err := e.betweenSteps(ctx, p, known)
	if err != nil {
		return nil, err
	}
	out = append(out, more...)
	for i := range out {
		if !out[i].Since.IsZero() {
			p.Flights = append(p.Flights, out[i].Flight)
		}
	}
	slices.SortFunc(p.Flights, func(a, b Flight) int { return a.Ref.Compare(b.Ref) })
	return out, nil
}

// flightOf returns an open action of another apply as a flight. The record tells what it needs: the
// configuration that the action applies or, for a delete, the configuration that was applied last.
// Both configurations count, because until the call has ended the resource may have either.
func (e *Planner) flightOf(p *Planning, o recovery.OpenAction) flight {
	f := flight{Flight: Flight{Ref: o.Ref, Action: o.Action, Since: o.At, By: o.By}, desired: o.Desired}
	last, _ := p.memory.applied(o.Ref)
	f.need(e, &last)
	if o.Applying != nil {
		f.need(e, o.Applying)
	}
	if have, exists := p.ResourceAt(o.Ref); exists {
		if k, ok := e.Providers.Kind(o.Ref.Provider, o.Ref.Kind); ok {
			f.holds = append(f.holds, k.HeldBy(have)...)
		}
	}
	return f
}

// betweenSteps lists the replacements whose claim lives and which have no open action now: they are
// between two steps. Its claim lives on while it waits, and the record has no open action then;
// without this the plan would act on its resources.
func (e *Planner) betweenSteps(
	ctx context.Context, p *Planning, known map[resource.Ref]bool,
) (out []flight, err error) {
	if len(p.Replacing) == 0 {
		return nil, nil
	}
	claims, err := e.Claims.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the claims: %w", err)
	}
	for _, c := range claims {
		ref, err := resource.ParseRef(c.Ref)
		open, is := p.Replacing[ref]
		if err != nil || !is || known[ref] {
			continue
		}
		f := flight{
			Flight:  Flight{Ref: ref, Action: decider.Replace, Since: open.At, By: c.User + "@" + c.Host},
			desired: open.Desired,
		}
		last, _ := p.memory.applied(ref)
		f.need(e, &last)
		if open.Applying != nil {
			f.need(e, open.Applying)
		}
		out = append(out, f)
	}
	return out, nil
}

// need adds what a configuration depends on and holds.
func (f *flight) need(e *Planner, a *event.Applied) {
	f.dependsOn = append(f.dependsOn, a.DependsOn...)
	if k, ok := e.Providers.Kind(f.Ref.Provider, f.Ref.Kind); ok && len(a.Attrs) > 0 {
		f.holds = append(f.holds, k.HeldAs(f.Ref, a.Attrs, a.State)...)
	}
}

// destroying counts the resources that running applies destroy, by stack.
func destroying(all []flight) map[string]int {
	out := map[string]int{}
	for i := range all {
		if all[i].Action.Destroys() {
			out[all[i].Ref.Stack]++
		}
	}
	return out
}

// BusyPolicy is the name of the policy that leaves to a running apply what it works on.
const BusyPolicy = decider.BlockedByFlight

// busyPolicy leaves to a running apply what it works on, and delays what must not run at the same time: decisions that
// depend on such a resource, that destroy what such a resource depends on, or that take a thing which such a resource
// has or takes. An apply takes the turns of a count itself, because only an observation at that time can tell.
type busyPolicy struct {
	flights []flight
	kinds   decider.Kinds
	// awaited is filled with the resources of this process's applies whose end lets another decision start.
	awaited map[resource.Ref]bool
	// others is filled with the same resources of other instances' applies.
	others map[resource.Ref]bool
	// changed is filled with the resources that only wait in an apply of this process and have another configuration now.
	changed map[resource.Ref]bool
}

// Name implements decider.Policy.
func (busyPolicy) Name() string { return BusyPolicy }

// Review implements decider.Policy. It notes in awaited, others and changed what a loop needs to know: for
// whose end to plan again, and whose wait to end.
func (b busyPolicy) Review(p decider.Plan, _ decider.Facts) (map[int]decider.Blocker, error) {
	out := map[int]decider.Blocker{}
	if len(b.flights) == 0 {
		return out, nil
	}
	of, needed := map[resource.Ref]*flight{}, map[resource.Ref]*flight{}
	for i := range b.flights {
		x := &b.flights[i]
		of[x.Ref] = x
		if !x.renamed.IsZero() {
			of[x.renamed] = x
		}
		for _, on := range x.dependsOn {
			needed[on] = x
		}
	}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if x, why := b.waits(d, of, needed); x != nil {
			first := x.awaits(of, map[resource.Ref]bool{})
			if first == x.Ref && (of[d.Ref] == x || of[d.Renamed] == x) {
				first = d.Ref // also under its recorded name
			}
			out[i] = decider.Blocker{Reason: why, First: first}
			switch lets := d.Ref != x.Ref || d.DesiredDigest() != x.desired; {
			case !lets: // its end leaves nothing to do
			case x.By != "":
				b.others[x.Ref] = true
			default:
				b.awaited[x.Ref] = true
				if x.Waits && d.Ref == x.Ref {
					b.changed[x.Ref] = true
				}
			}
		}
	}
	return out, nil
}

// waits returns the flight that a decision waits for, and why; nil if it waits for none.
func (b busyPolicy) waits(d *decider.Decision, of, needed map[resource.Ref]*flight) (*flight, string) {
	for _, ref := range []resource.Ref{d.Ref, d.Renamed} {
		if x := of[ref]; x != nil {
			return x, x.words()
		}
	}
	for _, on := range dependencies(d) {
		if x := of[on]; x != nil {
			return x, fmt.Sprintf("it depends on %s: %s", on.Short(), x.words())
		}
	}
	if x := needed[d.Ref]; x != nil && d.Proposed.Destroys() {
		return x, fmt.Sprintf("%s depends on it: %s", x.Ref.Short(), x.words())
	}
	held := holdsOf(d, b.kinds)
	for i := range b.flights {
		x := &b.flights[i]
		if thing, clash := comparator.Clash(held, x.holds); clash {
			return x, fmt.Sprintf("%s has or takes %s: %s", x.Ref.Short(), thing, x.words())
		}
	}
	return nil, ""
}

// awaits returns the resource whose action has started and must end before the flight can go on: its own, or one that
// it depends on. None means that it waits for its turn. seen has the flights of the search: what depended on another
// resource may be what that one needs now.
func (f *flight) awaits(of map[resource.Ref]*flight, seen map[resource.Ref]bool) resource.Ref {
	if !f.Since.IsZero() {
		return f.Ref
	}
	seen[f.Ref] = true
	for _, on := range f.dependsOn {
		if x := of[on]; x != nil && !seen[x.Ref] {
			if ref := x.awaits(of, seen); !ref.IsZero() {
				return ref
			}
		}
	}
	return resource.Ref{}
}

// words says what the running apply does. It has no age, because the reasons of blockers are hashed.
func (f *flight) words() string {
	if f.Since.IsZero() {
		return fmt.Sprintf("the running apply will %s it", f.Action)
	}
	text := fmt.Sprintf("its %s has been running since %s", f.Action, f.Since.UTC().Format(time.RFC3339))
	if f.By != "" {
		text += ", by " + f.By
	}
	return text
}

// dependencies are the resources that a decision's configuration depends on, or that its resource refers to.
func dependencies(d *decider.Decision) []resource.Ref {
	if d.Desired != nil {
		return slices.Concat(d.DependsOn, d.Desired.Refs())
	}
	return d.DependsOn
}

func (e *Planner) holdsOf(d *decider.Decision) []resource.Hold { return holdsOf(d, e.Providers.Kind) }

// holdsOf lists the things that the resource of a decision has, and that its configuration takes.
func holdsOf(d *decider.Decision, kinds decider.Kinds) (out []resource.Hold) {
	k, known := kinds(d.Ref.Provider, d.Ref.Kind)
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
