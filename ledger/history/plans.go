package history

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// planAt returns the last plan of a stack at a revision, and the revision that it made. If no stack is
// named, all stacks count. The revision is 0 if there was no plan.
func (l *Reader) planAt(
	ctx context.Context, stack string, at storage.Revision,
) (v rows.Plan, made storage.Revision, err error) {
	key := rows.PlanOf(stack)
	err = l.Entries(ctx, key, at, func(e storage.Entry) error {
		if stack != "" && e.Key != key || e.Modified < made {
			return nil
		}
		v, made = rows.Plan{}, e.Modified
		return json.Unmarshal(e.Value, &v)
	})
	return v, made, err
}

// Plans are the last plans of all stacks, sorted by their first stack. Stacks that were planned
// together have one plan.
func (l *Reader) Plans(ctx context.Context) ([]Plan, error) {
	var out []Plan
	err := l.Entries(ctx, rows.KeyPlan, storage.Now, func(e storage.Entry) error {
		var v rows.Plan
		if err := json.Unmarshal(e.Value, &v); err != nil {
			return err
		}
		stack, err := url.PathUnescape(strings.TrimPrefix(e.Key, rows.KeyPlan))
		if err != nil {
			return err
		}
		i := slices.IndexFunc(out, func(p Plan) bool { return p.ID == v.Plan })
		if i < 0 {
			i, out = len(out), append(out, Plan{ID: v.Plan, At: v.At, Counts: v.Counts})
		}
		out[i].Stacks = append(out[i].Stacks, stack)
		return nil
	})
	for _, p := range out {
		slices.Sort(p.Stacks)
	}
	slices.SortFunc(out, func(a, b Plan) int { return strings.Compare(a.Stacks[0], b.Stacks[0]) })
	return out, err
}

// findPlan finds when a plan of a stack was recorded, at a revision or before. The ids of plans are
// ordered by time, except if several instances plan at once: then a plan may not be found. The
// bisection needs reads in proportion to the logarithm of the number of revisions, where reading
// all plans would cost one read each.
func (p *batchReader) findPlan(
	ctx context.Context, stack, plan string, upTo storage.Revision,
) (rows.Plan, storage.Revision, error) {
	v, made, err := p.l.planAt(ctx, stack, upTo)
	if err != nil || v.Plan == plan {
		return v, made, err
	}
	low, high := p.clock.oldest, made-1
	for low <= high {
		middle := low + (high-low)/2
		v, made, err := p.l.planAt(ctx, stack, middle)
		switch order := cmp.Compare(v.Plan, plan); {
		case err != nil || made != 0 && order == 0:
			return v, made, err
		case made != 0 && order > 0:
			high = made - 1
		default:
			low = middle + 1
		}
	}
	return rows.Plan{}, 0, nil
}

// decided returns the row of the last decision at a revision, and the decision as a list of one. Without
// a row, the list is empty.
func (p *batchReader) decided(ctx context.Context, at storage.Revision) (storage.Entry, []event.Decision, error) {
	e, err := p.l.Get(ctx, rows.Of(rows.KeyDecided, p.ref), max(at, p.clock.oldest))
	if err != nil || e.Value == nil {
		return e, nil, err
	}
	m := Moment{}
	if err := decidedThen(&m, e); err != nil {
		return e, nil, err
	}
	return e, m.Records[0].Event.(event.Planned).Decisions, nil
}

// fewDrifts is the number of drift plans that are skipped one by one. If there are more, all plans of the
// stack are read at once.
const fewDrifts = 32

// last is the newest plan of a stack that was not only for drift, with its decision on the resource. A
// drift plan decides nothing about the configuration, so it does not replace the plan before it. It is
// nil if the store no longer has such a plan.
func (p *batchReader) last(ctx context.Context, stack string) (*LastPlan, error) {
	v, made, err := p.l.planAt(ctx, stack, p.clock.now)
	for n := 0; err == nil && made != 0 && v.Mode == event.ForDrift; n++ {
		if n == fewDrifts && stack != "" {
			v, made, err = p.wholePlan(ctx, stack, made-1)
			break
		}
		if made <= p.clock.oldest {
			return nil, nil
		}
		v, made, err = p.l.planAt(ctx, stack, made-1)
	}
	if err != nil || made == 0 {
		return nil, err
	}
	d, err := p.standing(ctx, stack, v, made)
	return &LastPlan{At: v.At, Mode: v.Mode, Decision: d}, err
}

// wholePlan reads all plans of a stack for the newest that was not only for drift, at a revision or
// before.
func (p *batchReader) wholePlan(
	ctx context.Context, stack string, upTo storage.Revision,
) (v rows.Plan, made storage.Revision, err error) {
	err = p.l.Versions(ctx, rows.PlanOf(stack), func(e storage.Entry) error {
		var x rows.Plan
		if e.Deleted || e.Modified > upTo {
			return nil
		}
		if err := json.Unmarshal(e.Value, &x); err != nil {
			return err
		}
		if x.Mode != event.ForDrift {
			v, made = x, e.Modified
		}
		return nil
	})
	return v, made, err
}

// standing is the decision of a plan on the resource; nil if there is none. The record that lists
// the plan's decisions has it. Where no log here has that record, an earlier decision counts if the
// resource was the same then: otherwise this plan would have made another.
func (p *batchReader) standing(
	ctx context.Context, stack string, v rows.Plan, made storage.Revision,
) (*event.Decision, error) {
	e, decisions, err := p.decided(ctx, made)
	if err != nil || len(decisions) == 0 {
		return nil, err
	}
	d := decisions[0]
	if bytes.Contains(e.Value, []byte(`"plan":"`+v.Listed+`"`)) {
		return &d, nil
	}
	listed, rev := v, made
	if v.Listed != v.Plan {
		if listed, rev, err = p.findPlan(ctx, stack, v.Listed, made); err != nil {
			return nil, err
		}
	}
	if listed.Plan == v.Listed && rev > 0 {
		if p.left == 0 {
			p.left = 1 // the state of the resource depends on it
		}
		records, ok, err := p.at(ctx, rev)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			if e, is := r.Event.(event.Planned); is && e.Plan == v.Listed {
				return &e.Decisions[0], nil
			}
		}
		if ok {
			return nil, nil
		}
	}
	then, err := p.l.Get(ctx, rows.Of(rows.KeyResource, p.ref), max(e.Modified, p.clock.oldest))
	if err != nil {
		return nil, err
	}
	now, err := p.l.Get(ctx, rows.Of(rows.KeyResource, p.ref), max(made, p.clock.oldest))
	if err != nil || !bytes.Equal(then.Value, now.Value) {
		return nil, err
	}
	return &d, nil
}

// sourceAt returns the last loaded source of a stack at a revision, and the revision of that record; 0 if
// there is none.
func (l *Reader) sourceAt(
	ctx context.Context, stack string, at storage.Revision,
) (event.Loaded, storage.Revision, error) {
	e, err := l.Get(ctx, rows.LoadedOf(stack), at)
	if err != nil || e.Value == nil {
		return event.Loaded{}, 0, err
	}
	var v rows.Loaded
	err = json.Unmarshal(e.Value, &v)
	return event.Loaded{Stack: stack, Source: v.Source, Version: v.Version, Release: v.Release}, e.Modified, err
}

// stackOf is the stack of a plan's resource.
func stackOf(e event.Planned) string {
	if len(e.Decisions) > 0 && e.Decisions[0].Ref.Stack != "" {
		return e.Decisions[0].Ref.Stack
	}
	if len(e.Stacks) > 0 {
		return e.Stacks[0]
	}
	return ""
}
