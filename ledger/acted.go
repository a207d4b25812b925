package ledger

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// ActedAfter lists the resources of a scope on which an action started or finished after a time.
func (r *Reader) ActedAfter(ctx context.Context, s resource.Scope, at time.Time) ([]resource.Ref, error) {
	var out []resource.Ref
	prefix := rows.KeyActions + s.String() + "/"
	err := r.Entries(ctx, prefix, storage.Now, func(e storage.Entry) error {
		if !rows.InScope(e.Key, prefix) {
			return nil
		}
		ref, err := rows.RefOf(rows.KeyActions, e.Key)
		if err != nil {
			return err
		}
		acted, newer, err := actedAfter(e.Value, at)
		if err == nil && newer && !acted { // the newest records about it are others
			err = r.Versions(ctx, e.Key, func(v storage.Entry) error {
				if v.Deleted || acted {
					return nil
				}
				is, _, err := actedAfter(v.Value, at)
				acted = acted || is
				return err
			})
		}
		if acted {
			out = append(out, ref)
		}
		return err
	})
	return out, err
}

// actedAfter reports whether one of the records is of an action after a time, and whether any is.
func actedAfter(value []byte, at time.Time) (acted, newer bool, err error) {
	var list []rows.Action
	if err := json.Unmarshal(value, &list); err != nil {
		return false, false, err
	}
	for _, a := range list {
		r, err := event.DecodeRecord(a.Record)
		if err != nil {
			return false, false, err
		}
		if !r.At.After(at) {
			continue
		}
		newer = true
		switch r.Event.(type) {
		case event.Started, event.Finished:
			acted = true
		}
	}
	return acted, newer, nil
}
