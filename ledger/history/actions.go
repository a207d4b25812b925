package history

import (
	"context"
	"encoding/json"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// ActionsSince are the records of started, finished and recovered actions on a resource after a
// revision, oldest first, without the actions of one plan. The list is empty if the store has no
// action after the revision; actions before the last compaction of the store are not part of it.
// One read of the key tells whether there is anything, so a plan of many unchanged resources stays
// cheap.
func (l *Reader) ActionsSince(
	ctx context.Context, ref resource.Ref, since storage.Revision, except string,
) ([]event.Record, error) {
	key := rows.Of(rows.KeyActions, ref)
	e, err := l.Get(ctx, key, storage.Now)
	if err != nil || e.Modified <= since {
		return nil, err // mostly there are none
	}
	var out []event.Record
	err = l.Versions(ctx, key, func(e storage.Entry) error {
		if e.Modified <= since || e.Deleted {
			return nil
		}
		var list []rows.Action
		if err := json.Unmarshal(e.Value, &list); err != nil {
			return err
		}
		for _, a := range list {
			r, err := event.DecodeRecord(a.Record)
			if err != nil {
				return err
			}
			if r.Seq = a.Seq; l.isAction(r, except) {
				out = append(out, r)
			}
		}
		return nil
	})
	return out, err
}

// isAction reports whether a record is about an action of another plan. Recoveries of this run are
// excluded: they are part of the plan that asks.
func (l *Reader) isAction(r event.Record, except string) bool {
	switch e := r.Event.(type) {
	case event.Started:
		return e.Plan != except
	case event.Finished:
		return e.Plan != except
	case event.Recovered:
		return r.Run != l.Run() // the plan's own observation recovers before it decides
	}
	return false
}
