package plan

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/unread"
)

// recordOutages ends the outages of resources that are no longer configured. A plan that is not applied ends none, and
// neither does one with an unread part that may configure the resource.
func (e *Planner) recordOutages(ctx context.Context, p *Planning) error {
	if p.Mode != event.ForApply || p.Past {
		return nil
	}
	var ended []event.Event
	for _, ref := range slices.SortedFunc(maps.Keys(p.Outages), resource.Ref.Compare) {
		mayConfigure := func(in resource.Intent) bool {
			_, is := unread.Of(&in, ref, true)
			return is
		}
		if slices.Contains(p.Stacks, ref.Stack) && ConfiguredIn(p.Intents, ref) == nil &&
			!slices.ContainsFunc(p.Intents, mayConfigure) {
			ended = append(ended, event.OutageEnded{Ref: ref, Plan: p.ID})
		}
	}
	if len(ended) == 0 {
		return nil
	}
	if _, err := e.Ledger.Record(ctx, ended...); err != nil {
		return fmt.Errorf("record the end of outages: %w", err)
	}
	p.Outages = maps.Clone(p.Outages)
	for _, x := range ended {
		delete(p.Outages, x.About())
	}
	return nil
}
