package recovery

import (
	"context"

	"github.com/ovi-project/ovi/ledger/event"
)

// Renaming returns the events of a rename or an exchange of names, to be recorded together: the move itself, and the
// blessing of each resource under its new name. The record must prove each resource under the former name with a
// confirmed key, because the own signature of the move proves it under the new name.
func (e *Recovery) Renaming(ctx context.Context, m event.Moved) ([]event.Event, error) {
	halves := m.Halves()
	for _, h := range halves {
		if err := e.Ledger.Confirmed(ctx, h.From, h.ID); err != nil {
			return nil, err
		}
	}
	blessings, err := e.Ledger.Blessings(ctx)
	if err != nil {
		return nil, err
	}
	events, on := []event.Event{m}, []event.Event{}
	for _, h := range halves {
		for _, b := range blessings {
			if b.Ref == h.From {
				events = append(events, event.Blessed{Ref: h.From, Who: m.Who, Reason: "moved to " + h.Ref.String()})
				on = append(on, event.Blessed{Ref: h.Ref, On: true, Who: b.Who, Reason: b.Reason})
			}
		}
	}
	// All blessings of former names end before the new ones start. In an exchange each name is both, and a later end
	// would remove the protection.
	return append(events, on...), nil
}
