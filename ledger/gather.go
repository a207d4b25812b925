package ledger

import (
	"cmp"
	"context"
	"slices"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// gatherer collects the records for a Chronicle. The store has the life of the thing under
// its own keys, and says which batches of the log the rest stands in; the log is opened
// there. Only what the store has forgotten is looked for in all of the log that is older.
type gatherer struct {
	l       *Ledger
	ref     resource.Ref
	clock   *clock
	pages   *pages
	told    []told
	plans   map[string]bool
	sources map[string]Loaded
	past    past
}

// told is a record with the revision it made; 0: older than what the store has kept.
type told struct {
	rev    storage.Revision
	record Record
}

func (l *Ledger) gather(ctx context.Context, ref resource.Ref, depth int) (*gatherer, error) {
	clock, err := l.clock(ctx)
	if err != nil {
		return nil, err
	}
	pages, err := l.pages(clock, ref, depth)
	if err != nil {
		return nil, err
	}
	g := &gatherer{l: l, ref: ref, clock: clock, pages: pages, plans: map[string]bool{}, sources: map[string]Loaded{}}
	g.past = past{g: g, read: map[string]Loaded{}, decided: map[string]Decision{}}
	if err := g.older(ctx); err != nil {
		return g, err
	}
	if err := g.life(ctx); err != nil {
		return g, err
	}
	g.inOrder()
	if err := g.rests(ctx); err != nil {
		return g, err
	}
	g.inOrder()
	return g, nil
}

// inOrder sorts by when a record reached the store, which is one order for all instances, and
// within a batch by its number. Clocks of two hosts need not agree.
func (g *gatherer) inOrder() {
	slices.SortStableFunc(g.told, func(a, b told) int {
		return cmp.Or(cmp.Compare(a.rev, b.rev), cmp.Compare(a.record.Seq, b.record.Seq))
	})
}

func (g *gatherer) add(r storage.Revision, record Record) {
	g.told = append(g.told, told{r, record})
	if e, ok := record.Event.(Planned); ok {
		g.plans[e.Plan] = true
	}
}

// life is what the store kept of the thing, the newest first while there are pages of the
// log left to open. A look and a decision have no more in the store than their content; what
// was done is told there as in the log.
func (g *gatherer) life(ctx context.Context) error {
	moments, err := g.l.history(ctx, g.ref, g.clock)
	if err != nil && (len(moments) > 0 || len(g.told) == 0) {
		return err
	}
	known, looked := map[string]bool{}, false
	for _, t := range g.told {
		known[t.record.ID] = true
		if _, ok := t.record.Event.(Observed); ok {
			looked = true
		}
	}
	for _, m := range slices.Backward(moments) {
		if m.Revision > g.clock.oldest && g.inLog(m) {
			records, ok, err := g.pages.at(ctx, m.Revision)
			if err != nil {
				return err
			}
			if ok && len(records) > 0 {
				for _, r := range records {
					g.add(m.Revision, r)
				}
				continue
			}
		}
		if err := g.stored(ctx, m, known, looked); err != nil {
			return err
		}
	}
	return nil
}

// inLog says that the log knows more of a moment than the store.
func (g *gatherer) inLog(m Moment) bool {
	return len(m.Records) == 0 || slices.ContainsFunc(m.Records, func(r Record) bool { return r.Event.Type() == TypePlanned })
}

// stored tells a moment as the store has it. Of what it had when it forgot the rest, only
// that is new which the log does not tell.
func (g *gatherer) stored(ctx context.Context, m Moment, known map[string]bool, looked bool) error {
	base := m.Revision <= g.clock.oldest
	for _, r := range m.Records {
		e, isPlan := r.Event.(Planned)
		switch {
		case isPlan && g.plans[e.Plan], !isPlan && known[r.ID]:
			continue
		case isPlan:
			stack := stackOf(e)
			v, made, err := g.l.planAt(ctx, stack, max(m.Revision, g.clock.oldest))
			if err != nil {
				return err
			}
			t, _, err := g.clock.of(ctx, m.Revision)
			if err != nil {
				return err
			}
			if r.Instance = t.instance; made == m.Revision && v.Plan == e.Plan {
				e.Hash, e.Digest, e.Approving = v.Hash, v.Digest, v.Approving
				r.Event = e
			}
		default:
			r = restored(r, m.Seen)
		}
		g.add(m.Revision, r)
	}
	if r, ok := g.seenThen(m); ok && !(base && looked) {
		t, exact, err := g.clock.of(ctx, m.Revision)
		if err != nil {
			return err
		}
		if exact {
			r.Instance = t.instance
		}
		g.add(m.Revision, r)
	}
	return nil
}

// restored gives the end of an action what the store keeps elsewhere.
func restored(r Record, thing *resource.Observed) Record {
	if e, ok := r.Event.(Ended); ok && e.Outcome == Done && e.Thing == nil {
		e.Thing = thing
		r.Event = e
	}
	return r
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
