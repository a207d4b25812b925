package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
)

// together is how many resources an apply changes at a time.
const together = 200

// do records the execution of a plan: what starts and how it finishes, in as many batches.
func (a *author) do(ctx context.Context, plan string, doing map[int]event.Decision) error {
	for part := range slices.Chunk(slices.Sorted(maps.Keys(doing)), together) {
		var starts, ends []event.Event
		for _, n := range part {
			d := doing[n]
			if !d.Action.Executes() {
				starts = append(starts, event.Blocked{Plan: plan, Ref: d.Ref, Proposed: d.Proposed, Blockers: d.Blockers})
				continue
			}
			b, e := a.action(plan, n, d)
			starts, ends = append(starts, b), append(ends, e)
		}
		if err := a.record(ctx, starts...); err != nil {
			return err
		}
		if len(ends) == 0 {
			continue
		}
		if err := a.record(ctx, ends...); err != nil {
			return err
		}
	}
	if a.whole {
		a.whole = false
		return a.record(ctx, event.Blessed{Ref: refOf(blessed), On: true, Who: "ada", Reason: "it holds the ledger of 2019"})
	}
	return nil
}

// action is a start and its result; that of the broken resource fails.
func (a *author) action(plan string, n int, d event.Decision) (event.Started, event.Finished) {
	a.fails++
	b := event.Started{
		Plan: plan, Ref: d.Ref, Key: fmt.Sprintf("key-%08d", a.fails), Action: d.Action, Token: int64(a.fails),
		Reason: d.Reason, Message: d.Message, Host: "desk", PID: 4242, Desired: fmt.Sprintf("%064x", n),
	}
	e := event.Finished{
		Plan: plan, Ref: d.Ref, Key: b.Key, Action: d.Action, Token: b.Token, Outcome: event.Done,
		Seconds: 1.5, Desired: b.Desired,
	}
	if n == broken && d.Action == decider.Update {
		e.Outcome, e.Error, e.Cause = event.Failed, "InsufficientInstanceCapacity: there is none of this size here", "quota"
		return b, e
	}
	if delete(a.off, n); d.Action == decider.Delete {
		b.Have = there(n, sizeWas).ID
		return b, e
	}
	now := there(n, sizeWas)
	b.Applying = &event.Applied{Attrs: desired(n), Desired: b.Desired, At: a.now}
	e.ID, e.Resource = now.ID, &now
	return b, e
}
