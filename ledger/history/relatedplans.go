package history

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// relatedPlans adds what the records of the resource rest on: the plans that were applied or
// blocked, their sources, and who approved them. It walks a copy of the list, because each step may
// add records to it.
func (g *historyReader) relatedPlans(ctx context.Context) error {
	if err := g.missingPlans(ctx); err != nil {
		return err
	}
	for _, t := range slices.Clone(g.told) {
		switch e := t.record.Event.(type) {
		case event.Planned:
			if err := g.source(ctx, t.rev, e); err != nil {
				return err
			}
			for _, digest := range []string{e.Digest, e.Approving} {
				if err := g.approvals(ctx, digest); err != nil {
					return err
				}
			}
		case event.Started:
			if err := g.confirmed(ctx, e.Plan); err != nil {
				return err
			}
		}
	}
	return nil
}

// missingPlans finds the plans that decided the same as before: the key of their stack and the log
// have them. It searches backward: if the limit of reads is reached, the oldest plans are missing.
func (g *historyReader) missingPlans(ctx context.Context) error {
	for _, t := range slices.Backward(slices.Clone(g.told)) {
		plan, stack := planOf(t.record.Event)
		if plan == "" || g.plans[plan] || g.pages.left == 0 || g.past.recall(plan) {
			continue
		}
		v, made, err := g.pages.findPlan(ctx, stack, plan, max(t.rev, g.clock.oldest))
		if err != nil {
			return err
		}
		if v.Plan != plan {
			g.plans[plan] = true // cannot be found: not searched again
			continue
		}
		r, err := g.pages.plan(ctx, made, v, stack)
		if err != nil {
			return err
		}
		g.add(made, r)
	}
	return nil
}

// planOf is the plan of an event, and its stack if the event has it.
func planOf(e event.Event) (plan, stack string) {
	switch e := e.(type) {
	case event.Started:
		return e.Plan, e.Ref.Stack
	case event.Blocked:
		return e.Plan, e.Ref.Stack
	case event.NotStarted:
		return e.Plan, e.Ref.Stack
	}
	return "", ""
}

// source returns the last loaded source of the stack when a plan was made. A source that was loaded
// only after the plan does not count.
func (g *historyReader) source(ctx context.Context, r storage.Revision, e event.Planned) error {
	if _, ok := g.sources[e.Plan]; ok {
		return nil
	}
	source, since, err := g.l.sourceAt(ctx, stackOf(e), max(r, g.clock.oldest))
	if since != 0 && since <= r {
		g.sources[e.Plan] = source
	}
	return err
}

// confirmed adds who confirmed a plan. Each plan is looked up once, even if several actions of it
// are part of the history.
func (g *historyReader) confirmed(ctx context.Context, plan string) error {
	if plan == "" || g.plans[rows.KeyConfirmed+plan] {
		return nil
	}
	g.plans[rows.KeyConfirmed+plan] = true
	e, err := g.l.Get(ctx, rows.KeyConfirmed+plan, storage.Now)
	if err != nil || e.Value == nil {
		return err
	}
	var v struct {
		At    time.Time      `json:"at"`
		User  string         `json:"user"`
		Run   string         `json:"run"`
		Event event.Approved `json:"event"`
	}
	if err := json.Unmarshal(e.Value, &v); err != nil {
		return err
	}
	g.add(e.Modified, event.Record{At: v.At, User: v.User, Run: v.Run, Event: v.Event})
	return nil
}

// approvals adds the approvals that rules required, all of each user. A later approval of the same
// user may have replaced the row that an action rested on, so every version is added.
func (g *historyReader) approvals(ctx context.Context, digest string) error {
	prefix := rows.ApprovalOf(digest, "")
	if digest == "" || g.plans[prefix] {
		return nil
	}
	g.plans[prefix] = true
	var keys []string
	if err := g.l.Entries(ctx, prefix, storage.Now, func(e storage.Entry) error {
		keys = append(keys, e.Key)
		return nil
	}); err != nil {
		return err
	}
	for _, key := range keys {
		err := g.l.Versions(ctx, key, func(e storage.Entry) error {
			var a rows.Act[event.Approved]
			if e.Deleted {
				return nil
			}
			err := json.Unmarshal(e.Value, &a)
			g.add(e.Modified, event.Record{At: a.At, User: a.Event.Who, Event: a.Event})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
