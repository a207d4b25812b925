package record

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/offline"
	"github.com/ovi-project/ovi/storage"
)

const (
	partSize  = 4096 // resources in one record
	errorSize = 4096 // of the recorded error of an observation
)

// ObservationOptions are the inputs of RecordObservation besides live state.
type ObservationOptions struct {
	// Since is the revision when the observation started: what was recorded after it is newer and
	// stays. Negative: nothing was.
	Since storage.Revision
	// Own are the revisions that this observation itself was recorded at so far: what was written
	// there is not newer.
	Own []storage.Revision
	// Young refuses, with a *YoungError, an observation that misses a resource which was created or changed
	// within this time: most likely it is not listed yet. 0 means never.
	Young time.Duration
	// Before are events that are recorded first, in the same batch.
	Before []event.Event
}

// YoungError names resources that were created just now and are not listed. Nothing was recorded.
// Observe again.
type YoungError struct{ Refs []resource.Ref }

func (e *YoungError) Error() string {
	return fmt.Sprintf("ledger: %s was created just now and is not listed yet", e.Refs[0])
}

// RecordObservation records one observation as one batch, with one Observed per scope (more for a
// large one): only new, different and absent resources. In a scope that could not be observed, no
// resource is recorded as absent. A record that was made after Since is newer than the observation
// and is not changed by it. An error means that nothing was recorded, except that a broken ledger
// may have appended the batch (ErrBroken).
func (w *Writer) RecordObservation(
	ctx context.Context, live resource.LiveState, o ObservationOptions,
) (Receipt, error) {
	return w.submit(ctx, &request{alone: true, build: func(ctx context.Context) ([]event.Event, error) {
		observations, err := w.observations(ctx, live, o)
		return append(slices.Clone(o.Before), observations...), err
	}})
}

// observations turns live state into events: what is new, different or gone, scope by scope.
func (w *Writer) observations(
	ctx context.Context, live resource.LiveState, o ObservationOptions,
) ([]event.Event, error) {
	touched, err := touched(ctx, w.store, o.Since, o.Own)
	if err != nil {
		return nil, err
	}
	recorded, err := recordedRows(ctx, w.store, slices.Collect(maps.Keys(live.Scopes)))
	if err != nil {
		return nil, err
	}
	var events []event.Event
	var young []resource.Ref
	var scopes []resource.Scope
	for s := range live.Scopes {
		scopes = append(scopes, s)
	}
	for s := range live.Unreachable {
		scopes = append(scopes, s)
	}
	slices.SortFunc(scopes, resource.Scope.Compare)
	for _, s := range scopes {
		if snapshot, ok := live.Scopes[s]; ok {
			d := delta{touched: touched}
			entries, err := recorded(s)
			if err == nil {
				err = d.compare(entries, snapshot)
			}
			if err != nil {
				return nil, err
			}
			unlisted, err := w.young(ctx, d.gone, o.Young)
			if err != nil {
				return nil, err
			}
			young = append(young, unlisted...)
			events = append(events, d.events(snapshot)...)
			continue
		}
		text := live.Unreachable[s].Error()
		_, isOffline := offline.Since(live.Unreachable[s])
		events = append(events, event.Observed{
			Scope: s, At: w.cfg.Clock().UTC().Round(0), Error: text[:min(len(text), errorSize)], Offline: isOffline,
			Part: 1, Of: 1,
		})
	}
	if len(young) > 0 {
		return nil, &YoungError{young}
	}
	return events, nil
}

// young are the gone resources that were created or changed just now, as recorded.
func (w *Writer) young(
	ctx context.Context, gone []resource.Ref, within time.Duration,
) (young []resource.Ref, err error) {
	if within <= 0 {
		return nil, nil
	}
	for _, ref := range gone {
		var list []rows.Action
		found, err := w.Load(ctx, rows.Of(rows.KeyActions, ref), storage.Now, &list)
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
		if e, ok := r.Event.(event.Finished); ok && e.Outcome == event.Done && w.cfg.Clock().Sub(r.At) < within {
			young = append(young, ref)
		}
	}
	return young, nil
}

// touched are the keys of resources about which something else was recorded after a revision: an
// observation that started there does not have it.
func touched(
	ctx context.Context, r query.StoreReads, since storage.Revision, own []storage.Revision,
) (map[string]bool, error) {
	if since < 0 {
		return nil, nil
	}
	out := map[string]bool{}
	for e, err := range r.Changes(ctx, rows.KeyResource, since, storage.Now) {
		if err != nil {
			return nil, fmt.Errorf("ledger: read what was recorded since revision %d: %w", since, err)
		}
		if !slices.Contains(own, e.Modified) {
			out[e.Key] = true
		}
	}
	return out, nil
}

// events are one Observed, or several if much has changed.
func (d *delta) events(s resource.Snapshot) []event.Event {
	base := event.Observed{
		Scope: s.Scope, At: s.At.UTC().Round(0), Complete: true, Counts: countsOf(s), Stacks: stacksOf(s, d.stays),
		Kinds: s.Complete, Filtered: s.Filtered, Unreachable: textsOf(s.Unreachable),
	}
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

// textsOf returns the errors of unreachable kinds as text; nil if there are none.
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

// countsOf counts the resources of each kind in a snapshot.
func countsOf(s resource.Snapshot) map[string]event.KindCount {
	out := map[string]event.KindCount{}
	for i := range s.Resources {
		o := &s.Resources[i]
		c := out[o.Ref.Kind]
		c.All++
		if o.Managed() {
			c.Managed++
		}
		out[o.Ref.Kind] = c
	}
	return out
}

// stacksOf returns the stacks that own something in a scope: in the snapshot, or by newer records.
func stacksOf(s resource.Snapshot, newer []string) []string {
	seen := map[string]bool{}
	for i := range s.Resources {
		if o := &s.Resources[i]; o.Managed() {
			seen[o.Ref.Stack] = true
		}
	}
	for _, stack := range newer {
		seen[stack] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// recordedRows are the recorded resources of scopes, each in the order of its keys. A value is valid until the next
// step.
func recordedRows(
	ctx context.Context, store storage.Store, scopes []resource.Scope,
) (func(resource.Scope) (iter.Seq2[storage.Entry, error], error), error) {
	if len(scopes) < rows.ManyScopes {
		return func(s resource.Scope) (iter.Seq2[storage.Entry, error], error) {
			entries, _, err := storage.Scan(ctx, store, rows.ResourcePrefix(s), storage.Now)
			return entries, err
		}, nil
	}
	entries, _, err := store.Range(ctx, rows.KeyResource+rows.Within(scopes), storage.Now)
	if err != nil {
		return nil, err
	}
	all := make(map[string][]storage.Entry, len(scopes))
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		prefix := rows.ScopePrefix(e.Key)
		all[prefix] = append(all[prefix], e)
	}
	return func(s resource.Scope) (iter.Seq2[storage.Entry, error], error) {
		return func(yield func(storage.Entry, error) bool) {
			for _, e := range all[rows.ResourcePrefix(s)] {
				if !yield(e, nil) {
					return
				}
			}
		}, nil
	}, nil
}
