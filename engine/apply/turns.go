package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/parts"
	"github.com/ovi-project/ovi/engine/plan"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// awaited are the resources that others of their count have their turn after.
func awaited(p decider.Plan) map[resource.Ref]bool {
	var out map[resource.Ref]bool
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if d.Turn == nil || !d.Action.Executes() {
			continue
		}
		for _, r := range d.Turn.After {
			if out == nil {
				out = map[resource.Ref]bool{}
			}
			out[r] = true
		}
	}
	return out
}

// turns assigns turns to the steps of an apply. A resource that it interrupts now counts as not in service,
// whatever an observation shows: the call may not have stopped the resource yet.
type turns struct {
	*apply
	awaited map[resource.Ref]bool           // others of their set have their turn after these
	members map[resource.Ref][]resource.Ref // of the sets

	guard sync.Mutex
	sets  map[resource.Ref]*turnsOfSet
}

// turnsOfSet has the members of a set that this apply interrupts now.
type turnsOfSet struct {
	mu  sync.Mutex // held while the set is observed for a turn
	now map[resource.Ref]bool
}

// of returns the turns of a set: one value for all steps of the apply.
func (t *turns) of(set resource.Ref) *turnsOfSet {
	t.guard.Lock()
	defer t.guard.Unlock()
	if t.sets[set] == nil {
		t.sets[set] = &turnsOfSet{now: map[resource.Ref]bool{}}
	}
	return t.sets[set]
}

// end ends the turn of a resource. From then on, an observation tells whether it is in service.
func (s *turnsOfSet) end(ref resource.Ref) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.now, ref)
}

// inTurn performs a phase of a decision when it has its turn: once few enough others of its count
// are not in service, as observed then and not as planned. After the phase that puts it into
// service it waits until it is, if others wait for it. A decision without a turn is performed at
// once.
func (t *turns) inTurn(d *decider.Decision, phase decider.Phase) Outcome {
	if d.Turn == nil || !d.Action.Executes() {
		return t.act(d, phase)
	}
	set := t.of(resource.SetOf(d.Desired))
	var out Outcome
	if phase == firstPhase(d) {
		var taken bool
		if out, taken = t.awaitTurn(set, d); !taken {
			return out
		}
	} else {
		out = t.act(d, phase)
	}
	if phase == decider.CreatePhase || !out.Status.good() {
		out = t.awaitService(d, out)
		set.end(d.Ref)
	}
	return out
}

// TurnPrefix is the prefix of the claim under which an instance takes a turn of a count.
const TurnPrefix = "turn/"

// takeAndAct performs the first phase of a decision if it has its turn now; otherwise it returns
// the resources that are down. The turn is taken under a claim, which is held until the start of
// the action is recorded: from then on, every instance sees the open action and counts its resource
// as not in service. Without the claim two instances could observe the same count at the same
// moment and interrupt one member each.
func (t *turns) takeAndAct(set *turnsOfSet, d *decider.Decision) (out Outcome, down []resource.Observed, err error) {
	key := phaseOf{d.Ref, firstPhase(d)}
	// The action outlasts the claim of the turn. The buffer keeps its outcome until then.
	ended := make(chan Outcome, 1)
	acts := false
	of := resource.SetOf(d.Desired)
	err = t.engine.Claims.Hold(t.hard, TurnPrefix+of.String(), func(context.Context, parts.Claim) error {
		var err error
		if down, err = t.take(set, d); err != nil || down != nil {
			return err
		}
		acts = true
		started := t.o.Control.notify(key)
		go func() { ended <- t.act(d, key.phase) }()
		select {
		case <-started:
		// The action ended without a recorded start, and frees the turn too.
		case out = <-ended:
			ended <- out
		}
		return nil
	})
	// The action has its own claim: an error of the turn does not change its outcome.
	if acts {
		return <-ended, nil, nil
	}
	var claimed *coordinator.ClaimedError
	if errors.As(err, &claimed) { // another instance takes a turn in this moment
		const why = "another instance takes a turn"
		return out, []resource.Observed{{Ref: of, Health: resource.Pending, Message: why}}, nil
	}
	return out, down, err
}

// awaitTurn waits until a resource may be interrupted, and performs the first phase of its
// decision. It returns false if the resource may not be interrupted. A member that fails ends the
// wait, because it does not recover without an action; then the others keep the service.
func (t *turns) awaitTurn(set *turnsOfSet, d *decider.Decision) (Outcome, bool) {
	out := Outcome{Ref: d.Ref, Action: d.Action, Status: Interrupted, Detail: "the apply was interrupted first"}
	kind := t.engine.Kind(d.Ref)
	late := t.engine.Clock().Add(t.pends(d.Ref, update, kind))
	key := phaseOf{d.Ref, firstPhase(d)}
	tell := t.telling()
	defer tell(resource.Observed{})
	for pause := (pauses{}); !t.stopped() && t.o.Control.mayStart(key); {
		done, others, err := t.takeAndAct(set, d)
		switch {
		// An observation that failed may succeed in a moment; until the deadline it is repeated.
		case err != nil && provider.Repeats(err) && t.engine.Clock().Before(late):
			pause.wait(t.apply, t.hard, t.toStart)
			continue
		case err != nil:
			out.Status, out.Err, out.Cause = Unprepared, err, provider.CauseOf(err)
			out.Detail = err.Error()
			return out, false
		case others == nil:
			return done, true
		}
		// Pending may end without an action, so it is waited for. A failure does not.
		down := others[0]
		if i := slices.IndexFunc(others, func(o resource.Observed) bool { return o.Health != resource.Pending }); i >= 0 {
			down = others[i]
		}
		if down.Health != resource.Pending || t.engine.Clock().After(late) {
			out.Status, out.On, out.Turn = WaitingFor, down.Ref, true
			out.Detail = fmt.Sprintf("%s is %s%s; %d of the %d of %s may be unavailable",
				down.Ref.Short(), down.Health, parts.Because(down.Message), d.Turn.Most, d.Turn.Size, d.Turn.Of)
			return out, false
		}
		tell(down)
		pause.wait(t.apply, t.hard, t.toStart)
	}
	if !t.stopped() {
		out = left(d)
	}
	return out, false
}

// telling returns a function that tells which resource an apply waits for now, the zero one that it no
// longer waits.
func (t *turns) telling() func(resource.Observed) {
	var told resource.Ref
	return func(o resource.Observed) {
		if t.o.Waits == nil {
			return
		}
		if told != o.Ref && !told.IsZero() {
			t.o.Waits(told, "")
		}
		if told = o.Ref; !told.IsZero() {
			t.o.Waits(told, string(o.Health)+parts.Because(o.Message))
		}
	}
}

// take assigns the turn to a resource if few enough others are not in service, else it returns the
// resources that are down. A resource that is not in service itself is not interrupted, so it has
// its turn at once. Open actions of all instances count as down, whatever the observation shows.
func (t *turns) take(set *turnsOfSet, d *decider.Decision) (down []resource.Observed, err error) {
	set.mu.Lock()
	defer set.mu.Unlock()
	members := t.members[resource.SetOf(d.Desired)]
	found, err := t.observeReady(d.Ref, func(r resource.Ref) bool { return slices.Contains(members, r) })
	if err != nil {
		return nil, err
	}
	opens, err := t.engine.Ledger.OpenActions(t.hard)
	if err != nil {
		return nil, t.readFailed(t.hard, err)
	}
	changed := func(ref resource.Ref) bool {
		return set.now[ref] || slices.ContainsFunc(opens, func(o ledger.OpenAction) bool { return o.Ref == ref })
	}
	serving := false
	for _, ref := range members {
		o, exists := found[ref]
		switch {
		case exists && t.serves(&o) && ref == d.Ref:
			serving = true
		case ref == d.Ref:
		case changed(ref):
			down = append(down, resource.Observed{Ref: ref, Health: resource.Pending, Message: "it is being changed"})
		case !exists:
			down = append(down, resource.Observed{Ref: ref, Health: resource.Unclear, Message: "it does not exist"})
		case !t.serves(&o):
			down = append(down, o)
		}
	}
	if serving && len(down) >= d.Turn.Most {
		return down, nil
	}
	set.now[d.Ref] = true
	return nil, nil
}

// serves reports whether a resource is in service, or stopped according to its configuration.
func (t *turns) serves(o *resource.Observed) bool {
	return o.Condition != resource.Unreadable &&
		(o.Health == resource.Healthy || o.Health == "" || plan.StoppedAsConfigured(t.plan.Intents, o))
}

// awaitService waits until a resource that was interrupted is in service again, if others wait for that.
// Those do not start if it is not.
func (t *turns) awaitService(d *decider.Decision, out Outcome) Outcome {
	if !out.Status.good() || !t.awaited[d.Ref] {
		return out
	}
	kind := t.engine.Kind(d.Ref)
	started := t.engine.Clock()
	most := t.pends(d.Ref, create, kind)
	tell := t.telling()
	defer tell(resource.Observed{})
	for pause := (pauses{}); out.unready == nil; {
		found, err := t.observeReady(d.Ref, func(r resource.Ref) bool { return r == d.Ref })
		o, exists := found[d.Ref]
		if err == nil && !exists {
			o = resource.Observed{Ref: d.Ref, Health: resource.Failing, Message: "it does not exist"}
		}
		if err == nil && !t.serves(&o) {
			tell(o)
		}
		late := t.engine.Clock().Sub(started) >= most
		switch {
		case err == nil && t.serves(&o):
			return out
		case err == nil && o.Health == resource.Failing:
			out.unready = fmt.Errorf("is failing%s", parts.Because(o.Message))
		case err != nil && (late || !provider.Repeats(err)):
			out.unready = fmt.Errorf("could not be observed: %w", err)
		case late:
			out.unready = fmt.Errorf("is still %s%s after %s", o.Health, parts.Because(o.Message), most)
		case !pause.wait(t.apply, t.hard, t.toStart):
			return out // nothing more starts
		}
	}
	return out
}

// observeReady observes managed resources of the kind of one, and asks their provider whether the healthy
// ones are in service. For a replacement in progress it returns the resource that is in service, else the
// new one.
func (t *turns) observeReady(
	ref resource.Ref, needed func(resource.Ref) bool,
) (map[resource.Ref]resource.Observed, error) {
	snapshot, err := t.engine.ObserveKind(t.hard, ref, needed, nil)
	if err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(slices.Clone(snapshot.Resources), func(o resource.Observed) bool {
		return o.Ref.Kind != ref.Kind || !o.Managed() || !needed(o.Ref)
	})
	if r, ok := t.engine.Providers[ref.Provider].(provider.Readier); ok {
		if all, err = r.Ready(t.hard, all); err != nil {
			return nil, t.engine.Conceal(err)
		}
	}
	out := make(map[resource.Ref]resource.Observed, len(all))
	for _, o := range all {
		if other, two := out[o.Ref]; !two || !t.serves(&other) && (t.serves(&o) || o.Role != resource.RoleOld) {
			out[o.Ref] = o
		}
	}
	return out, nil
}
