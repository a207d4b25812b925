package ledger

import (
	"context"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// RecordRecovered records what observing said of open actions, and returns what was recorded:
// an action that was ended by somebody meanwhile needs no answer any more.
func (l *Ledger) RecordRecovered(ctx context.Context, answers []event.Recovered) (kept []event.Recovered, err error) {
	_, err = l.submit(ctx, &request{build: func(ctx context.Context) ([]event.Event, error) {
		kept = nil
		var events []event.Event
		for _, a := range answers {
			var open OpenAction
			found, err := l.Load(ctx, rows.KeyOpen+a.Ref.String(), storage.Now, &open)
			if err != nil {
				return nil, err
			}
			if found && open.Key == a.Key {
				kept, events = append(kept, a), append(events, a)
			}
		}
		return events, nil
	}})
	return kept, err
}
