package recovery

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine/parts"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// OpenAction is an action that started and has no recorded result. Its process may still work on it, may have
// ended, or may have lost the claim.
type OpenAction struct {
	ledger.OpenAction
	Running bool   // its claim is still held, so it may be in progress
	By      string // who holds the claim: "ann@host"
}

// OpenActions lists the open actions. An action whose claim has ended has no result and gets none: its
// start was recorded under the claim, and so must its result be. The reads are in the order that makes this
// certain, whatever other runs do between them: the actions, then the claims, then again the actions that
// have no claim, because one may have finished before its claim ended.
//
// To recover them it is called before an observation, which then shows the result (only runningCreates,
// which recovers nothing, calls it after one). A request that is already on the network may still arrive.
// Therefore a repeated create keeps its idempotency key.
func (e *Recovery) OpenActions(ctx context.Context) ([]OpenAction, error) {
	opens, err := e.Ledger.OpenActions(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the open actions: %w", err)
	}
	claims, err := e.liveClaims(ctx, len(opens) > 0)
	if err != nil {
		return nil, err
	}
	held := make(map[claimed]string, len(claims))
	for _, c := range claims {
		held[claimed{c.Ref, c.Token}] = c.User + "@" + c.Host
	}
	out := make([]OpenAction, len(opens))
	ended := false
	for i, o := range opens {
		by, running := held[claimed{o.Ref.String(), o.Token}]
		out[i] = OpenAction{o, running, by}
		ended = ended || !running
	}
	// Only an action without a claim needs the second read.
	if !ended {
		return out, nil
	}
	if opens, err = e.Ledger.OpenActions(ctx); err != nil {
		return nil, fmt.Errorf("read the open actions: %w", err)
	}
	still := make(map[resource.Ref]ledger.OpenAction, len(opens))
	for _, o := range opens {
		still[o.Ref] = o
	}
	return slices.DeleteFunc(out, func(x OpenAction) bool {
		// An action that started since the first read has another key or token.
		o, open := still[x.Ref]
		return !x.Running && (!open || o.Key != x.Key || o.Token != x.Token)
	}), nil
}

// claimed identifies the claim of an action: the resource and the token.
type claimed struct {
	ref   string
	token int64
}

// liveClaims releases the claims of crashed processes, and lists the others where they are needed.
func (e *Recovery) liveClaims(ctx context.Context, needed bool) ([]parts.Claim, error) {
	dead, err := e.Ledger.DeadRuns()
	if err != nil || len(dead) == 0 && !needed {
		return nil, err
	}
	claims, err := e.Claims.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the claims: %w", err)
	}
	return e.releaseDeadClaims(ctx, claims, dead)
}

// releaseDeadClaims revokes the claims of crashed processes on this data directory, so that nothing
// waits for them, and returns the other claims. Claims of other hosts expire without help. Each
// revocation is recorded. A claim that ended meanwhile is skipped.
func (e *Recovery) releaseDeadClaims(ctx context.Context, claims []parts.Claim, dead []string) ([]parts.Claim, error) {
	if len(dead) == 0 {
		return claims, nil
	}
	var left []parts.Claim
	for _, c := range claims {
		// The list of dead runs is about the processes of this data directory alone.
		if c.Instance != e.Ledger.Instance() || !slices.Contains(dead, c.Run) {
			left = append(left, c)
			continue
		}
		_, err := e.Claims.Revoke(ctx, c.Ref, c.Token)
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
		event := event.Revoked{
			Ref: ref, ClaimedBy: c.Run, Token: c.Token, Who: e.Ledger.User(),
			Reason: fmt.Sprintf("process %d on %s ended without releasing it", c.PID, c.Host),
		}
		if _, err := e.Ledger.Record(ctx, event); err != nil {
			return nil, fmt.Errorf("record the revoked claim: %w", err)
		}
	}
	// A run is forgotten once none of its claims is left: after a crash before this, the next call revokes the rest.
	for _, run := range dead {
		if err := e.Ledger.ForgetRun(run); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// ReleaseDead revokes the claims of crashed processes on this data directory. It returns no error:
// the next cycle retries it, and reports a failure.
func (e *Recovery) ReleaseDead(ctx context.Context) { _, _ = e.liveClaims(ctx, false) }

// recoveredActions are the results that an observation showed.
type recoveredActions struct {
	results []event.Recovered
	at      storage.Revision                   // of the results; 0 without any
	open    map[resource.Ref]ledger.OpenAction // still without a result
}

// recoverAll recovers open actions from an observation, records the results, and returns the
// actions that stay open. A report does not show what was acted on after it was made. An action
// whose kind was not read, or whose resource was acted on after the report, stays open.
func (e *Recovery) recoverAll(
	ctx context.Context, opens []OpenAction, live resource.LiveState, acted map[resource.Ref]bool,
) (*recoveredActions, error) {
	open := map[resource.Ref]ledger.OpenAction{}
	var results []event.Recovered
	good := map[resource.Ref]event.Event{}
	for _, d := range opens {
		if d.Running {
			continue // its claim keeps other instances away and names its owner
		}
		// It stays open unless a result is found below.
		open[d.Ref] = d.OpenAction
		snapshot, read := live.Scopes[d.Ref.Scope()]
		if !read || acted[d.Ref] {
			continue
		}
		switch err := e.Ledger.Recoverable(ctx, d.OpenAction); {
		case errors.Is(err, ledger.ErrUnproven):
			continue // it stays open until an operator trusts the key
		case err != nil:
			return nil, fmt.Errorf("prove the open action on %s: %w", d.Ref, err)
		}
		before, _, err := e.Ledger.Applied(ctx, d.Ref, 0)
		if err != nil {
			return nil, fmt.Errorf("read what was applied to %s: %w", d.Ref, err)
		}
		if d.Deadline, err = e.Ledger.Until(ctx, d.OpenAction); err != nil {
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
	late, err := e.arrived(ctx, opens, live, acted, good)
	if err != nil {
		return nil, err
	}
	results = append(results, late...)
	if len(results) == 0 {
		return &recoveredActions{open: open}, nil
	}
	// All results are one batch. A result that another process has recorded meanwhile is omitted.
	kept, receipt, err := e.Ledger.RecordRecovered(ctx, results, good)
	if err != nil {
		return nil, fmt.Errorf("record the recovered actions: %w", err)
	}
	for _, r := range results {
		// An action with an unknown result stays open until an operator resolves it.
		if r.Finding != event.FoundUnknown {
			delete(open, r.Ref)
		}
	}
	return &recoveredActions{results: kept, open: open, at: receipt.Revision}, nil
}
