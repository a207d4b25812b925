package charts

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/reconcile"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/cutepod"
	"github.com/ovi-project/ovi/resource"
)

// preview fills in what a dry run would do.
func (in *Installation) preview(p decider.Plan) {
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if !d.Action.Executes() {
			continue
		}
		if e, is := in.Chart.warning(d); is {
			in.note(e)
			continue
		}
		a := in.Chart.action(d)
		for _, o := range in.Chart.operations(d) {
			a.Commands = append(a.Commands, in.Chart.commands(o)...)
		}
		in.add(d.Action, a)
	}
}

func (in *Installation) add(action decider.Action, a render.ChartAction) {
	r := &in.result
	switch verbOf(action) {
	case "created":
		r.Created = append(r.Created, a)
	case "deleted":
		r.Deleted = append(r.Deleted, a)
	default:
		r.Updated = append(r.Updated, a)
	}
}

// apply does the plan, shows what ends, and returns the exit codes.
func (in *Installation) apply(l *session.Session, p *engine.Planned) ([]int, error) {
	ctx, heedless := cli.Hangup(in.Context)
	defer heedless()
	w := &Watcher{Installation: in, Steps: map[resource.Ref]*Steps{}, Plan: map[resource.Ref]*decider.Decision{}}
	for i := range p.Plan.Decisions {
		w.Plan[p.Plan.Decisions[i].Ref] = &p.Plan.Decisions[i]
	}
	if in.Out.Machine() {
		w.lines = render.NewLines(in.Out.Enc, session.NamesOf(p))
	}
	stop := l.Ledger.Listen(w.Record)
	result, err := l.Engine.Apply(ctx, p, engine.ApplyOptions{
		Parallelism: in.given.parallelism, Hard: in.HardContext(),
		Approved: &event.Approved{Plan: p.ID, Hash: p.Hash, Who: in.User(), How: "auto-approve"},
	})
	stop()
	for _, o := range result.Outcomes {
		d := w.Plan[o.Ref]
		if e, failed := in.Chart.outcome(o, d); failed {
			in.note(e)
			in.Screen.Error(w.failed(e, o, d))
			continue
		}
		if o.Status == engine.Unneeded {
			// It is not created because nothing would use it yet.
			r, by := in.Chart.resource(o.Ref), in.Chart.resource(o.On)
			in.result.Skipped = append(in.result.Skipped, r)
			in.Screen.Skipped(r, fmt.Sprintf("not created (the %s %s would use it)", by.Type, by.Name))
			continue
		}
		w.finish(d, o.ID, o.Seconds, in.Now())
	}
	for ref, s := range w.Steps {
		if s.Done != nil {
			w.add(w.Plan[ref].Action, s.Done.ChartAction)
		}
	}
	codes := reconcile.ResultCodes(result)
	if ctx.Err() != nil {
		codes = append(codes, in.Stopped())
	}
	return codes, err
}

// Watcher turns the events of an apply into what the screen shows.
type Watcher struct {
	*Installation
	Plan  map[resource.Ref]*decider.Decision
	lines *render.Lines // for programs

	mu    sync.Mutex
	Steps map[resource.Ref]*Steps
}

// Steps is what was done with one resource so far.
type Steps struct {
	Started  time.Time
	commands []cutepod.Command
	Done     *cutepod.Done
}

// Record reads one event.
func (w *Watcher) Record(r event.Record) {
	if w.lines != nil {
		w.lines.Record(r)
	}
	switch e := r.Event.(type) {
	case event.Started:
		w.started(e, r.At)
	case event.Finished:
		if d := w.Plan[e.Ref]; d != nil && e.Outcome == event.Done && d.Action != decider.Replace &&
			d.Action != decider.Revert {
			w.finish(d, e.ID, e.Seconds, r.At)
		}
	case event.ReplaceFinished:
		if d := w.Plan[e.Ref]; d != nil && !e.Reverted && d.Action == decider.Replace {
			w.finish(d, e.ID, max(r.At.Sub(w.since(e.Ref, r.At)), 0).Seconds(), r.At)
		}
	}
}

// since is when the first step of an action started.
func (w *Watcher) since(ref resource.Ref, now time.Time) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.Steps[ref]; s != nil {
		return s.Started
	}
	return now
}

func (w *Watcher) started(e event.Started, at time.Time) {
	d := w.Plan[e.Ref]
	if d == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.Steps[e.Ref]
	if s == nil {
		s = &Steps{Started: at}
		w.Steps[e.Ref] = s
	}
	if o, ok := w.Chart.operation(d, cmp.Or(e.Step, e.Phase)); ok {
		for _, c := range w.Chart.commands(o) {
			s.commands = append(s.commands, cutepod.Command{At: at, Text: c})
		}
	}
	doing := "updating"
	switch d.Action {
	case decider.Create:
		doing = "creating"
	case decider.Delete:
		doing = "deleting"
	}
	w.Screen.Running(w.Chart.resource(e.Ref), doing, at)
}

// finish shows a resource that is done, once.
func (w *Watcher) finish(d *decider.Decision, id string, seconds float64, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.Steps[d.Ref]
	if s == nil {
		s = &Steps{Started: at}
		w.Steps[d.Ref] = s
	}
	if s.Done != nil {
		return
	}
	a := w.Chart.action(d)
	a.ID, a.Seconds = cmp.Or(id, a.ID), seconds
	for _, c := range s.commands {
		a.Commands = append(a.Commands, c.Text)
	}
	s.Done = &cutepod.Done{ChartAction: a, Verb: verbOf(d.Action), Commands: s.commands, Started: s.Started, Finished: at}
	w.Screen.Action(*s.Done)
}

// failed is an error with what was done before it.
func (w *Watcher) failed(e render.ChartError, o engine.Outcome, d *decider.Decision) cutepod.Failed {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := cutepod.Failed{ChartError: e, Verb: verbOf(d.Action), Seconds: o.Seconds}
	if s := w.Steps[o.Ref]; s != nil {
		f.Commands, f.Started = s.commands, s.Started
		f.Finished = s.Started.Add(time.Duration(o.Seconds * float64(time.Second)))
	}
	return f
}

// operations are the calls that a decision will make.
func (v *ChartView) operations(d *decider.Decision) []provider.Operation {
	steps := []string{""}
	switch {
	case len(d.Steps) > 0:
		steps = nil
		for _, s := range d.Steps {
			steps = append(steps, string(s))
		}
	case d.Action == decider.Replace:
		steps = []string{event.PhaseDelete, event.PhaseCreate}
	}
	var out []provider.Operation
	for _, s := range steps {
		if o, ok := v.operation(d, s); ok {
			out = append(out, o)
		}
	}
	return out
}

// operation is the call that an action makes in a step of a replacement, or in its only one.
func (v *ChartView) operation(d *decider.Decision, step string) (provider.Operation, bool) {
	o := provider.Operation{Desired: resource.Desired{Ref: d.Ref}, Have: d.Observed, Changes: d.Changes, Find: v.find}
	if d.Desired != nil {
		o.Desired = *d.Desired
	}
	o.Desired = v.names.of(o.Desired)
	swap := d.Strategy == resource.Swap || d.Strategy == resource.StartFirst
	o.Desired.Replace = d.Strategy
	switch replace.Step(step) {
	case replace.Create:
		o.Verb, o.Beside = provider.VerbCreate, swap
	case replace.SetAside:
		o.Verb, o.Beside = provider.VerbSetAside, true
	case replace.Switch:
		o.Verb, o.Beside = provider.VerbSwitch, true
	case replace.Restore:
		o.Verb, o.Beside = provider.VerbRestore, true
	case replace.DeleteOld:
		o.Verb, o.Beside = provider.VerbDelete, d.Strategy.KeepsOld()
	case replace.DeleteNew:
		o.Verb = provider.VerbDelete
	default:
		// The action has no strategy.
		switch {
		case step == event.PhaseDelete || step == "" && d.Action == decider.Delete:
			o.Verb = provider.VerbDelete
		case step == event.PhaseCreate || step == "" && d.Action == decider.Create:
			o.Verb = provider.VerbCreate
		case step == "" && (d.Action == decider.Update || d.Action == decider.Restart):
			o.Verb = provider.VerbUpdate
		default:
			return o, false
		}
	}
	return o, true
}

func (v *ChartView) commands(o provider.Operation) []string {
	if v.byHand == nil {
		return nil
	}
	return v.byHand(o)
}

// summarize counts a result.
func summarize(r *render.ChartResult, took time.Duration) {
	s := &r.Summary
	s.Created, s.Updated, s.Deleted, s.Seconds = len(r.Created), len(r.Updated), len(r.Deleted), took.Seconds()
	var of []render.ChartResource
	s.Failed = 0
	for _, e := range r.Errors {
		x := resourceOr(e.Resource)
		if e.Resource != nil && slices.Contains(of, x) {
			continue
		}
		of, s.Failed = append(of, x), s.Failed+1
	}
	switch {
	case s.Failed > 0:
		s.Status = "failed"
	case r.DryRun:
		s.Status = "planned"
	default:
		s.Status = "success"
	}
	verb := map[bool]string{false: "%d created, %d updated, %d deleted", true: "%d create, %d update, %d delete"}[r.DryRun]
	s.Text = fmt.Sprintf(verb, s.Created, s.Updated, s.Deleted)
	if s.Failed > 0 {
		s.Text += fmt.Sprintf(", %d failed", s.Failed)
	}
}
