package history

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// usualOf is the number of recorded durations that give the usual time of an action.
const usualOf = 20

// Usual returns the median of the last recorded durations of an action on resources of a kind, in all locations,
// and how many these are: at most 20. The phases of a replacement count together. Only actions that succeeded
// count. Without any it returns 0 and 0. Only the rows that changed last are read with their earlier versions, so
// the result may have fewer durations than are recorded.
func Usual(
	ctx context.Context, r *ledger.Reader, provider, kind string, a decider.Action,
) (usual time.Duration, of int, err error) {
	var found []storage.Entry
	err = r.Entries(ctx, rows.KeyActions, storage.Now, func(e storage.Entry) error {
		ref, err := rows.RefOf(rows.KeyActions, e.Key)
		if err == nil && ref.Provider == provider && ref.Kind == kind {
			found = append(found, e)
		}
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	slices.SortFunc(found, func(a, b storage.Entry) int { return cmp.Compare(b.Modified, a.Modified) })
	all := map[actOf]took{}
	for _, e := range found[:min(len(found), usualOf)] {
		err := r.Versions(ctx, e.Key, func(v storage.Entry) error {
			if v.Deleted {
				return nil
			}
			return addDurations(all, v.Value, a)
		})
		if err != nil {
			return 0, 0, err
		}
	}
	var last []took
	for _, t := range all {
		last = append(last, t)
	}
	if len(last) == 0 {
		return 0, 0, nil
	}
	slices.SortFunc(last, func(a, b took) int { return b.at.Compare(a.at) })
	last = last[:min(len(last), usualOf)]
	slices.SortFunc(last, func(a, b took) int { return cmp.Compare(a.seconds, b.seconds) })
	return time.Duration(last[len(last)/2].seconds * float64(time.Second)), len(last), nil
}

// actOf identifies an action: the phases of a replacement have the plan and the resource in common.
type actOf struct {
	ref  resource.Ref
	plan string
	key  string // the phases of a replacement have none
}

// took is the duration of one action, in seconds, and the time of its end.
type took struct {
	at      time.Time
	seconds float64
}

// addDurations adds the durations that a row of actions has. The phases of one replacement are added up.
func addDurations(all map[actOf]took, value []byte, a decider.Action) error {
	var list []rows.Action
	if err := json.Unmarshal(value, &list); err != nil {
		return err
	}
	for _, x := range list {
		record, err := event.DecodeRecord(x.Record)
		if err != nil {
			return err
		}
		e, is := record.Event.(event.Finished)
		if !is || e.Action != a || e.Outcome != event.Done {
			continue
		}
		of := actOf{ref: e.Ref, plan: e.Plan}
		if a != decider.Replace {
			of.key = e.Key
		}
		t := all[of]
		t.seconds += e.Seconds
		if record.At.After(t.at) {
			t.at = record.At
		}
		all[of] = t
	}
	return nil
}
