package record

import (
	"context"
	"encoding/json"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// RecordPlan records a plan. If the last plan of its stacks decided the same, the decisions are not
// listed again. A loop that plans every minute would otherwise fill the log with equal lists.
func (w *Writer) RecordPlan(ctx context.Context, e event.Planned) (Receipt, error) {
	return w.submit(ctx, &request{build: func(ctx context.Context) ([]event.Event, error) {
		same, err := w.samePlan(ctx, e)
		if err != nil {
			return nil, err
		}
		if same != "" && len(e.Decisions) > 0 {
			e.Same, e.Decisions = same, nil
		}
		return []event.Event{e}, nil
	}})
}

// samePlan is the plan that lists these decisions, if it is the last one of all stacks.
func (w *Writer) samePlan(ctx context.Context, e event.Planned) (string, error) {
	same := ""
	for _, stack := range e.Stacks {
		entry, err := w.Get(ctx, rows.PlanOf(stack), storage.Now)
		if err != nil {
			return "", err
		}
		var v rows.Plan
		if entry.Value == nil || json.Unmarshal(entry.Value, &v) != nil || v.Hash != e.Hash ||
			same != "" && v.Listed != same {
			return "", nil
		}
		same = v.Listed
	}
	return same, nil
}
