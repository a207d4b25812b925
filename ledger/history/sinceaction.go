package history

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// AfterAction returns the record of a resource after the last action on it, or after its adoption. A replacement is one
// action: its steps leave the old resource, and the end of it the new one.
// It returns nil if the record has not changed since, if there was no action, or if the store no
// longer has that revision. A difference from the present record therefore appeared without an
// action of ovi.
func (l *Reader) AfterAction(ctx context.Context, ref resource.Ref) (*resource.Observed, error) {
	now, err := l.Get(ctx, rows.Of(rows.KeyResource, ref), storage.Now)
	if err != nil {
		return nil, err
	}
	acted, err := l.lastActed(ctx, ref, func(e event.Event) bool {
		switch e.(type) {
		case event.Finished, event.Recovered, event.Adopted, event.ReplaceFinished:
			return true
		}
		return false
	})
	if err != nil || acted == 0 || now.Modified <= acted {
		return nil, err
	}
	was, err := l.resourceAt(ctx, ref, acted)
	if errors.Is(err, storage.ErrCompacted) {
		return nil, nil
	}
	return was, err
}

// SeenSinceAction returns the states of a resource that were observed since an action on it last started or finished,
// oldest first; without an action, all that the store still has. It decodes nothing older, so that its cost does not
// grow with the age of the resource.
func (l *Reader) SeenSinceAction(ctx context.Context, ref resource.Ref) ([]resource.Observed, error) {
	acted, err := l.lastActed(ctx, ref, func(e event.Event) bool {
		switch e.(type) {
		case event.Started, event.Finished:
			return true
		}
		return false
	})
	if err != nil {
		return nil, err
	}
	var out []resource.Observed
	err = l.Versions(ctx, rows.Of(rows.KeyResource, ref), func(e storage.Entry) error {
		if e.Deleted || e.Modified < acted {
			return nil
		}
		o, err := resource.ParseObserved(e.Value)
		out = append(out, o)
		return err
	})
	return out, err
}

// lastActed returns the revision of the last batch with an event that counts about a resource; 0 if there is none, or
// if the store no longer has it. The last value of KeyActions is nearly always the one.
func (l *Reader) lastActed(
	ctx context.Context, ref resource.Ref, counts func(event.Event) bool,
) (storage.Revision, error) {
	key := rows.Of(rows.KeyActions, ref)
	for at := storage.Now; ; {
		e, err := l.Get(ctx, key, at)
		switch {
		case errors.Is(err, storage.ErrCompacted):
			return 0, nil
		case err != nil || e.Value == nil:
			return 0, err
		}
		if is, err := actsIn(e.Value, counts); is || err != nil {
			return e.Modified, err
		}
		if at = e.Modified - 1; at <= 0 {
			return 0, nil
		}
	}
}

// actsIn reports whether a value of KeyActions has an event that counts.
func actsIn(value []byte, counts func(event.Event) bool) (bool, error) {
	var list []rows.Action
	if err := json.Unmarshal(value, &list); err != nil {
		return false, err
	}
	for _, a := range list {
		r, err := event.DecodeRecord(a.Record)
		if err != nil {
			return false, err
		}
		if counts(r.Event) {
			return true, nil
		}
	}
	return false, nil
}
