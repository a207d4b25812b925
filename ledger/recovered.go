package ledger

import (
	"context"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// RecordRecovered records the results of open actions as observed, and returns those that were
// recorded: an action that is no longer open is left out of it.
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
