package story

import (
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

// book gathers records into chapters, oldest first.
type book struct {
	t      Teller
	ref    resource.Ref
	plans  map[string]planned
	from   map[string]ledger.Loaded
	yes    []ledger.Record
	drafts []*draft
	seen   *resource.Observed        // as of the record read last
	first  *ledger.Record            // the look that saw it first
	here   string                    // whose log this is
	n      int                       // records read so far
	moved  map[string]resource.Value // what was seen different since the last deed, as it was then
}

// planned is a plan with what it decided on the thing.
type planned struct {
	record   ledger.Record
	event    ledger.Planned
	decision *ledger.Decision
}

// draft is a chapter being written.
type draft struct {
	Chapter
	plan  string // that it carried out, or held back
	deed  *deed
	times int // how often the same happened again and again
	last  int // which of the records read was its last
}

// deed is an action with its end, as far as one is known.
type deed struct {
	record ledger.Record
	began  ledger.Began
	ended  *ledger.Ended
	endAt  ledger.Record
	found  *ledger.Abandoned
	later  string // what was seen next
	cause  string // in words; empty: as the rule says
}

func newBook(t Teller, c ledger.Chronicle) *book {
	return &book{t: t, ref: c.Ref, plans: map[string]planned{}, from: c.Sources, here: c.Here, moved: map[string]resource.Value{}}
}

// read puts a record where it belongs.
func (b *book) read(r ledger.Record) {
	b.n++
	switch e := r.Event.(type) {
	case ledger.Approved:
		b.yes = append(b.yes, r)
	case ledger.Planned:
		b.planned(r, e)
	case ledger.Observed:
		b.observed(r, e)
	case ledger.Began:
		d := b.add(r, "deed", "")
		d.plan, d.deed = e.Plan, &deed{record: r, began: e, cause: b.cause(e)}
	case ledger.Ended:
		b.ended(r, e)
	case ledger.Abandoned:
		b.abandoned(r, e)
	case ledger.Vetoed:
		b.again(r, "held_back", string(e.Proposed)+" held back by "+vetoes(e.Vetoes)).plan = e.Plan
	case ledger.NotBegun:
		b.again(r, "not_begun", b.notBegun(e)).plan = e.Plan
	default:
		b.add(r, r.Event.Type(), act(r.Event))
	}
}

func (b *book) add(r ledger.Record, what, title string) *draft {
	d := &draft{Chapter: Chapter{At: r.At, What: what, Title: title}, times: 1, last: b.n}
	if b.here != "" && r.Instance != b.here {
		d.Instance = r.Instance
	}
	d.cite(r)
	b.drafts = append(b.drafts, d)
	return d
}

// again adds to the last chapter if that says the same.
func (b *book) again(r ledger.Record, what, title string) *draft {
	if n := len(b.drafts); n > 0 {
		for _, last := range slices.Backward(b.drafts) {
			if last.What == "planned" {
				continue // of the same held-back plan, made again
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

func (d *draft) cite(r ledger.Record) {
	if r.Seq != 0 {
		d.Records = append(d.Records, uint64(r.Seq))
	}
}

func (b *book) planned(r ledger.Record, e ledger.Planned) {
	p := planned{record: r, event: e}
	if len(e.Decisions) > 0 {
		p.decision = &e.Decisions[0]
	} else if first, ok := b.plans[e.Same]; ok {
		p.decision = first.decision
	}
	b.plans[e.Plan] = p
	if p.decision != nil {
		b.again(r, "planned", b.t.plannedTitle(e, *p.decision)).plan = e.Plan
	}
}

func (t Teller) plannedTitle(e ledger.Planned, d ledger.Decision) string {
	text := "planned "
	if e.Mode == ledger.ForDrift {
		text = "found drifted, planned "
	}
	text += t.decided(d)
	if c := t.changes(d); c != "" {
		text += " (" + c + ")"
	}
	return text
}

// observed tells what a look saw that was not known before.
func (b *book) observed(r ledger.Record, e ledger.Observed) {
	if len(e.Gone) > 0 {
		b.seen = nil
		b.later("it was gone", r)
		b.add(r, "gone", "seen gone: "+b.t.scope(b.ref)+" was seen whole, and it was not there")
		return
	}
	if len(e.Changed) == 0 {
		return
	}
	now := e.Changed[0]
	was := b.seen
	b.seen = &now
	if was == nil {
		if b.first == nil {
			b.first = &r
		}
		b.later("it was there", r)
		b.add(r, "seen", fmt.Sprintf("seen for the first time: %s, %s", now.ID, now.Health))
		return
	}
	for _, c := range Differ(*was, now) {
		if _, before := b.moved[c.Path]; !before {
			b.moved[c.Path] = c.From
		}
	}
	if diff := b.t.between(*was, now); diff != "" {
		b.later(diff, r)
		b.add(r, "seen", "seen different: "+diff)
	}
}

// later notes what was seen first after the newest deed.
func (b *book) later(what string, r ledger.Record) {
	if d := b.lastDeed(); d != nil && d.deed.later == "" {
		d.deed.later = stamp(r.At) + ": " + what
	}
}

func (b *book) ended(r ledger.Record, e ledger.Ended) {
	d := b.find(e.Key, e.Half)
	if d == nil {
		d = b.add(r, "deed", "")
		d.deed = &deed{record: r, began: ledger.Began{Plan: e.Plan, Ref: e.Ref, Stack: e.Stack, Key: e.Key, Action: e.Action, Half: e.Half, Token: e.Token}}
		d.plan = e.Plan
	} else {
		d.cite(r)
	}
	d.deed.ended, d.deed.endAt, d.At, d.last = &e, r, r.At, b.n
	if e.Outcome == ledger.Done {
		clear(b.moved)
	}
	switch {
	case e.Outcome == ledger.Done && (e.Action == decider.Delete || e.Half == ledger.HalfDelete):
		b.seen = nil
	case e.Outcome == ledger.Done && e.Thing != nil:
		b.seen = e.Thing
	}
}

func (b *book) abandoned(r ledger.Record, e ledger.Abandoned) {
	d := b.find(e.Key, "")
	if d == nil {
		b.add(r, "abandoned", answered(e))
		return
	}
	d.cite(r)
	d.deed.found = &e
}

// find is the newest deed with a key; half may be empty for any.
func (b *book) find(key, half string) *draft {
	for _, d := range slices.Backward(b.drafts) {
		if d.deed != nil && d.deed.began.Key == key && (half == "" || d.deed.began.Half == half) {
			return d
		}
	}
	return nil
}

func (b *book) lastDeed() *draft {
	for _, d := range slices.Backward(b.drafts) {
		if d.deed != nil {
			return d
		}
	}
	return nil
}

func (b *book) notBegun(e ledger.NotBegun) string {
	text := string(e.Action) + " not begun: " + e.Why
	if !e.On.IsZero() {
		text += ", on " + b.t.Ref(e.On)
	}
	return text + because(e.Detail)
}
