package record

import (
	"context"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// RecordRecovered records the observed results of open actions, each with its consequences, and
// returns the results that were recorded: an action that is no longer open is omitted. At the
// receipt's revision nothing else was recorded. The check and the record are one step under the
// append lock, so that two runs that recover at the same time record each result once.
func (w *Writer) RecordRecovered(
	ctx context.Context, answers []event.Recovered, follows map[resource.Ref]event.Event,
) (kept []event.Recovered, _ Receipt, _ error) {
	receipt, err := w.submit(ctx, &request{alone: true, build: func(ctx context.Context) ([]event.Event, error) {
		kept = nil
		var events []event.Event
		for _, a := range answers {
			var open rows.OpenAction
			found, err := w.Load(ctx, rows.Of(rows.KeyOpen, a.Ref), storage.Now, &open)
			if err != nil {
				return nil, err
			}
			if found && open.Key == a.Key {
				kept, events = append(kept, a), append(events, a)
				if e := follows[a.Ref]; e != nil {
					events = append(events, e)
				}
			}
		}
		return events, nil
	}})
	return kept, receipt, err
}
