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

// AfterAction returns the record of a resource after the last action on it, or after its adoption. It returns nil
// if the record has not changed since, if there was no action, or if the store no longer has that revision.
func (l *Reader) AfterAction(ctx context.Context, ref resource.Ref) (*resource.Observed, error) {
	now, err := l.Get(ctx, rows.Of(rows.KeyResource, ref), storage.Now)
	if err != nil {
		return nil, err
	}
	var acted storage.Revision
	err = l.Versions(ctx, rows.Of(rows.KeyActions, ref), func(e storage.Entry) error {
		if e.Deleted || e.Modified <= acted {
			return nil
		}
		is, err := actsIn(e.Value)
		if is {
			acted = e.Modified
		}
		return err
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

// actsIn reports whether a value of KeyActions has the result of an action or an adoption.
func actsIn(value []byte) (bool, error) {
	var list []rows.Action
	if err := json.Unmarshal(value, &list); err != nil {
		return false, err
	}
	for _, a := range list {
		r, err := event.DecodeRecord(a.Record)
		if err != nil {
			return false, err
		}
		switch r.Event.(type) {
		case event.Finished, event.Recovered, event.Adopted:
			return true, nil
		}
	}
	return false, nil
}
