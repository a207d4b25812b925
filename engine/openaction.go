package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// openAction is an action that started and has no recorded result.
type openAction struct {
	ledger.OpenAction
	running bool // its claim is still held, so it may be in progress
}

// openActions lists the open actions. An action whose claim has ended has no result and gets none:
// its start was recorded under the claim, and so must its result be. The reads are in the order
// that makes this certain, whatever other runs do between them: the actions, then the claims, then
// again those actions that have none, because one may have finished before its claim ended.
//
// To recover them it is called before an observation, which then shows the result (only
// runningCreates, which recovers nothing, calls it after one). A request that is already on the
// network may still arrive, which is why a repeated create keeps its idempotency key.
func (e *Engine) openActions(ctx context.Context) ([]openAction, error) {
	opens, err := e.cfg.Ledger.OpenActions(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the open actions: %w", err)
	}
	claims, err := e.liveClaims(ctx, len(opens) > 0)
	if err != nil {
		return nil, err
	}
	held := make(map[claimed]bool, len(claims))
	for _, c := range claims {
		held[claimed{c.Ref, c.Token}] = true
	}
	out := make([]openAction, len(opens))
	ended := false
	for i, o := range opens {
		running := held[claimed{o.Ref.String(), o.Token}]
		out[i] = openAction{o, running}
		ended = ended || !running
	}
	if !ended {
		return out, nil
	}
	if opens, err = e.cfg.Ledger.OpenActions(ctx); err != nil {
		return nil, fmt.Errorf("read the open actions: %w", err)
	}
	still := make(map[resource.Ref]ledger.OpenAction, len(opens))
	for _, o := range opens {
		still[o.Ref] = o
	}
	return slices.DeleteFunc(out, func(x openAction) bool {
		o, open := still[x.Ref]
		return !x.running && (!open || o.Key != x.Key || o.Token != x.Token)
	}), nil
}

// claimed is what a claim says of an action: the resource and the token.
type claimed struct {
	ref   string
	token int64
}

// liveClaims releases the claims of crashed processes, and lists the others where they are needed.
func (e *Engine) liveClaims(ctx context.Context, needed bool) ([]Claim, error) {
	dead, err := e.cfg.Ledger.DeadRuns()
	if err != nil || len(dead) == 0 && !needed {
		return nil, err
	}
	claims, err := e.cfg.Claims.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the claims: %w", err)
	}
	return e.releaseDeadClaims(ctx, claims, dead)
}

// releaseDeadClaims revokes the claims of crashed processes on this data directory, so that
// nothing waits for them, and returns the other claims. Claims of other hosts expire by themselves.
func (e *Engine) releaseDeadClaims(ctx context.Context, claims []Claim, dead []string) ([]Claim, error) {
	if len(dead) == 0 {
		return claims, nil
	}
	var left []Claim
	for _, c := range claims {
		if c.Instance != e.cfg.Ledger.Instance() || !slices.Contains(dead, c.Run) {
			left = append(left, c)
			continue
		}
		_, err := e.cfg.Claims.Revoke(ctx, c.Ref, c.Token)
		if errors.Is(err, coordinator.ErrNotClaimed) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("revoke the claim of a crashed process: %w", err)
		}
		ref, err := resource.ParseRef(c.Ref)
		if err != nil {
			continue // the claim of a loop's leader, under which no resource is changed
		}
		event := event.Revoked{Ref: ref, ClaimedBy: c.Run, Token: c.Token, Who: e.cfg.Ledger.User(), Reason: fmt.Sprintf("process %d on %s ended without releasing it", c.PID, c.Host)}
		if _, err := e.cfg.Ledger.Record(ctx, event); err != nil {
			return nil, fmt.Errorf("record the revoked claim: %w", err)
		}
	}
	for _, run := range dead {
		if err := e.cfg.Ledger.ForgetRun(run); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// ReleaseDead revokes the claims of crashed processes on this data directory. It returns no error:
// the next cycle retries it, and reports a failure.
func (e *Engine) ReleaseDead(ctx context.Context) { _, _ = e.liveClaims(ctx, false) }

// recoveredActions are the results that an observation showed.
type recoveredActions struct {
	results []event.Recovered
	at      storage.Revision                   // of the results; 0 without any
	open    map[resource.Ref]ledger.OpenAction // still without a result
}

// recoverAll recovers open actions from an observation, records the results, and returns the
// actions that stay open. A report does not show what was acted on after it was made.
func (e *Engine) recoverAll(ctx context.Context, opens []openAction, live resource.LiveState, acted map[resource.Ref]bool) (*recoveredActions, error) {
	open := map[resource.Ref]ledger.OpenAction{}
	var results []event.Recovered
	good := map[resource.Ref]event.Event{}
	for _, d := range opens {
		if d.running {
			continue // its claim keeps other instances away and names its owner
		}
		open[d.Ref] = d.OpenAction
		snapshot, read := live.Scopes[d.Ref.Scope()]
		if !read || acted[d.Ref] {
			continue
		}
		before, _, err := e.cfg.Ledger.Applied(ctx, d.Ref, 0)
		if err != nil {
			return nil, fmt.Errorf("read what was applied to %s: %w", d.Ref, err)
		}
		if d.Deadline, err = e.cfg.Ledger.Until(ctx, d.OpenAction); err != nil {
			return nil, fmt.Errorf("read until when the action on %s may take: %w", d.Ref, err)
		}
		open[d.Ref] = d.OpenAction
		r, known := e.recover(d.OpenAction, snapshot, before)
		if !known {
			continue
		}
		results = append(results, r)
		if healthy, err := e.recoveredGood(ctx, d.OpenAction, r, snapshot); err != nil {
			return nil, err
		} else if healthy != nil {
			good[d.Ref] = healthy
		}
	}
	if len(results) == 0 {
		return &recoveredActions{open: open}, nil
	}
	kept, receipt, err := e.cfg.Ledger.RecordRecovered(ctx, results, good)
	if err != nil {
		return nil, fmt.Errorf("record the recovered actions: %w", err)
	}
	for _, r := range results {
		if r.Finding != event.FoundUnknown {
			delete(open, r.Ref)
		}
	}
	return &recoveredActions{results: kept, open: open, at: receipt.Revision}, nil
}

// openActionPolicy blocks every action on a resource whose last action has no result, and what
// depends on one that is in progress.
type openActionPolicy struct {
	open  map[resource.Ref]ledger.OpenAction
	kinds decider.Kinds
}

func (e *Engine) openPolicy(open map[resource.Ref]ledger.OpenAction) openActionPolicy {
	return openActionPolicy{open, e.cfg.Providers.Kind}
}

// supersedes reports whether a new configuration may be applied while another is in progress. What is being
// deleted is created again once it is gone, so that its binding ends with the proof of that.
func (u openActionPolicy) supersedes(d *decider.Decision, o ledger.OpenAction) bool {
	k, _ := u.kinds(d.Ref.Provider, d.Ref.Kind)
	deletes := o.Action == decider.Delete || o.Phase == event.PhaseDelete
	return k.Supersede && !deletes && d.DesiredDigest() != o.Desired
}

// Name implements decider.Policy.
func (openActionPolicy) Name() string { return OpenActionPolicy }

// Review implements decider.Policy.
func (u openActionPolicy) Review(p decider.Plan, _ decider.Facts) (map[int]decider.Blocker, error) {
	out := map[int]decider.Blocker{}
	for i := range p.Decisions {
		o, open := u.open[p.Decisions[i].Ref]
		switch {
		case !open:
			if b, waits := u.waits(&p.Decisions[i]); waits {
				out[i] = b
			}
		case o.Accepted && u.supersedes(&p.Decisions[i], o):
		case o.Accepted:
			out[i] = decider.Blocker{Reason: fmt.Sprintf("a %s was accepted and is in progress until %s", o.Action, o.Deadline.UTC().Format(time.RFC3339)), Until: &o.Deadline}
		default:
			out[i] = decider.Blocker{
				Reason:     fmt.Sprintf("a %s started at %s by run %s has no recorded result", o.Action, o.At.UTC().Format(time.RFC3339), o.Run),
				Suggestion: "remove the ovi tags from all but one of the resources with its name, or run `ovi adopt` for the right one, and plan again",
			}
		}
	}
	return out, nil
}

// waits returns the Blocker of a decision that depends on a resource which is in progress.
func (u openActionPolicy) waits(d *decider.Decision) (decider.Blocker, bool) {
	if d.Desired == nil || len(u.open) == 0 {
		return decider.Blocker{}, false
	}
	for _, r := range d.Desired.Refs() {
		if o, open := u.open[r]; open && o.Accepted {
			return decider.Blocker{
				Reason: fmt.Sprintf("it depends on %s, whose %s is in progress", r.Short(), o.Action), Until: &o.Deadline,
			}, true
		}
	}
	return decider.Blocker{}, false
}

// OpenActionPolicy is the name of the policy that blocks resources with an open action.
const OpenActionPolicy = "open_action"
