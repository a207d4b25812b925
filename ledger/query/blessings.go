package query

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// BlessingsAt are the resources that the store had as protected at a revision, sorted by ref, for
// showing the past. The rows are not proven: an action must rest on Proofs.Blessings in package
// trust.
func (r *Reader) BlessingsAt(ctx context.Context, at storage.Revision) ([]Blessing, error) {
	var out []Blessing
	err := r.Entries(ctx, rows.KeyBlessed, at, func(e storage.Entry) error {
		var a rows.Act[event.Blessed]
		err := json.Unmarshal(e.Value, &a)
		out = AppendBlessing(out, a)
		return err
	})
	slices.SortFunc(out, func(a, b Blessing) int { return a.Ref.Compare(b.Ref) })
	return out, err
}

// Blessing is the protection of a resource.
type Blessing struct {
	Ref    resource.Ref
	Who    string
	Reason string
	At     time.Time
}

// AppendBlessing appends the blessing that an act records, unless it lifts the protection.
func AppendBlessing(all []Blessing, a rows.Act[event.Blessed]) []Blessing {
	if !a.Event.On {
		return all
	}
	return append(all, Blessing{a.Event.Ref, a.Event.Who, a.Event.Reason, a.At})
}
