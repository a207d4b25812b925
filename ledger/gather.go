package ledger

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// gatherer collects the records for a Chronicle in one pass over the log, and decodes of it
// only what may matter.
type gatherer struct {
	ref       resource.Ref
	own       []Record   // that name the thing
	context   []Record   // what was read and who said yes, of whatever plan
	plans     []planSeen // all, cut down to the thing
	decisions map[string]Decision
}

type planSeen struct {
	record Record
	event  Planned
}

func (g *gatherer) readLog(ctx context.Context, l *Ledger) error {
	quoted, err := marshal(g.ref)
	if err != nil {
		return err
	}
	needle := bytes.Trim(quoted, `"`)
	g.decisions = map[string]Decision{}
	for b, err := range l.log.Read(0) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		for i, raw := range b.Records {
			if !bytes.Contains(raw, needle) && !isContext(raw) {
				continue
			}
			r, err := DecodeRecord(raw)
			if r.Seq = b.First + seq(i); err != nil {
				return fmt.Errorf("record %d: %w", r.Seq, err)
			}
			g.take(r)
		}
	}
	return nil
}

// isContext finds, without decoding, records that plans rest on. What it finds too much is
// left out later.
func isContext(raw []byte) bool {
	for _, name := range []string{`"event":"planned"`, `"event":"approved"`, `"event":"loaded"`} {
		if bytes.Contains(raw, []byte(name)) {
			return true
		}
	}
	return false
}

// take keeps what a record says of the thing.
func (g *gatherer) take(r Record) {
	switch e := r.Event.(type) {
	case Loaded, Approved:
		g.context = append(g.context, r)
	case Planned:
		i := slices.IndexFunc(e.Decisions, func(d Decision) bool { return d.Ref == g.ref })
		if e.Decisions = nil; i >= 0 {
			d := r.Event.(Planned).Decisions[i]
			e.Decisions, g.decisions[e.Plan] = []Decision{d}, d
		}
		r.Event = e
		g.plans = append(g.plans, planSeen{r, e})
		if _, decides := g.decisions[listed(e)]; decides {
			g.own = append(g.own, r)
		}
	case Observed:
		if e, ok := g.cut(e); ok {
			r.Event = e
			g.own = append(g.own, r)
		}
	default:
		if e.About() == g.ref {
			g.own = append(g.own, r)
		}
	}
}

// cut leaves of a look what it says of the thing; false if that is nothing.
func (g *gatherer) cut(e Observed) (Observed, bool) {
	i := slices.IndexFunc(e.Changed, func(o resource.Observed) bool { return o.Ref == g.ref })
	gone := slices.Contains(e.Gone, g.ref)
	changed := e.Changed
	e.Changed, e.Gone, e.Odd = nil, nil, nil
	if i >= 0 {
		e.Changed = []resource.Observed{changed[i]}
	}
	if gone {
		e.Gone = []resource.Ref{g.ref}
	}
	return e, i >= 0 || gone
}

// addStored adds what only the store knows: what other instances did, and what the log no
// longer has. A batch and its revision have the same time.
func (g *gatherer) addStored(moments []Moment) {
	ids, times := map[string]bool{}, map[time.Time]bool{}
	for _, r := range g.own {
		ids[r.ID], times[r.At] = true, true
	}
	for _, m := range moments {
		for _, r := range m.Records {
			e, isPlan := r.Event.(Planned)
			if _, known := g.decisions[e.Plan]; isPlan && !known {
				g.decisions[e.Plan] = e.Decisions[0]
				g.own, g.plans = append(g.own, r), append(g.plans, planSeen{r, e})
			} else if !isPlan && !ids[r.ID] {
				g.own = append(g.own, r)
			}
		}
		if r, ok := g.seenThen(m); ok && !times[m.At] {
			g.own = append(g.own, r)
		}
	}
	byTime := func(a, b Record) int { return a.At.Compare(b.At) }
	slices.SortStableFunc(g.own, byTime)
	slices.SortStableFunc(g.plans, func(a, b planSeen) int { return byTime(a.record, b.record) })
}

// seenThen is a look as the store kept it. What a deed left behind is no look.
func (g *gatherer) seenThen(m Moment) (Record, bool) {
	e := Observed{Scope: g.ref.Scope(), Looked: m.At, Complete: true, Part: 1, Of: 1}
	for _, r := range m.Records {
		if t := r.Event.Type(); t == TypeEnded || t == TypeAbandoned {
			return Record{}, false
		}
	}
	switch {
	case m.Gone:
		e.Gone = []resource.Ref{g.ref}
	case m.Seen != nil:
		e.Changed = []resource.Observed{*m.Seen}
	default:
		return Record{}, false
	}
	return Record{At: m.At, Event: e}, true
}

// addApprovals asks the store who said yes to plans of which the log does not tell it.
func (g *gatherer) addApprovals(ctx context.Context, l *Ledger) error {
	known := map[string]bool{}
	for _, r := range g.context {
		if e, ok := r.Event.(Approved); ok {
			known[e.Plan] = true
		}
	}
	for _, r := range g.own {
		e, ok := r.Event.(Began)
		if !ok || e.Plan == "" || known[e.Plan] {
			continue
		}
		known[e.Plan] = true
		var v struct {
			At    time.Time `json:"at"`
			User  string    `json:"user"`
			Run   string    `json:"run"`
			Event Approved  `json:"event"`
		}
		if found, err := l.load(ctx, keyYes+e.Plan, storage.Now, &v); err != nil {
			return err
		} else if found {
			g.context = append(g.context, Record{At: v.At, User: v.User, Run: v.Run, Event: v.Event})
		}
	}
	return nil
}

// records are those of the thing with what its plans rest on, oldest first.
func (g *gatherer) records() []Record {
	plans, digests, runs := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, r := range g.own {
		runs[r.Run] = true
		switch e := r.Event.(type) {
		case Planned:
			plans[e.Plan], digests[e.Digest], digests[e.Approving] = true, true, true
		case Began:
			plans[e.Plan] = true
		}
	}
	out := slices.Clone(g.own)
	for _, r := range g.context {
		switch e := r.Event.(type) {
		case Approved:
			if e.Digest == "" && plans[e.Plan] || e.Digest != "" && digests[e.Digest] {
				out = append(out, r)
			}
		case Loaded:
			if runs[r.Run] {
				out = append(out, r)
			}
		}
	}
	inOrder(out)
	return out
}

// inOrder sorts records: those of one log by their numbers, those of several by time.
func inOrder(records []Record) {
	one := !slices.ContainsFunc(records, func(r Record) bool { return r.Seq == 0 || r.Instance != records[0].Instance })
	slices.SortStableFunc(records, func(a, b Record) int {
		if one {
			return cmp.Compare(a.Seq, b.Seq)
		}
		return a.At.Compare(b.At)
	})
}
