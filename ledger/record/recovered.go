package record

import (
	"context"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/resource"
)

// RecordRecovered records the observed results of open actions and late creates, each with its consequences, and
// returns the results that were recorded: an action that has a result by now is omitted. At the
// receipt's revision nothing else was recorded. The check and the record are one step under the
// append lock, so that two runs that recover at the same time record each result once.
func (w *Writer) RecordRecovered(
	ctx context.Context, answers []event.Recovered, follows map[resource.Ref]event.Event,
) (kept []event.Recovered, _ Receipt, _ error) {
	receipt, err := w.submit(ctx, &request{alone: true, build: func(ctx context.Context) ([]event.Event, error) {
		kept = nil
		var events []event.Event
		for _, a := range answers {
			_, found, err := query.Unresolved(ctx, w.Reader, a.Ref, a.Key)
			if err != nil {
				return nil, err
			}
			if found {
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
