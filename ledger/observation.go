package ledger

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

const (
	partSize  = 4096 // things in one record of a big look
	errorSize = 4096 // of a failed look's error on record
)

// ObservationOptions say what must be known of a look to record it.
type ObservationOptions struct {
	// Since is the revision when the look began: what was recorded after it is newer than
	// the look and stays. Negative: nothing was.
	Since storage.Revision
	// Young refuses, with a *YoungError, a look that misses a thing which was made or
	// changed within this time: most likely it is not listed yet. 0: never.
	Young time.Duration
	// Before are events that stand in front of the looks, in the same batch.
	Before []event.Event
}

// YoungError says that a look misses things that have only just been made. Nothing was
// recorded. Look again.
type YoungError struct{ Refs []resource.Ref }

func (e *YoungError) Error() string {
	return fmt.Sprintf("ledger: %s was created just now and is not listed yet", e.Refs[0])
}

// RecordObservation records what one look saw, one Observed a scope (more for a big one), as one
// batch: only what is new, different or gone since. A failed scope makes nothing gone.
func (l *Ledger) RecordObservation(ctx context.Context, w resource.LiveState, o ObservationOptions) (Receipt, error) {
	return l.submit(ctx, &request{build: func(ctx context.Context) ([]event.Event, error) {
		observations, err := l.observations(ctx, w, o)
		return append(slices.Clone(o.Before), observations...), err
	}})
}

// observations turns a world into events: what is new, different or gone, scope by scope.
func (l *Ledger) observations(ctx context.Context, w resource.LiveState, o ObservationOptions) ([]event.Event, error) {
	touched, err := l.touched(ctx, o.Since)
	if err != nil {
		return nil, err
	}
	var events []event.Event
	var young []resource.Ref
	for _, s := range scopesOf(w) {
		if snapshot, ok := w.Scopes[s]; ok {
			d := delta{touched: touched}
			if err := d.compare(ctx, l.store, snapshot); err != nil {
				return nil, err
			}
			if young, err = l.young(ctx, young, d.gone, o.Young); err != nil {
				return nil, err
			}
			events = append(events, d.events(snapshot)...)
			continue
		}
		text := w.Unreachable[s].Error()
		events = append(events, event.Observed{Scope: s, At: l.cfg.Clock().UTC().Round(0), Error: text[:min(len(text), errorSize)], Part: 1, Of: 1})
	}
	if len(young) > 0 {
		return nil, &YoungError{young}
	}
	return events, nil
}

// young adds those of the things gone that this record says were made or changed just now.
func (l *Ledger) young(ctx context.Context, young, gone []resource.Ref, within time.Duration) ([]resource.Ref, error) {
	if within <= 0 {
		return young, nil
	}
	for _, ref := range gone {
		var list []rows.Action
		found, err := l.Load(ctx, rows.KeyActions+ref.String(), storage.Now, &list)
		if err != nil {
			return nil, err
		}
		if !found || len(list) == 0 {
			continue
		}
		r, err := event.DecodeRecord(list[len(list)-1].Record)
		if err != nil {
			return nil, err
		}
		if e, ok := r.Event.(event.Finished); ok && e.Outcome == event.Done && l.cfg.Clock().Sub(r.At) < within {
			young = append(young, ref)
		}
	}
	return young, nil
}

func scopesOf(w resource.LiveState) []resource.Scope {
	var out []resource.Scope
	for s := range w.Scopes {
		out = append(out, s)
	}
	for s := range w.Unreachable {
		out = append(out, s)
	}
	slices.SortFunc(out, resource.Scope.Compare)
	return out
}

// touched are the things on which something was recorded after a revision: a look that began
// there does not know of it.
func (l *Ledger) touched(ctx context.Context, since storage.Revision) (map[string]bool, error) {
	if since < 0 {
		return nil, nil
	}
	out := map[string]bool{}
	for e, err := range l.store.Changes(ctx, rows.KeyResource, since, storage.Now) {
		if err != nil {
			return nil, fmt.Errorf("ledger: what was recorded since revision %d: %w", since, err)
		}
		out[e.Key] = true
	}
	return out, nil
}

// events are one Observed, or several if much has changed.
func (d *delta) events(s resource.Snapshot) []event.Event {
	base := event.Observed{Scope: s.Scope, At: s.At.UTC().Round(0), Complete: true, Count: len(s.Resources), Stacks: stacksOf(s), Kinds: s.Complete, Unreachable: textsOf(s.Unreachable)}
	gone := slices.Collect(slices.Chunk(d.gone, partSize))
	out := make([]event.Event, max(1, len(d.changed), len(gone)))
	for i := range out {
		e := base
		e.Part, e.Of = i+1, len(out)
		if i == 0 {
			e.Displaced = d.odd
		}
		if i < len(d.changed) {
			e.Changed = d.changed[i]
		}
		if i < len(gone) {
			e.Gone = gone[i]
		}
		out[i] = e
	}
	return out
}

// textsOf says why kinds could not be read; nil where all were.
func textsOf(errs map[string]error) map[string]string {
	if len(errs) == 0 {
		return nil
	}
	out := make(map[string]string, len(errs))
	for kind, err := range errs {
		text := err.Error()
		out[kind] = text[:min(len(text), errorSize)]
	}
	return out
}

// stacksOf are the stacks that own something in the snapshot.
func stacksOf(s resource.Snapshot) []string {
	seen := map[string]bool{}
	var out []string
	for i := range s.Resources {
		if o := &s.Resources[i]; o.Managed() && o.Stack != "" && !seen[o.Stack] {
			seen[o.Stack] = true
			out = append(out, o.Stack)
		}
	}
	slices.Sort(out)
	return out
}
