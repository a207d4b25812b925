package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

// openAction is an action that began and of which nobody recorded the end.
type openAction struct {
	ledger.OpenAction
	running bool // somebody still has the claim on it: it may just be going on
}

// openActions are read before the look: whoever has no claim now does nothing more under that
// beginning, so what is seen afterwards is an answer. A call that was already on its way may
// still arrive; therefore a create that is tried again keeps its idempotency key.
func (e *Engine) openActions(ctx context.Context) ([]openAction, error) {
	claims, err := e.cfg.Claims.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("who holds what: %w", err)
	}
	if claims, err = e.releaseDeadClaims(ctx, claims); err != nil {
		return nil, err
	}
	opens, err := e.cfg.Ledger.OpenActions(ctx)
	if err != nil {
		return nil, fmt.Errorf("open actions: %w", err)
	}
	out := make([]openAction, len(opens))
	for i, o := range opens {
		held := slices.ContainsFunc(claims, func(c Claim) bool { return c.Ref == o.Ref.String() && c.Token == o.Token })
		out[i] = openAction{o, held}
	}
	return out, nil
}

// releaseDeadClaims ends the claims of processes on this data directory that died, and gives the claims
// that are left: nobody needs to wait for the dead. Of others nothing is known here, and
// their claims expire by themselves.
func (e *Engine) releaseDeadClaims(ctx context.Context, claims []Claim) ([]Claim, error) {
	dead, err := e.cfg.Ledger.DeadRuns()
	if err != nil || len(dead) == 0 {
		return claims, err
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
			return nil, fmt.Errorf("end the claim of a process that died: %w", err)
		}
		ref, err := resource.ParseRef(c.Ref)
		if err != nil {
			continue // the right to lead a loop: no thing, and no deed was done under it
		}
		event := event.Revoked{Ref: ref, ClaimedBy: c.Run, Token: c.Token, Who: e.cfg.Ledger.User(), Reason: fmt.Sprintf("its process, %d on %s, died", c.PID, c.Host)}
		if _, err := e.cfg.Ledger.Record(ctx, event); err != nil {
			return nil, fmt.Errorf("record the end of a claim: %w", err)
		}
	}
	for _, run := range dead {
		if err := e.cfg.Ledger.ForgetRun(run); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// ReleaseDead ends the claims of processes on this data directory that died before anybody waits for
// one of them. What fails here is tried again, and told, by the next cycle.
func (e *Engine) ReleaseDead(ctx context.Context) {
	if dead, err := e.cfg.Ledger.DeadRuns(); err != nil || len(dead) == 0 {
		return
	}
	if claims, err := e.cfg.Claims.List(ctx); err == nil {
		_, _ = e.releaseDeadClaims(ctx, claims)
	}
}

// recoverAll finds out what the observation can tell of open actions, puts it on record, and
// gives what stays open. raw is what providers answered, live the same with whose it is.
func (e *Engine) recoverAll(ctx context.Context, opens []openAction, raw, live resource.LiveState) ([]event.Recovered, map[resource.Ref]ledger.OpenAction, error) {
	open := map[resource.Ref]ledger.OpenAction{}
	var answers []event.Recovered
	for _, d := range opens {
		if d.running {
			continue // its claim keeps others away, and names whom to wait for
		}
		open[d.Ref] = d.OpenAction
		snapshot, read := raw.Scopes[d.Ref.Scope()]
		if !read {
			continue
		}
		before, _, err := e.cfg.Ledger.Applied(ctx, d.Ref, 0)
		if err != nil {
			return nil, nil, fmt.Errorf("what was applied to %s: %w", d.Ref, err)
		}
		if a, known := e.recover(d.OpenAction, snapshot, live.Scopes[d.Ref.Scope()], before); known {
			answers = append(answers, a)
		}
	}
	if len(answers) == 0 {
		return nil, open, nil
	}
	kept, err := e.cfg.Ledger.RecordRecovered(ctx, answers)
	if err != nil {
		return nil, nil, fmt.Errorf("record what became of open actions: %w", err)
	}
	for _, a := range answers {
		if a.Finding != event.FoundUnknown {
			delete(open, a.Ref)
		}
	}
	return kept, open, nil
}

// openActionPolicy blocks what would be done to a resource whose last action has no result
// yet.
type openActionPolicy struct {
	open  map[resource.Ref]ledger.OpenAction
	kinds decider.Kinds
}

// supersedes reports that another configuration may be applied while one is in progress.
func (u openActionPolicy) supersedes(d *decider.Decision, o ledger.OpenAction) bool {
	k, _ := u.kinds(d.Ref.Provider, d.Ref.Kind)
	return k.Supersede && d.DesiredDigest() != o.Desired
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
		case o.Accepted && u.supersedes(&p.Decisions[i], o):
		case o.Accepted:
			out[i] = decider.Blocker{Reason: fmt.Sprintf("a %s was accepted and is in progress until %s", o.Action, o.Deadline.UTC().Format(time.RFC3339)), Until: &o.Deadline}
		default:
			out[i] = decider.Blocker{
				Reason:     fmt.Sprintf("a %s started at %s by run %s has no recorded result", o.Action, o.At.UTC().Format(time.RFC3339), o.Run),
				Suggestion: "remove ovi's tags from all but one of the resources that carry its name, or `ovi adopt` the right one, and plan again",
			}
		}
	}
	return out, nil
}

// OpenActionPolicy is the name of the policy that blocks what has an action without a result.
const OpenActionPolicy = "open_action"
