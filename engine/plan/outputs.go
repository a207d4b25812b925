package plan

import (
	"context"
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/plan/stackref"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
	"github.com/ovi-project/ovi/storage"
)

// readStacks replaces the references to outputs of other stacks by the recorded values, so that nothing later
// distinguishes them from values in the file.
func (p *Planning) readStacks(ctx context.Context) error {
	r := stackref.Reader{
		Records: p.planner.Ledger.Reader(), At: p.o.At, Kind: p.planner.Kind, Secrets: p.planner.Secrets,
		Saved: p.o.savedStackPins, IsSaved: p.o.savedDigest != "",
	}
	read, err := r.Read(ctx, p.Intents)
	if err != nil {
		return err
	}
	p.Intents, p.stackPins = read.Intents, read.Pins
	for _, m := range read.Missing {
		p.NotFound = append(p.NotFound, NotFound{
			Ref: m.Ref, Why: m.Why, Suggestion: m.Suggestion, Stale: m.Stale, Unfit: m.Unfit,
		})
	}
	return nil
}

// publish lists the outputs that differ from the record.
func (p *Planning) publish(ctx context.Context) (err error) {
	if p.Mode == event.ForDrift {
		return nil
	}
	stays := func(d *decider.Decision) bool { return d.Proposed.Destroys() && !d.Action.Executes() }
	p.Plan.Outputs, p.Unknown, err = p.Outputs(ctx, p.planner.Ledger.Reader(), p.o.At, p.answer(), stays)
	return err
}

// lookedUp replaces the references to resources of others in outputs.
func lookedUp(all resource.Attrs, found map[resource.Ref]*resource.Observed) resource.Attrs {
	out, _ := resource.MapRefs(all, func(r resource.Reference) resource.Value {
		if o, is := found[r.Ref]; is {
			if v, has := o.Refer(r.Path); has {
				return v
			}
		}
		return r
	}).(resource.Attrs)
	return out
}

// Outputs lists the outputs of the stacks that differ from the record. It omits a stack whose source was not read in
// full: nothing is known of its outputs. A stack that is destroyed keeps them as long as one of its resources stays.
func (p *Planned) Outputs(
	ctx context.Context, r *query.Reader, at storage.Revision, answer func(resource.Reference) outputs.Answer,
	stays func(*decider.Decision) bool,
) (out []outputs.Change, unknown []outputs.Unknown, err error) {
	for i := range p.Intents {
		in := &p.Intents[i]
		if in.Unread != "" || in.Partial || len(in.Parts) > 0 {
			continue
		}
		if len(in.Resources)+len(in.Outputs) == 0 && slices.ContainsFunc(p.Plan.Decisions, func(d decider.Decision) bool {
			return d.Ref.Stack == in.Stack && stays(&d)
		}) {
			continue
		}
		was, err := query.Outputs(ctx, r, in.Stack, at)
		if err != nil {
			return nil, nil, err
		}
		changes, more := outputs.Changes(in.Stack, was, in.Outputs, answer)
		out, unknown = append(out, changes...), append(unknown, more...)
	}
	return out, unknown, nil
}

// answer returns the values that references have before the apply. A value that an action of the plan may change is
// known after apply.
func (p *Planning) answer() func(resource.Reference) outputs.Answer {
	acts := make(map[resource.Ref]*decider.Decision, len(p.Plan.Decisions))
	for i := range p.Plan.Decisions {
		if d := &p.Plan.Decisions[i]; d.Action.Executes() && d.Action != decider.Forget {
			acts[d.Ref] = d
		}
	}
	return func(r resource.Reference) outputs.Answer {
		d := acts[r.Ref]
		if d != nil && (d.Action == decider.Create || d.Action == decider.Replace || d.Action == decider.Revert) {
			return outputs.Answer{Late: true}
		}
		if d != nil && r.Path != "" && p.changes(d, r.Path) {
			return outputs.Answer{Late: true}
		}
		if o, found := p.ResourceAt(r.Ref); found {
			return outputs.Of(o, r)
		}
		return outputs.None(r)
	}
}

// changes reports whether an update may give an attribute another value.
func (p *Planning) changes(d *decider.Decision, path string) bool {
	kind := p.planner.Kind(d.Ref)
	for _, a := range kind.Attrs {
		if within(path, a.Name) && a.Computed {
			return len(a.ChangesWith) > 0
		}
	}
	return slices.ContainsFunc(d.Changes, func(c resource.Change) bool {
		return within(path, c.Path) || within(c.Path, path)
	})
}

// within reports whether a path is another one or below it.
func within(path, of string) bool {
	return path == of || len(path) > len(of) && path[:len(of)] == of && (path[len(of)] == '.' || path[len(of)] == '[')
}
