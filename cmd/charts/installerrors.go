package charts

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// problemError is a problem of a chart's files.
func problemError(p source.Problem) render.ChartError {
	e := render.ChartError{
		Type: render.ChartErrorType(p.Cause.String()), Message: p.Summary, Cause: p.Detail, Suggestion: p.Suggestion,
		File: p.At.File, Line: p.At.Line, Column: p.At.Column,
	}
	if p.Detail != "" {
		e.Message += ": " + p.Detail
	}
	if e.Cause == "" {
		e.Cause = p.Summary
	}
	if kind, name, ok := strings.Cut(p.Ref, "/"); ok {
		e.Resource = &render.ChartResource{Type: kind, Name: name}
	}
	return e
}

func unreachableError(what, why string) render.ChartError {
	return render.ChartError{
		Type: render.ChartAPI, Message: what + " is unreachable: " + why, Cause: why, Recoverable: true,
		Suggestion: "run the same command again once it can be reached; its resources are not evaluated",
	}
}

// blocked is an error for a decision that is not executed: a policy blocks it, or something else
// has its name.
func (v *ChartView) blocked(d *decider.Decision) (render.ChartError, bool) {
	r := v.resource(d.Ref)
	e := render.ChartError{Type: render.ChartConfiguration, Resource: &r, Message: d.Message, Suggestion: d.Suggestion}
	switch {
	case d.Difference == comparator.Conflict:
		e.Cause = "conflict"
		return e, true
	case d.Action != decider.Notify || !d.Proposed.Executes() || len(d.Blockers) == 0:
		return e, false
	}
	b := d.Blockers[0]
	e.Message, e.Suggestion, e.Cause = b.Reason, b.Suggestion, "blocked by "+b.Policy
	if b.Policy == decider.BlockedByDependency {
		e.Type = render.ChartDependency
	}
	return e, true
}

// checkPolicy is the policy of warnings that a provider's check gives.
const checkPolicy = "check"

// warning is the error that a check predicts for a planned action.
func (v *ChartView) warning(d *decider.Decision) (render.ChartError, bool) {
	for _, w := range d.Warnings {
		if w.Policy != checkPolicy || !d.Action.Executes() {
			continue
		}
		r := v.resource(d.Ref)
		message, hint := provider.Parted(strings.TrimPrefix(w.Text, checkPolicy+": "))
		return render.ChartError{Type: render.ChartAPI, Resource: &r, Message: message, Cause: message, Suggestion: hint},
			true
	}
	return render.ChartError{}, false
}

// outcome is the error of an action that was not done; false if it was.
func (v *ChartView) outcome(o engine.Outcome, d *decider.Decision) (render.ChartError, bool) {
	r := v.resource(o.Ref)
	e := render.ChartError{
		Type: render.ChartAPI, Resource: &r, Message: o.Detail, Cause: string(o.Cause),
		Recoverable: o.Passes,
	}
	switch o.Status {
	case engine.Done, engine.ByOther, engine.Accepted, engine.Unneeded:
		return e, false
	case engine.Failed, engine.Refused:
		explainTo(&e, o.Err, d)
	case engine.Uncertain:
		explainTo(&e, o.Err, d)
		e.Recoverable, e.Suggestion = true, "run the same command again: it determines the result"
	case engine.WaitingFor:
		on := v.resource(o.On)
		e.Type, e.Cause = render.ChartDependency, on.Type+"/"+on.Name
		e.Message, e.Suggestion = fmt.Sprintf("the %s %s, which it depends on, is not ready", on.Type, on.Name),
			"solve its problem first"
	case engine.Claimed:
		e.Type, e.Recoverable, e.Cause = render.ChartConfiguration, true, "claimed"
		e.Message, e.Suggestion = "claimed by another run",
			"see `ovi claims`; use a longer --lock-timeout, or run the command again later"
		if o.ClaimedBy != "" {
			e.Message = "claimed by " + o.ClaimedBy
		}
	case engine.Stale:
		e.Recoverable, e.Cause = true, "changed"
		e.Message, e.Suggestion = "it changed since the plan was made: "+o.Detail, "run the same command again"
	case engine.Interrupted, engine.Yielded:
		e.Type, e.Recoverable, e.Cause = render.ChartConfiguration, true, "interrupted"
		e.Message, e.Suggestion = "not started: the command was stopped first", "run the same command again to continue"
	}
	return e, true
}

// explainTo fills in what a provider said. The error's own text is the one that holds no secrets.
func explainTo(e *render.ChartError, err error, d *decider.Decision) {
	if err == nil {
		return
	}
	e.Message, _ = provider.Parted(err.Error())
	var said *provider.Error
	if !errors.As(err, &said) {
		return
	}
	e.Suggestion = said.Hint
	if said.Op != "" {
		e.Message = strings.TrimPrefix(e.Message, said.Op+": ")
	}
	if said.Code != "" {
		var given resource.Attrs
		if d != nil && d.Desired != nil {
			given = d.Desired.Attrs
		}
		e.Cause = resource.Conceal(said.Code, given)
	}
}
