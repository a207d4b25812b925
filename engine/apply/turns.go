package apply

import (
	"fmt"
	"slices"
	"sync"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/parts"
	"github.com/ovi-project/ovi/engine/plan"
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

// turnsTaken are the resources of each set that this apply interrupts now. They count as not in service,
// however they are observed: a call may not have stopped its resource yet.
type turnsTaken struct {
	mu   sync.Mutex
	sets map[resource.Ref]*turnsOfSet
}

type turnsOfSet struct {
	mu  sync.Mutex // held while the set is observed for a turn
	now map[resource.Ref]bool
}

func (t *turnsTaken) of(set resource.Ref) *turnsOfSet {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sets == nil {
		t.sets = map[resource.Ref]*turnsOfSet{}
	}
	if t.sets[set] == nil {
		t.sets[set] = &turnsOfSet{now: map[resource.Ref]bool{}}
	}
	return t.sets[set]
}

func (s *turnsOfSet) end(ref resource.Ref) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.now, ref)
}

// inTurn performs a phase of a decision when it has its turn: once few enough others of its count are
// not in service, as observed then and not as planned. After the phase that puts it into service it waits until
// it is, if others wait for it.
func (a *apply) inTurn(d *decider.Decision, phase decider.Phase) Outcome {
	if d.Turn == nil || !d.Action.Executes() {
		return a.act(d, phase)
	}
	set := a.turns.of(resource.SetOf(d.Ref))
	if phase == firstPhase(d) {
		if waits := a.awaitTurn(set, d); waits != nil {
			return *waits
		}
	}
	out := a.act(d, phase)
	if phase == decider.CreatePhase || !out.Status.good() {
		out = a.awaitService(d, out)
		set.end(d.Ref)
	}
	return out
}

// firstPhase is the phase of a decision that is performed first.
func firstPhase(d *decider.Decision) decider.Phase {
	switch {
	case d.Action == decider.Delete, d.Action == decider.Replace && !d.Strategy.KeepsOld():
		return decider.DeletePhase
	}
	return decider.CreatePhase
}

// awaitTurn waits until a resource may be interrupted. It returns the outcome if it may not.
func (a *apply) awaitTurn(set *turnsOfSet, d *decider.Decision) *Outcome {
	out := &Outcome{Ref: d.Ref, Action: d.Action, Status: Interrupted, Detail: "the apply was interrupted first"}
	kind := a.engine.Kind(d.Ref)
	late := a.engine.Clock().Add(a.pends(d.Ref, update, kind))
	tell := a.waiting()
	defer tell(resource.Observed{})
	for pause := (pauses{}); !a.stopped(); {
		others, err := a.take(set, d)
		switch {
		case err != nil && provider.Recoverable(err) && a.engine.Clock().Before(late):
			pause.wait(a.hard, a.soft)
			continue
		case err != nil:
			out.Status, out.Err, out.Class = Failed, err, provider.ClassOf(err)
			out.Detail = "it was not started: " + err.Error()
			return out
		case others == nil:
			return nil
		}
		// Pending may end by itself: it is waited for. A failure does not.
		down := others[0]
		if i := slices.IndexFunc(others, func(o resource.Observed) bool { return o.Health != resource.Pending }); i >= 0 {
			down = others[i]
		}
		if down.Health != resource.Pending || a.engine.Clock().After(late) {
			out.Status, out.On, out.Turn = WaitingFor, down.Ref, true
			out.Detail = fmt.Sprintf("%s is %s%s; %d of the %d of %s may be unavailable", down.Ref.Short(), down.Health, parts.Because(down.Message), d.Turn.Most, d.Turn.Size, d.Turn.Of)
			return out
		}
		tell(down)
		pause.wait(a.hard, a.soft)
	}
	return out
}

// waiting returns a function that tells which resource an apply waits for now, the zero one that it no
// longer waits.
func (a *apply) waiting() func(resource.Observed) {
	var told resource.Ref
	return func(o resource.Observed) {
		if a.o.Waits == nil {
			return
		}
		if told != o.Ref && !told.IsZero() {
			a.o.Waits(told, "")
		}
		if told = o.Ref; !told.IsZero() {
			a.o.Waits(told, string(o.Health)+parts.Because(o.Message))
		}
	}
}

// take gives the turn to a resource if few enough others are not in service, else it returns those. What
// is not in service itself is not interrupted: it has its turn at once.
func (a *apply) take(set *turnsOfSet, d *decider.Decision) (down []resource.Observed, err error) {
	set.mu.Lock()
	defer set.mu.Unlock()
	of := resource.SetOf(d.Ref)
	found, err := a.observeReady(d.Ref, func(r resource.Ref) bool { return resource.SetOf(r) == of })
	if err != nil {
		return nil, err
	}
	serving := false
	for i := range d.Turn.Size {
		ref := resource.MemberOf(of, i)
		o, exists := found[ref]
		switch {
		case exists && a.serves(&o) && ref == d.Ref:
			serving = true
		case ref == d.Ref:
		case set.now[ref]:
			down = append(down, resource.Observed{Ref: ref, Health: resource.Pending, Message: "it is being changed"})
		case !exists:
			down = append(down, resource.Observed{Ref: ref, Health: resource.Unclear, Message: "it does not exist"})
		case !a.serves(&o):
			down = append(down, o)
		}
	}
	if serving && len(down) >= d.Turn.Most {
		return down, nil
	}
	set.now[d.Ref] = true
	return nil, nil
}

// serves reports whether a resource is in service, or stopped as it is configured.
func (a *apply) serves(o *resource.Observed) bool {
	return o.Unread == "" && (o.Health == resource.Healthy || o.Health == "" || plan.StoppedAsConfigured(a.plan.Intents, o))
}

// awaitService waits until a resource that was interrupted is in service again, if others wait for that.
// Those do not start if it is not.
func (a *apply) awaitService(d *decider.Decision, out Outcome) Outcome {
	if !out.Status.good() || !a.awaited[d.Ref] {
		return out
	}
	kind := a.engine.Kind(d.Ref)
	started := a.engine.Clock()
	most := a.pends(d.Ref, create, kind)
	tell := a.waiting()
	defer tell(resource.Observed{})
	for pause := (pauses{}); out.unready == nil; {
		o, err := a.readiness(d.Ref)
		if err == nil && !a.serves(&o) {
			tell(o)
		}
		late := a.engine.Clock().Sub(started) >= most
		switch {
		case err == nil && a.serves(&o):
			return out
		case err == nil && o.Health == resource.Failing:
			out.unready = fmt.Errorf("is failing%s", parts.Because(o.Message))
		case err != nil && (late || !provider.Recoverable(err)):
			out.unready = fmt.Errorf("could not be observed: %w", err)
		case late:
			out.unready = fmt.Errorf("is still %s%s after %s", o.Health, parts.Because(o.Message), most)
		case !pause.wait(a.hard, a.soft):
			return out // nothing more starts
		}
	}
	return out
}

// readiness observes a resource, and whether it is in service.
func (a *apply) readiness(ref resource.Ref) (resource.Observed, error) {
	found, err := a.observeReady(ref, func(r resource.Ref) bool { return r == ref })
	if err != nil {
		return resource.Observed{}, err
	}
	if o, exists := found[ref]; exists {
		return o, nil
	}
	return resource.Observed{Ref: ref, Health: resource.Failing, Message: "it does not exist"}, nil
}

// observeReady observes managed resources of the kind of one, and asks their provider whether those that are
// healthy are in service. Of a replacement in progress it gives the resource that is in service, else the new one.
func (a *apply) observeReady(ref resource.Ref, needed func(resource.Ref) bool) (map[resource.Ref]resource.Observed, error) {
	snapshot, err := a.engine.ObserveKind(a.hard, ref, needed, nil)
	if err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(slices.Clone(snapshot.Resources), func(o resource.Observed) bool {
		return o.Ref.Kind != ref.Kind || !o.Managed() || !needed(o.Ref)
	})
	if r, ok := a.engine.Providers[ref.Provider].(provider.Readier); ok {
		if all, err = r.Ready(a.hard, all); err != nil {
			return nil, err
		}
	}
	out := make(map[resource.Ref]resource.Observed, len(all))
	for _, o := range all {
		if other, two := out[o.Ref]; !two || !a.serves(&other) && (a.serves(&o) || o.Role != resource.RoleOld) {
			out[o.Ref] = o
		}
	}
	return out, nil
}
