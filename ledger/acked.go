package ledger

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/ovi-project/ovi/storage"
)

// Acked is a drift that somebody said may stay for a while.
type Acked struct {
	Acknowledged
	At time.Time
}

// Holds says that the word still counts: it is about this drift, and its time is not over.
func (a Acked) Holds(drift string, now time.Time) bool {
	return a.Drift == drift && now.Before(a.Until)
}

// Acknowledged are the newest words on each thing's drift, also those whose time is over,
// sorted by ref.
func (l *Ledger) Acknowledged(ctx context.Context) ([]Acked, error) {
	var out []Acked
	err := l.entries(ctx, keyAcked, storage.Now, func(e storage.Entry) error {
		var v struct {
			At    time.Time    `json:"at"`
			Event Acknowledged `json:"event"`
		}
		err := json.Unmarshal(e.Value, &v)
		out = append(out, Acked{v.Event, v.At})
		return err
	})
	slices.SortFunc(out, func(a, b Acked) int { return a.Ref.Compare(b.Ref) })
	return out, err
}
