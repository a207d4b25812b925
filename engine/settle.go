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
	"github.com/ovi-project/ovi/resource"
)

// doubt is an action that began and of which nobody recorded the end.
type doubt struct {
	ledger.OpenIntent
	running bool // somebody still has the claim on it: it may just be going on
}

// doubts are read before the look: whoever has no claim now does nothing more under that
// beginning, so what is seen afterwards is an answer. A call that was already on its way may
// still arrive; therefore a create that is tried again keeps its idempotency key.
func (e *Engine) doubts(ctx context.Context) ([]doubt, error) {
	claims, err := e.cfg.Claims.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("who holds what: %w", err)
	}
	if claims, err = e.bury(ctx, claims); err != nil {
		return nil, err
	}
	opens, err := e.cfg.Ledger.OpenIntents(ctx)
	if err != nil {
		return nil, fmt.Errorf("open actions: %w", err)
	}
	out := make([]doubt, len(opens))
	for i, o := range opens {
		held := slices.ContainsFunc(claims, func(c Claim) bool { return c.Ref == o.Ref.String() && c.Token == o.Token })
		out[i] = doubt{o, held}
	}
	return out, nil
}

// bury ends the claims of processes on this data directory that died, and gives the claims
// that are left: nobody needs to wait for the dead. Of others nothing is known here, and
// their claims expire by themselves.
func (e *Engine) bury(ctx context.Context, claims []Claim) ([]Claim, error) {
	dead, err := e.cfg.Ledger.Dead()
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
		if errors.Is(err, coordinator.ErrNotHeld) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("end the claim of a process that died: %w", err)
		}
		ref, err := resource.ParseRef(c.Ref)
		if err != nil {
			return nil, fmt.Errorf("a claim: %w", err)
		}
		event := ledger.Revoked{Ref: ref, Holder: c.Run, Token: c.Token, Who: e.cfg.Ledger.User(), Reason: fmt.Sprintf("its process, %d on %s, died", c.PID, c.Host)}
		if _, err := e.cfg.Ledger.Record(ctx, event); err != nil {
			return nil, fmt.Errorf("record the end of a claim: %w", err)
		}
	}
	for _, run := range dead {
		if err := e.cfg.Ledger.Bury(run); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// answer settles what the look can answer, on record, and gives what stays open.
func (e *Engine) answer(ctx context.Context, doubts []doubt, w resource.World) ([]ledger.Abandoned, map[resource.Ref]ledger.OpenIntent, error) {
	open := map[resource.Ref]ledger.OpenIntent{}
	var answers []ledger.Abandoned
	for _, d := range doubts {
		snapshot, seen := w.Seen[d.Ref.Scope()]
		if d.running {
			continue // the claim keeps others away, and tells whom to wait for
		}
		open[d.Ref] = d.OpenIntent
		if seen {
			answers = append(answers, e.settle(d.OpenIntent, carrying(snapshot, d.Ref), snapshot))
		}
	}
	if len(answers) == 0 {
		return nil, open, nil
	}
	kept, err := e.cfg.Ledger.RecordAnswers(ctx, answers)
	if err != nil {
		return nil, nil, fmt.Errorf("record what became of open actions: %w", err)
	}
	for _, a := range answers {
		if a.Finding != ledger.FoundUnknown {
			delete(open, a.Ref)
		}
	}
	return kept, open, nil
}

// carrying are the things that carry a ref with ovi's marks.
func carrying(s resource.Snapshot, ref resource.Ref) []resource.Observed {
	var out []resource.Observed
	for i := range s.Objects {
		if o := &s.Objects[i]; o.Ref == ref && o.Managed {
			out = append(out, *o)
		}
	}
	return out
}

// settle reads from what stands there what became of an action.
func (e *Engine) settle(o ledger.OpenIntent, there []resource.Observed, s resource.Snapshot) ledger.Abandoned {
	a := ledger.Abandoned{Ref: o.Ref, Key: o.Key, Action: o.Action}
	at := s.At.UTC().Format(time.RFC3339)
	say := func(f ledger.Finding, id, format string, args ...any) ledger.Abandoned {
		a.Finding, a.ID, a.Evidence = f, id, fmt.Sprintf(format, args...)+", seen at "+at
		return a
	}
	deletes := o.Action == decider.Delete || o.Half == ledger.HalfDelete
	creates := o.Action == decider.Create || o.Half == ledger.HalfCreate
	switch {
	case len(there) > 1:
		return say(ledger.FoundUnknown, "", "%d things carry its name: take the marks off all but one", len(there))
	case deletes && (len(there) == 0 || there[0].ID != o.Have):
		return say(ledger.FoundDone, o.Have, "%s is not there any more", o.Have)
	case deletes:
		return say(ledger.FoundNotDone, o.Have, "%s is still there", o.Have)
	case len(there) == 0 && creates:
		return say(ledger.FoundNotDone, "", "nothing carries its name; should it still appear, the next try with the same key makes no second one")
	case len(there) == 0:
		return say(ledger.FoundNotDone, "", "the thing is not there any more")
	case creates && there[0].Key != "" && there[0].Key != o.Key:
		return say(ledger.FoundNotDone, there[0].ID, "%s carries its name, but was made by another action", there[0].ID)
	case creates:
		return say(ledger.FoundDone, there[0].ID, "%s carries its name%s", there[0].ID, andKey(there[0], o.Key))
	case e.isAsApplied(o, there[0], s):
		return say(ledger.FoundDone, there[0].ID, "%s is as it was to become", there[0].ID)
	}
	return say(ledger.FoundNotDone, there[0].ID, "%s is not, or not provably, as it was to become", there[0].ID)
}

func andKey(o resource.Observed, key string) string {
	if o.Key == key {
		return " and its key"
	}
	return ""
}

// isAsApplied says that a thing is as an update was to make it. What cannot be read back
// proves nothing: such an update is done again, which does no harm.
func (e *Engine) isAsApplied(o ledger.OpenIntent, there resource.Observed, s resource.Snapshot) bool {
	kind, ok := e.cfg.Providers.Kind(o.Ref.Provider, o.Ref.Kind)
	if !ok || o.Applying == nil {
		return false
	}
	for _, a := range kind.Attrs {
		if _, wished := o.Applying.Attrs.Get(a.Name); wished && a.WriteOnly {
			return false
		}
	}
	resolve := func(r resource.Ref) (string, bool) {
		found := carrying(s, r)
		if len(found) != 1 {
			return "", false
		}
		return found[0].ID, true
	}
	return len(resource.Diff(o.Applying.Attrs, there.Attrs, kind, resource.DiffOptions{Resolve: resolve})) == 0 &&
		len(resource.DiffTags(o.Applying.Tags, there.Tags, nil, nil)) == 0
}

// unsettled holds back what would be done on a thing whose last action has no answer yet.
type unsettled struct {
	open map[resource.Ref]ledger.OpenIntent
}

// Name implements decider.Policy.
func (unsettled) Name() string { return "open-action" }

// Review implements decider.Policy.
func (u unsettled) Review(p decider.Plan, _ decider.Facts) (map[int]decider.Veto, error) {
	out := map[int]decider.Veto{}
	for i := range p.Decisions {
		if o, open := u.open[p.Decisions[i].Ref]; open {
			out[i] = decider.Veto{Reason: fmt.Sprintf("a %s begun at %s by run %s has no known end: look at %s, take ovi's marks off what is wrong, and plan again",
				o.Action, o.At.UTC().Format(time.RFC3339), o.Run, p.Decisions[i].Ref)}
		}
	}
	return out, nil
}
