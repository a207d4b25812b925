package explain

import (
	"cmp"
	"slices"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/resource"
)

// builder gathers records into events, oldest first.
type builder struct {
	t      Explainer
	ref    resource.Ref
	plans  map[string]planned
	from   map[string]event.Loaded
	yes    []event.Record
	drafts []*draft
	seen   *resource.Observed        // as of the record read last
	first  *event.Record             // the observation that found it first
	here   string                    // whose audit log this is
	last   *replaced                 // the last replacement that ended
	back   string                    // why the replacement that is read goes back
	n      int                       // records read so far
	since  int                       // the drafts before it are about another resource, which had the name
	came   *event.Moved              // the resource got the name; nil if it was created or adopted with it
	left   *event.Moved              // the resource got another name; nil if the name was used since
	forgot *event.Record             // it was forgotten; nil if it was adopted or created since
	moved  map[string]resource.Value // earlier values of attributes that changed since the last action
}

// replaced is a replacement that ended.
type replaced struct {
	event.ReplaceFinished
	at  time.Time
	why string // it was reverted
}

// planned is a plan with its decision on the resource.
type planned struct {
	record   event.Record
	event    event.Planned
	decision *event.Decision
}

// draft is an event while its records are read.
type draft struct {
	EventGroup
	plan   string // that it belongs to
	action *action
	times  int // how often the same happened in a row
	last   int // which of the records read was its last
}

// action is an action with its known result.
type action struct {
	record  event.Record
	started event.Started
	ended   *event.Finished
	endAt   event.Record
	found   *event.Recovered
	arrived bool   // it took effect after it had been found not done
	later   string // what was observed next
	cause   string // in words; if empty, the reason is shown
}

func newBuilder(t Explainer, c history.ResourceHistory) *builder {
	return &builder{
		t: t, ref: c.Ref, plans: map[string]planned{}, from: c.Sources, here: c.Here,
		moved: map[string]resource.Value{},
	}
}

// current are the drafts about the resource that has the name now.
func (b *builder) current() []*draft { return b.drafts[b.since:] }

// add appends an event with its first record. A record of another instance is marked, because its number belongs to
// another log.
func (b *builder) add(r event.Record, what, title string) *draft {
	d := &draft{EventGroup: EventGroup{At: r.At, What: what, Title: title}, times: 1, last: b.n}
	if b.here != "" && r.Instance != b.here {
		d.Instance = r.Instance
	}
	d.cite(r)
	b.drafts = append(b.drafts, d)
	return d
}

// again adds to the last event if that is the same. A loop that cannot act repeats its block in each cycle: the
// blocks become one event with a count.
func (b *builder) again(r event.Record, what, title string) *draft {
	if n := len(b.drafts); n > 0 {
		for _, last := range slices.Backward(b.drafts) {
			if last.What == "planned" {
				continue // the same blocked plan, made again
			}
			if last.What == what && last.Title == title {
				last.times++
				last.At, last.last = r.At, b.n
				last.cite(r)
				return last
			}
			break
		}
	}
	return b.add(r, what, title)
}

// cite adds the number of a record. A record that was restored from the store has no number.
func (d *draft) cite(r event.Record) {
	if r.Seq != 0 {
		d.Records = append(d.Records, uint64(r.Seq))
	}
}

// find is the newest action with a key; phase and step may be empty for any.
func (b *builder) find(key, phase, step string) *draft {
	for _, d := range slices.Backward(b.drafts) {
		if d.action != nil && d.action.started.Key == key && (phase == "" || d.action.started.Phase == phase) &&
			(step == "" || d.action.started.Step == step) {
			return d
		}
	}
	return nil
}

// lastAction is the newest action on the resource that has the name now, whatever its result; nil if there is none.
func (b *builder) lastAction() *draft {
	for _, d := range slices.Backward(b.current()) {
		if d.action != nil {
			return d
		}
	}
	return nil
}

// lastPlan is the newest plan of the records. If two have one time, it is the plan that was recorded later.
func (b *builder) lastPlan() (found planned, ok bool) {
	for _, p := range b.plans {
		if !ok || cmp.Or(p.record.At.Compare(found.record.At), cmp.Compare(p.record.Seq, found.record.Seq)) > 0 {
			found, ok = p, true
		}
	}
	return found, ok
}

// lastOf is the newest event of a type.
func (b *builder) lastOf(what string) *draft {
	for _, d := range slices.Backward(b.current()) {
		if d.What == what {
			return d
		}
	}
	return nil
}

// lastChange is the newest action that succeeded: a planned one if there is any, since the others
// only write marks.
func (b *builder) lastChange() (found *draft) {
	for _, d := range slices.Backward(b.current()) {
		if d.action == nil || !succeeded(d.action) {
			continue
		}
		if b.plans[d.plan].decision != nil {
			return d
		}
		if found == nil {
			found = d
		}
	}
	return found
}

// lastSeen is the newest event that says how the resource was, or that changed it.
func (b *builder) lastSeen() *draft {
	for _, d := range slices.Backward(b.current()) {
		if d.What == "observed" || d.What == deletedOutside || d.action != nil && succeeded(d.action) {
			return d
		}
	}
	return nil
}

// lateDelete is a delete of the present resource that was found not done and may take effect later; nil if there is
// none. The search ends at a later delete, create or replacement that succeeded, because the name has another
// resource, or none, since then.
func (b *builder) lateDelete() *draft {
	for _, d := range slices.Backward(b.current()) {
		switch x := d.action; {
		case x == nil:
		case deletes(x) && mayArrive(x):
			return d
		case succeeded(x) && (deletes(x) || x.started.Action == decider.Create || x.started.Action == decider.Replace):
			return nil
		}
	}
	return nil
}
