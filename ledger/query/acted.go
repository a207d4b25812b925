package query

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// lastAct is the time of the newest record of a row, by the revision of the row.
type lastAct struct {
	modified storage.Revision
	at       time.Time
}

// ActedAfter lists the resources on which an action started or finished after the time of their scope.
// Several scopes are read in one pass over all: opening the store costs more than most of its rows.
func (r *Reader) ActedAfter(ctx context.Context, at map[resource.Scope]time.Time) ([]resource.Ref, error) {
	var out []resource.Ref
	prefix := rows.KeyActions
	if len(at) == 1 {
		for s := range at {
			prefix += s.String() + "/"
		}
	}
	err := r.Entries(ctx, prefix, storage.Now, func(e storage.Entry) error {
		ref, err := rows.RefOf(rows.KeyActions, e.Key)
		if err != nil {
			return err
		}
		after, asked := at[ref.Scope()]
		if !asked {
			return nil
		}
		acted, err := r.actedOn(ctx, e, after)
		if acted {
			out = append(out, ref)
		}
		return err
	})
	return out, err
}

// actedOn reports whether the actions of a row, or of its versions, have one after a time. Most
// rows are answered by the time that is remembered of them, without decoding. A row has the records
// of one batch only, and an operator's acts can have replaced an action in it; then the versions of
// the row are read.
func (r *Reader) actedOn(ctx context.Context, e storage.Entry, at time.Time) (bool, error) {
	if last, known := r.cache.lastAct(e); known && !last.After(at) {
		return false, nil
	}
	acted, newer, err := actedAfter(e.Value, at)
	if err != nil || acted || !newer {
		return acted, err
	}
	err = r.Versions(ctx, e.Key, func(v storage.Entry) error { // the newest records about it are others
		if v.Deleted || acted {
			return nil
		}
		is, _, err := actedAfter(v.Value, at)
		acted = acted || is
		return err
	})
	return acted, err
}

// lastAct returns the time of the newest record of a row, if the row was decoded since it changed. At rest
// no row was.
func (c *readCache) lastAct(e storage.Entry) (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x, known := c.acts[e.Key]
	if known && x.modified == e.Modified {
		return x.at, true
	}
	// x still has the newest time of the earlier versions of the row, which a new version must not lower
	var list []rows.Action
	if json.Unmarshal(e.Value, &list) != nil {
		return time.Time{}, false
	}
	for _, a := range list {
		r, err := event.DecodeRecord(a.Record)
		if err != nil {
			return time.Time{}, false
		}
		if r.At.After(x.at) {
			x.at = r.At
		}
	}
	if c.acts == nil {
		c.acts = map[string]lastAct{}
	}
	c.acts[e.Key] = lastAct{e.Modified, x.at}
	return x.at, true
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
