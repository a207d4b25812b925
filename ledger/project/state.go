package project

import (
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
)

// isDown reports whether a resource is known not to be in service. A resource that is not managed
// never is: no plan waits for it. Unknown health does not count either, because it may be in
// service.
func isDown(o *resource.Observed) bool {
	switch o.Health {
	case resource.Pending, resource.Stopped, resource.Failing:
		return o.Managed()
	}
	return false
}

// downTable is the value of down/<scope> while it is changed.
type downTable struct {
	rows    map[resource.Ref]rows.Down
	at      time.Time
	changed bool
}

// note records the health of a resource; nil is one that is gone. Since is the time of the present
// health, Down the time since the resource was last in service; changing from pending to failing
// keeps Down.
func (t *downTable) note(ref resource.Ref, o *resource.Observed) {
	was, known := t.rows[ref]
	switch {
	case o != nil && isDown(o) && was.Health == o.Health:
		return
	case o != nil && isDown(o):
		now := rows.Down{Health: o.Health, Since: t.at, Down: t.at}
		if known {
			now.Down = was.Down
		}
		t.rows[ref] = now
	case known:
		delete(t.rows, ref)
	default:
		return
	}
	t.changed = true
}

// noteDown changes down/<scope>, as of a time. One row holds the whole scope: it is small, because
// few resources are out of service at a time.
func (p *draft) noteDown(s resource.Scope, at time.Time, note func(*downTable)) error {
	t := &downTable{rows: map[resource.Ref]rows.Down{}, at: at}
	if _, err := p.load(rows.DownIn(s), &t.rows); err != nil {
		return err
	}
	switch note(t); {
	case !t.changed:
		return nil
	case len(t.rows) == 0:
		return p.delete(rows.DownIn(s))
	}
	return p.put(rows.DownIn(s), t.rows)
}

// observedDown records since when the resources of an observation are not healthy.
func (p *draft) observedDown(e event.Observed) error {
	if len(e.Changed)+len(e.Gone) == 0 {
		return nil
	}
	return p.noteDown(e.Scope, e.At, func(t *downTable) {
		for i := range e.Changed {
			t.note(e.Changed[i].Ref, &e.Changed[i])
		}
		for _, ref := range e.Gone {
			t.note(ref, nil)
		}
	})
}

// finishedDown does so for a resource that an action left, or deleted. A step of a replacement does not
// count: two resources have the name meanwhile.
func (p *draft) finishedDown(r event.Record, e event.Finished) error {
	if e.Step != "" || e.Resource == nil && !Deletes(e.Action, e.Phase, "") {
		return nil
	}
	return p.noteDown(e.Ref.Scope(), r.At, func(t *downTable) { t.note(e.Ref, e.Resource) })
}

// back adds the time for which a scope was offline, once it reports again: nothing in it was pending
// for that long.
func (p *draft) back(e event.Observed, s *rows.Scan) error {
	away := e.At.Sub(s.Confirmed)
	if !e.Complete || !s.Offline || s.Confirmed.IsZero() || away <= 0 {
		return nil
	}
	s.Away += away
	return p.noteDown(e.Scope, e.At, func(t *downTable) {
		for ref, d := range t.rows {
			if d.Health == resource.Pending && d.Since.Before(e.At) {
				d.Since = d.Since.Add(min(away, e.At.Sub(d.Since)))
				t.rows[ref], t.changed = d, true
			}
		}
	})
}

// restartsKept is the number of restarts that are kept for a resource: the budget counts no more.
const restartsKept = decider.RestartsMost

// restarted counts an action that starts because of the state of a resource. Another configuration starts
// the count again, because it may not have the fault that caused the restarts.
func (p *draft) restarted(r event.Record, e event.Started) error {
	if e.Reason != decider.ReasonState {
		return nil
	}
	key := rows.Of(rows.KeyRestarts, e.Ref)
	var all rows.Restarts
	if _, err := p.load(key, &all); err != nil {
		return err
	}
	if all.Desired != e.Desired {
		all = rows.Restarts{Desired: e.Desired}
	}
	all.At = append(all.At, r.At)
	all.At = all.At[max(0, len(all.At)-restartsKept):]
	return p.put(key, all)
}

// notRestarted forgets the last restart of a resource, which a transient error ended: the limit of restarts
// counts what ran and did not stay.
func (p *draft) notRestarted(ref resource.Ref) error {
	key := rows.Of(rows.KeyRestarts, ref)
	var all rows.Restarts
	if _, err := p.load(key, &all); err != nil || len(all.At) == 0 {
		return err
	}
	all.At = all.At[:len(all.At)-1]
	return p.put(key, all)
}

// setBack counts the values that an action set once more. A value that is set back again and again
// means that another system sets it, too; the count lets a plan stop that after some times. It
// starts again after FightWithin.
func (p *draft) setBack(r event.Record, e event.Started) error {
	if len(e.Undoes) == 0 {
		return nil
	}
	key := rows.Of(rows.KeyFights, e.Ref)
	var all rows.Fights
	if _, err := p.load(key, &all); err != nil {
		return err
	}
	if all.Desired != e.Desired || all.Values == nil {
		all = rows.Fights{Desired: e.Desired, Values: map[string]rows.Fight{}}
	}
	for path, found := range e.Undoes {
		g := all.Values[path]
		if g.Found != found || r.At.Sub(g.Last) >= decider.FightWithin {
			g = rows.Fight{Found: found}
		}
		g.Times, g.Last = g.Times+1, r.At
		all.Values[path] = g
	}
	return p.put(key, all)
}
