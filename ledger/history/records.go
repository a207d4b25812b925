package history

import (
	"cmp"
	"context"
	"slices"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// historyReader collects the records of a ResourceHistory. The store has the life of the resource under its
// own keys, and says which batches of the log have the rest; only those are read. The older part of the log
// is searched only for records that the store no longer has.
type historyReader struct {
	l       *Reader
	ref     resource.Ref
	clock   *logClock
	pages   *batchReader
	told    []revisionRecord
	plans   map[string]bool
	sources map[string]event.Loaded
	past    past
}

// revisionRecord is a record with the revision that it made; 0 means that the store no longer has the
// revision.
type revisionRecord struct {
	rev    storage.Revision
	record event.Record
}

// gather collects the records in the order in which they reached the store. The older part of the log comes
// first: life then adds only records that it does not have. The result is not nil after an error of a later
// step: the caller closes its picker.
func (l *Reader) gather(ctx context.Context, ref resource.Ref, depth int) (*historyReader, error) {
	clock, err := l.clock(ctx)
	if err != nil {
		return nil, err
	}
	pages, err := l.pages(clock, ref, depth)
	if err != nil {
		return nil, err
	}
	g := &historyReader{
		l: l, ref: ref, clock: clock, pages: pages, plans: map[string]bool{}, sources: map[string]event.Loaded{},
	}
	g.past = past{g: g, read: map[string]event.Loaded{}, decided: map[string]event.Decision{}}
	if err := g.logFallback(ctx); err != nil {
		return g, err
	}
	if err := g.life(ctx); err != nil {
		return g, err
	}
	g.inOrder()
	if err := g.relatedPlans(ctx); err != nil {
		return g, err
	}
	g.inOrder()
	return g, nil
}

// inOrder sorts by when a record reached the store, which is one order for all instances, and
// within a batch by its number. Clocks of two hosts need not agree.
func (g *historyReader) inOrder() {
	slices.SortStableFunc(g.told, func(a, b revisionRecord) int {
		return cmp.Or(cmp.Compare(a.rev, b.rev), cmp.Compare(a.record.Seq, b.record.Seq))
	})
}

// add adds a record with its revision. A plan is remembered, so that it is not searched for again.
func (g *historyReader) add(r storage.Revision, record event.Record) {
	g.told = append(g.told, revisionRecord{r, record})
	if e, ok := record.Event.(event.Planned); ok {
		g.plans[e.Plan] = true
	}
}

// life adds the store's revisions of the resource, the newest first while batches of the log may be read.
// The store has only the content of observations and decisions, and the records of actions.
func (g *historyReader) life(ctx context.Context) error {
	moments, err := g.l.history(ctx, g.ref, g.clock)
	if err != nil && (len(moments) > 0 || len(g.told) == 0) {
		return err
	}
	known, observed := map[string]bool{}, false
	for _, t := range g.told {
		known[t.record.ID] = true
		if _, ok := t.record.Event.(event.Observed); ok {
			observed = true
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
		if err := g.stored(ctx, m, known, observed); err != nil {
			return err
		}
	}
	return nil
}

// inLog reports whether the log has more of a moment than the store. The store has the records of actions,
// but no record of an observation, and only one decision of a plan.
func (g *historyReader) inLog(m Moment) bool {
	return len(m.Records) == 0 ||
		slices.ContainsFunc(m.Records, func(r event.Record) bool { return r.Event.Type() == event.TypePlanned })
}

// stored adds a moment from the store. The oldest revision adds only content that the log does not
// have. A record from the store has no number in the log, and a plan has only its decision on this
// resource.
func (g *historyReader) stored(ctx context.Context, m Moment, known map[string]bool, observed bool) error {
	base := m.Revision <= g.clock.oldest
	for _, r := range m.Records {
		e, isPlan := r.Event.(event.Planned)
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
			// The store has the resource of a finished action under another key.
			if f, ok := r.Event.(event.Finished); ok && f.Outcome == event.Done && f.Resource == nil {
				f.Resource = m.Seen
				r.Event = f
			}
		}
		g.add(m.Revision, r)
	}
	if r, ok := g.seenThen(m); ok && !(base && observed) {
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

// seenThen returns an observation from the store. The result of an action is not an observation. An
// operator's record that changed the row, such as a move, is not one either.
func (g *historyReader) seenThen(m Moment) (event.Record, bool) {
	e := event.Observed{Scope: g.ref.Scope(), At: m.At, Complete: true, Part: 1, Of: 1}
	for _, r := range m.Records {
		switch r.Event.(type) {
		case event.Finished, event.Recovered, event.Disowned, event.Moved:
			return event.Record{}, false
		}
	}
	switch {
	case m.Gone:
		e.Gone = []resource.Ref{g.ref}
	case m.Seen != nil:
		e.Changed = []resource.Observed{*m.Seen}
	default:
		return event.Record{}, false
	}
	return event.Record{At: m.At, Event: e}, true
}
