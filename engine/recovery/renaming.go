package recovery

import (
	"context"

	"github.com/ovi-project/ovi/ledger/event"
)

// Renaming returns the events of a rename, to be recorded together: the move itself, and the blessing of the resource
// under its new name. The record must prove the resource under the former name with a confirmed key, because the own
// signature of the move proves it under the new name.
func (e *Recovery) Renaming(ctx context.Context, m event.Moved) ([]event.Event, error) {
	if err := e.Ledger.Confirmed(ctx, m.From, m.ID); err != nil {
		return nil, err
	}
	events := []event.Event{m}
	blessings, err := e.Ledger.Blessings(ctx)
	if err != nil {
		return nil, err
	}
	for _, b := range blessings {
		if b.Ref == m.From {
			events = append(events,
				event.Blessed{Ref: m.From, Who: m.Who, Reason: "moved to " + m.Ref.String()},
				event.Blessed{Ref: m.Ref, On: true, Who: b.Who, Reason: b.Reason})
		}
	}
	return events, nil
}
