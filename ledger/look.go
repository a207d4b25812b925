package ledger

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

const (
	partSize  = 4096 // things in one record of a big look
	errorSize = 4096 // of a failed look's error on record
)

// LookOptions say what must be known of a look to record it.
type LookOptions struct {
	// Since is the revision when the look began: what was recorded after it is newer than
	// the look and stays. Negative: nothing was.
	Since storage.Revision
	// Young refuses, with a *YoungError, a look that misses a thing which was made or
	// changed within this time: most likely it is not listed yet. 0: never.
	Young time.Duration
	// Before are events that stand in front of the looks, in the same batch.
	Before []Event
}

// YoungError says that a look misses things that have only just been made. Nothing was
// recorded. Look again.
type YoungError struct{ Refs []resource.Ref }

func (e *YoungError) Error() string {
	return fmt.Sprintf("ledger: %s was made just now and is not seen", e.Refs[0])
}

// RecordWorld records what one look saw, one Observed a scope (more for a big one), as one
// batch: only what is new, different or gone since. A failed scope makes nothing gone.
func (l *Ledger) RecordWorld(ctx context.Context, w resource.World, o LookOptions) (Receipt, error) {
	return l.submit(ctx, &request{build: func(ctx context.Context) ([]Event, error) {
		looks, err := l.looks(ctx, w, o)
		return append(slices.Clone(o.Before), looks...), err
	}})
}

// looks turns a world into events: what is new, different or gone, scope by scope.
func (l *Ledger) looks(ctx context.Context, w resource.World, o LookOptions) ([]Event, error) {
	touched, err := l.touched(ctx, o.Since)
	if err != nil {
		return nil, err
	}
	var events []Event
	var young []resource.Ref
	for _, s := range scopesOf(w) {
		if snapshot, ok := w.Seen[s]; ok {
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
		text := w.Failed[s].Error()
		events = append(events, Observed{Scope: s, Looked: l.cfg.Clock().UTC().Round(0), Error: text[:min(len(text), errorSize)], Part: 1, Of: 1})
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
		var list []act
		found, err := l.load(ctx, keyActs+ref.String(), storage.Now, &list)
		if err != nil {
			return nil, err
		}
		if !found || len(list) == 0 {
			continue
		}
		r, err := DecodeRecord(list[len(list)-1].Record)
		if err != nil {
			return nil, err
		}
		if e, ok := r.Event.(Ended); ok && e.Outcome == Done && l.cfg.Clock().Sub(r.At) < within {
			young = append(young, ref)
		}
	}
	return young, nil
}

func scopesOf(w resource.World) []resource.Scope {
	var out []resource.Scope
	for s := range w.Seen {
		out = append(out, s)
	}
	for s := range w.Failed {
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
	for e, err := range l.store.Changes(ctx, keyThing, since, storage.Now) {
		if err != nil {
			return nil, fmt.Errorf("ledger: what was recorded since revision %d: %w", since, err)
		}
		out[e.Key] = true
	}
	return out, nil
}

// events are one Observed, or several if much has changed.
func (d *delta) events(s resource.Snapshot) []Event {
	base := Observed{Scope: s.Scope, Looked: s.At.UTC().Round(0), Complete: true, Count: len(s.Objects), Stacks: stacksOf(s)}
	gone := slices.Collect(slices.Chunk(d.gone, partSize))
	out := make([]Event, max(1, len(d.changed), len(gone)))
	for i := range out {
		e := base
		e.Part, e.Of = i+1, len(out)
		if i == 0 {
			e.Odd = d.odd
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

// stacksOf are the stacks that own something in the snapshot.
func stacksOf(s resource.Snapshot) []string {
	seen := map[string]bool{}
	var out []string
	for i := range s.Objects {
		if o := &s.Objects[i]; o.Managed && o.Stack != "" && !seen[o.Stack] {
			seen[o.Stack] = true
			out = append(out, o.Stack)
		}
	}
	slices.Sort(out)
	return out
}
