package ledger

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// Acknowledgment is a drift that an operator accepts until a time.
type Acknowledgment struct {
	event.Acknowledged
	At time.Time
}

// Holds reports whether the acknowledgment covers this drift now.
func (a Acknowledgment) Holds(drift string, now time.Time) bool {
	return a.Drift == drift && now.Before(a.Until)
}

// Acknowledged is the newest acknowledgment of each resource, expired ones too, sorted by ref.
func (r *Reader) Acknowledged(ctx context.Context) ([]Acknowledgment, error) {
	var out []Acknowledgment
	err := r.Entries(ctx, rows.KeyAcknowledged, storage.Now, func(e storage.Entry) error {
		var v struct {
			At    time.Time          `json:"at"`
			Event event.Acknowledged `json:"event"`
		}
		err := json.Unmarshal(e.Value, &v)
		out = append(out, Acknowledgment{v.Event, v.At})
		return err
	})
	slices.SortFunc(out, func(a, b Acknowledgment) int { return a.Ref.Compare(b.Ref) })
	return out, err
}
