package ledger

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// DeedsSince are the beginnings, ends and answers on record about a thing after a revision,
// oldest first, without those of one plan.
func (l *Ledger) DeedsSince(ctx context.Context, ref resource.Ref, since storage.Revision, except string) ([]Record, error) {
	key := keyActs + ref.String()
	e, err := l.get(ctx, key, storage.Now)
	if err != nil || e.Modified <= since {
		return nil, err // mostly nobody did anything
	}
	var out []Record
	err = l.versions(ctx, key, func(e storage.Entry) error {
		if e.Modified <= since || e.Deleted {
			return nil
		}
		var list []act
		if err := json.Unmarshal(e.Value, &list); err != nil {
			return err
		}
		for _, a := range list {
			r, err := DecodeRecord(a.Record)
			if err != nil {
				return err
			}
			if r.Seq = a.Seq; l.isDeed(r, except) {
				out = append(out, r)
			}
		}
		return nil
	})
	return out, err
}

func (l *Ledger) isDeed(r Record, except string) bool {
	switch e := r.Event.(type) {
	case Began:
		return e.Plan != except
	case Ended:
		return e.Plan != except
	case Abandoned:
		return r.Run != l.cfg.Run // the plan's own look answers before it decides
	}
	return false
}

// OpenOn is the action on a thing that began and has not ended; false if there is none.
func (l *Ledger) OpenOn(ctx context.Context, ref resource.Ref) (OpenIntent, bool, error) {
	var o OpenIntent
	found, err := l.load(ctx, keyOpen+ref.String(), storage.Now, &o)
	if err != nil {
		return o, false, fmt.Errorf("ledger: open action on %s: %w", ref, err)
	}
	return o, found, nil
}
