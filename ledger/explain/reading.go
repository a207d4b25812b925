package explain

import (
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/resource"
)

// read adds a record to the event it belongs to.
func (b *builder) read(r event.Record) {
	b.n++
	// names runs first: it decides to which resource the record belongs
	b.names(r)
	switch e := r.Event.(type) {
	case event.Approved:
		b.yes = append(b.yes, r)
	case event.Planned:
		b.planned(r, e)
	case event.Observed:
		b.observed(r, e)
	case event.Started:
		d := b.add(r, "action", "")
		d.plan, d.action = e.Plan, &action{record: r, started: e, cause: b.cause(e)}
	case event.Finished:
		b.finished(r, e)
	case event.ReplaceReverted:
		b.back = e.Why
		b.add(r, r.Event.Type(), phrase.Operator(r.Event))
	case event.ReplaceFinished:
		b.last = &replaced{e, r.At, b.back}
		b.back = ""
		b.add(r, r.Event.Type(), phrase.Operator(r.Event))
	case event.Recovered:
		if d := b.find(e.Key, "", ""); d != nil {
			d.cite(r)
			d.action.found = &e
		} else { // without its action, the finding is an event of its own
			b.add(r, "recovered", answered(e))
		}
	case event.Blocked:
		why, _ := blockers(e.Blockers)
		b.again(r, "blocked", verb(e.Proposed)+" blocked by "+why).plan = e.Plan
	case event.NotStarted:
		text := verb(e.Action) + " not started: " + e.Why
		if !e.On.IsZero() { // the resource that prevented it
			text += " for " + b.t.Ref(e.On)
		}
		b.again(r, "not_started", text+phrase.Because(e.Detail)).plan = e.Plan
	default:
		b.add(r, r.Event.Type(), phrase.Operator(r.Event))
	}
}

// names notes which resource has the name now. A move assigns the name to another resource or to none, and
// an adoption ends the effect of forget.
func (b *builder) names(r event.Record) {
	switch e := r.Event.(type) {
	case event.Moved:
		// the earlier records are about another resource, and do not explain this one
		b.since, b.seen, b.first, b.last, b.back, b.forgot = len(b.drafts), nil, nil, nil, "", nil
		clear(b.moved)
		b.left, b.came = &e, nil
		for _, m := range e.Halves() {
			if m.Ref == b.ref {
				b.left, b.came = nil, &m
			}
		}
	case event.Disowned:
		b.forgot = &r
	case event.Adopted, event.Started:
		b.left, b.forgot = nil, nil
	}
}

// planned keeps a plan, and adds an event if its decision on the resource is known. A plan that repeats
// another one lists no decisions: the decision comes from the plan that it names.
func (b *builder) planned(r event.Record, e event.Planned) {
	p := planned{record: r, event: e}
	if len(e.Decisions) > 0 {
		p.decision = &e.Decisions[0]
	} else if first, ok := b.plans[e.Same]; ok {
		p.decision = first.decision
	}
	if p.decision != nil && p.decision.Desired == nil { // a repeated decision is recorded without its position
		for id, q := range b.plans {
			same := id == e.Same || e.Hash != "" && q.event.Hash == e.Hash
			if same && q.decision != nil && q.decision.Desired != nil { // an earlier plan with the same decisions
				d := *p.decision
				d.Desired, p.decision = q.decision.Desired, &d
				break
			}
		}
	}
	b.plans[e.Plan] = p
	if p.decision != nil {
		title := "planned "
		if e.Mode == event.ForDrift {
			title = "drift found, planned "
		}
		title += b.t.decided(*p.decision)
		if c := b.t.changes(*p.decision); c != "" {
			title += " (" + c + ")"
		}
		b.again(r, "planned", title).plan = e.Plan
	}
}

// observed adds what an observation found that was not known before.
func (b *builder) observed(r event.Record, e event.Observed) {
	if len(e.Gone) > 0 {
		b.seen = nil
		b.later("it did not exist", r)
		if d := b.lastAction(); d != nil && deletes(d.action) && isOpen(d.action) {
			// The resource is gone once the delete is done, and the end of the delete is recorded next.
			d.cite(r)
			return
		}
		by := ""
		// the resource can also have been deleted by a request that took effect late
		if d := b.lateDelete(); d != nil {
			if d.cite(r); doneLate(d.action) {
				d.action.arrived = true
				return
			}
			by = ", or by the delete that " + orUnknown(d.action.record.User) + " started, which had been found not done"
		}
		b.add(r, deletedOutside, "deleted outside ovi"+by+": "+b.t.scope(b.ref)+" was read in full without it")
		return
	}
	if len(e.Changed) == 0 {
		return
	}
	now := e.Changed[0]
	if now.Condition == resource.Unreadable { // it exists; nothing else is known
		b.add(r, "observed", "could not be read: "+now.Message)
		return
	}
	was := b.seen
	b.seen = &now
	if was == nil {
		if b.first == nil {
			b.first = &r
		}
		b.later("it existed", r)
		b.add(r, "observed", fmt.Sprintf("first observed: %s, %s", phrase.ID(now.ID), now.Health))
		return
	}
	changes := WithoutBinding(Differ(*was, now))
	for _, c := range changes {
		b.changes(c.Name(), c.From)
	}
	if was.Health != now.Health {
		b.changes(resource.StatePath, resource.String(resource.StateOf(was.Health)))
	}
	if diff := b.t.words(changes); diff != "" {
		b.later(diff, r)
		title := "observed"
		d := b.lastAction()
		// an action without a final result may have made the difference, and so may a replacement
		mayBeOurs := d != nil && (isOpen(d.action) || mayArrive(d.action))
		if was.ID == now.ID && now.Role == "" && !mayBeOurs {
			var kind resource.Kind
			if b.t.Kinds != nil {
				kind, _ = b.t.Kinds(b.ref.Provider, b.ref.Kind)
			}
			if MadeOutside(changes, kind) {
				title = "changed outside ovi"
			}
		}
		b.add(r, "observed", title+": "+diff)
	}
}

// changes notes that a value changed since the last action, and which it was then. Later changes of the
// same value do not count: the value to compare with is the value after the action.
func (b *builder) changes(name string, was resource.Value) {
	if _, before := b.moved[name]; !before {
		b.moved[name] = was
	}
}

// later notes what was observed first after the newest action. Later observations are not noted, because
// they may show other causes.
func (b *builder) later(what string, r event.Record) {
	if d := b.lastAction(); d != nil && d.action.later == "" {
		d.action.later = phrase.Second(r.At) + ": " + what
	}
}

// finished adds a result to its action. If the start is not among the records, the result alone makes the
// action. If the resource was reported as deleted outside ovi, and this result shows that a delete took
// effect late, the report is removed. A success ends the comparison with earlier values.
func (b *builder) finished(r event.Record, e event.Finished) {
	d := b.find(e.Key, e.Phase, e.Step)
	if d == nil {
		d = b.add(r, "action", "")
		d.action = &action{
			record: r,
			started: event.Started{
				Plan: e.Plan, Ref: e.Ref, Key: e.Key, Action: e.Action, Phase: e.Phase, Step: e.Step, Token: e.Token,
			},
		}
		d.plan = e.Plan
	} else {
		d.cite(r)
	}
	d.action.ended, d.action.endAt, d.At, d.last = &e, r, r.At, b.n
	gone := b.lastSeen()
	if gone != nil && gone.What == deletedOutside && b.lateDelete() == d && doneLate(d.action) {
		b.drafts = slices.DeleteFunc(b.drafts, func(x *draft) bool { return x == gone }) // it had no other cause
		d.action.arrived = true
	}
	if e.Outcome == event.Done {
		clear(b.moved)
	}
	switch {
	case e.Step != "": // the observation after a step tells what exists
	case e.Outcome == event.Done && (e.Action == decider.Delete || e.Phase == event.PhaseDelete):
		b.seen = nil
	case e.Outcome == event.Done && e.Resource != nil:
		b.seen = e.Resource
	}
}
