package recovery

import (
	"fmt"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// recover finds the result of an open action in an observation; false if the kind was not read in
// full, so that nothing can be concluded. The result is never guessed from an incomplete
// observation. Not done is safe for a create, because the next attempt uses the same key.
func (e *Recovery) recover(o ledger.OpenAction, live resource.Snapshot, before event.Applied) (event.Recovered, bool) {
	a := event.Recovered{Ref: o.Ref, Key: o.Key, Action: o.Action, Failed: o.Counted}
	found := finding(&a, live)
	absent := live.Covers(o.Ref.Kind) == nil
	deletes := o.Action == decider.Delete || o.Phase == event.PhaseDelete
	if o.Accepted {
		return e.recoverAccepted(o, live, &a)
	}
	if o.Action == decider.Create || o.Phase == event.PhaseCreate {
		created := e.carriers(o, live)
		switch {
		case len(created) > 1:
			return found(event.FoundUnknown, nil, "%d resources have its idempotency key: remove the ovi tags from all but one",
				len(created))
		case len(created) == 1:
			return found(event.FoundDone, created[0], "%s has its name and key", created[0].ID)
		// The kind was not read in full, so the resource may exist.
		case !absent:
			return a, false
		}
		return found(event.FoundNotDone, nil,
			"no resource has its key; if it takes effect later, the key tells, and no second one is created")
	}
	if r, known, is := recoverStep(o, live); is {
		return r, known
	}
	have := byID(live, o.Ref.Kind, o.Have)
	switch {
	case have == nil && !absent:
		return a, false
	// Whatever removed the resource, the delete has nothing left to do.
	case deletes && have == nil:
		a.ID = o.Have
		return found(event.FoundDone, nil, "%s does not exist any more", o.Have)
	case deletes && e.mayBeLeaving(o, have, live.At):
		return a, false
	case deletes:
		return found(event.FoundNotDone, have, "%s still exists", o.Have)
	// The resource of an update is gone. The next plan finds it missing.
	case have == nil:
		return found(event.FoundNotDone, nil, "%s does not exist any more", o.Have)
	case e.isAsApplied(o, *have, live, before):
		return found(event.FoundDone, have, "%s matches its configuration", have.ID)
	}
	return found(event.FoundNotDone, have, "%s does not match its configuration, or cannot be compared in full", have.ID)
}

// mayBeLeaving reports whether the system may have accepted a delete whose result was not recorded. Until the time of
// its kind has passed, such a delete is not found undone.
func (e *Recovery) mayBeLeaving(o ledger.OpenAction, have *resource.Observed, at time.Time) bool {
	k := e.Kind(o.Ref)
	return k.Async && have.Health == resource.Pending && at.Before(o.At.Add(k.Pends()))
}

// withApplied returns a resource of which an accepted action failed, if it has the configuration of the
// action; nil if it kept the one before.
func (e *Recovery) withApplied(o ledger.OpenAction, have *resource.Observed, s resource.Snapshot) *resource.Observed {
	kind, ok := e.Providers.Kind(o.Ref.Provider, o.Ref.Kind)
	if ok && o.Applying != nil &&
		len(resource.Diff(o.Applying.Attrs, have.Attrs, kind, resource.DiffOptions{Resolve: valuesIn(s)})) > 0 {
		return nil
	}
	return have
}

// valuesIn resolves references to the resources of a snapshot.
func valuesIn(s resource.Snapshot) func(resource.Reference) (resource.Value, bool) {
	return func(r resource.Reference) (resource.Value, bool) {
		if o := managedAt(s, r.Ref); o != nil {
			return o.Refer(r.Path)
		}
		return nil, false
	}
}

// carriers returns the resources that an open create may have created: those with its key, or, for
// a kind without marks, one with the natural name that matches the configuration. More than one
// resource means that a create ran twice, which only an operator can resolve.
func (e *Recovery) carriers(o ledger.OpenAction, live resource.Snapshot) []*resource.Observed {
	kind := e.Kind(o.Ref)
	var out []*resource.Observed
	for i := range live.Resources {
		x := &live.Resources[i]
		switch {
		case x.Ref.Kind != o.Ref.Kind:
		case kind.Carrier == resource.NoMarks:
			if (kind.ByAttrs || x.NaturalRef() == o.Ref.Bare()) && e.isAsApplied(o, *x, live, event.Applied{}) {
				out = append(out, x)
			}
		case x.Marks.Key == o.Key && x.Marks.Ref == o.Ref:
			out = append(out, x)
		}
	}
	return out
}

// byID returns the resource of a kind that has an ID; nil if it was not observed.
func byID(s resource.Snapshot, kind, id string) *resource.Observed {
	for i := range s.Resources {
		if o := &s.Resources[i]; o.ID == id && o.Ref.Kind == kind {
			return o
		}
	}
	return nil
}

// managedAt returns the proven resource of a ref.
func managedAt(s resource.Snapshot, ref resource.Ref) *resource.Observed {
	for i := range s.Resources {
		if o := &s.Resources[i]; o.Ref == ref && o.Managed() {
			return o
		}
	}
	return nil
}

// isAsApplied reports whether a resource matches the configuration of the action; before is the
// configuration that was applied earlier. It reports false if there is a write-only attribute. Then the
// action is repeated, which is harmless.
func (e *Recovery) isAsApplied(
	o ledger.OpenAction, have resource.Observed, s resource.Snapshot, before event.Applied,
) bool {
	kind, ok := e.Providers.Kind(o.Ref.Provider, o.Ref.Kind)
	if o.Reason == decider.ReasonState && o.Applying != nil {
		if _, differs := resource.DiffState(o.Applying.State, &have, true); differs {
			return false
		}
	}
	if !ok || o.Applying == nil || MentionsWriteOnly(o.Applying.Attrs, kind.Attrs) {
		return false
	}
	return len(resource.Diff(o.Applying.Attrs, have.Attrs, kind, resource.DiffOptions{Resolve: valuesIn(s)})) == 0 &&
		len(resource.DiffTags(o.Applying.Tags, have.Tags, before.Tags, nil)) == 0
}

// MentionsWriteOnly reports whether a configuration sets an attribute that cannot be read back.
func MentionsWriteOnly(desired resource.Attrs, schema []resource.Attribute) bool {
	for _, a := range schema {
		v, configured := desired.Get(a.Name)
		if !configured {
			continue
		}
		inner, _ := v.(resource.Attrs)
		if a.WriteOnly || MentionsWriteOnly(inner, a.Fields) {
			return true
		}
	}
	return false
}

// finding completes a result with the finding of an observation, and the resource's ID.
func finding(
	a *event.Recovered, live resource.Snapshot,
) func(event.Finding, *resource.Observed, string, ...any) (event.Recovered, bool) {
	return func(f event.Finding, have *resource.Observed, format string, args ...any) (event.Recovered, bool) {
		a.Finding, a.Evidence = f, fmt.Sprintf(format, args...)+", observed at "+live.At.UTC().Format(time.RFC3339)
		if have != nil {
			a.ID, a.UID = have.ID, have.UID
		}
		return *a, true
	}
}

// deletes reports whether an action removes the resource that there is.
func deletes(o ledger.OpenAction) bool {
	return o.Action == decider.Delete || o.Phase == event.PhaseDelete
}

// recoverAccepted finds the result of an accepted action; false if it is still in progress, or the kind was not
// read in full.
func (e *Recovery) recoverAccepted(
	o ledger.OpenAction, live resource.Snapshot, a *event.Recovered,
) (event.Recovered, bool) {
	found := finding(a, live)
	have := byID(live, o.Ref.Kind, o.ID)
	// The report about the request is better evidence than the state of the resource, which may have changed since.
	if last := live.Request(o.Key); last != nil {
		return e.requested(o, live, a, last, have)
	}
	switch {
	case have == nil && live.Covers(o.Ref.Kind) != nil:
		return *a, false
	case have == nil && deletes(o):
		a.ID = o.ID
		return found(event.FoundDone, nil, "%s does not exist any more", o.ID)
	// A create or update whose resource is gone has failed, whoever removed it.
	case have == nil:
		return found(event.FoundFailed, nil, "%s does not exist any more", o.ID)
	case have.Health == resource.Failing: // it runs, and is not healthy
		return found(event.FoundFailed, e.withApplied(o, have, live), "%s is failing: %s", have.ID, have.Message)
	case have.Health == resource.Pending && live.At.Before(o.Deadline):
		return *a, false
	case have.Health == resource.Pending:
		return found(event.FoundFailed, e.withApplied(o, have, live), "%s is still pending at its deadline", have.ID)
	case deletes(o): // it was accepted, and lost
		return found(event.FoundNotDone, have, "%s still exists, and is not being deleted", have.ID)
	case have.Health == resource.Stopped && o.Applying != nil && o.Applying.State == resource.StateRunning:
		return found(event.FoundFailed, e.withApplied(o, have, live), "%s is stopped: %s", have.ID, have.Message)
	}
	return found(event.FoundDone, have, "%s is %s", have.ID, have.Health)
}

// requested returns the result of an accepted action as the system reports it, whatever the resource is now: it
// may have failed, or have been deleted, since.
func (e *Recovery) requested(
	o ledger.OpenAction, live resource.Snapshot, a *event.Recovered, last *resource.Request, have *resource.Observed,
) (event.Recovered, bool) {
	found := finding(a, live)
	a.ID = o.ID
	switch {
	case last.State == resource.RequestDone && deletes(o) && have != nil: // it was of something else
		have, a.ID = e.withApplied(o, have, live), ""
		return found(event.FoundFailed, have, "the request was done, and %s still exists", have.ID)
	case last.State == resource.RequestDone:
		return found(event.FoundDone, have, "the request was done")
	case last.State == resource.RequestFailed:
		if have != nil {
			have = e.withApplied(o, have, live)
		}
		a.ID, a.Cause = "", provider.Cause(last.Cause)
		return found(event.FoundFailed, have, "the request failed: %s", last.Text)
	case last.State == resource.RequestSuperseded:
		return found(event.FoundNotDone, have, "a later request superseded it")
	case live.At.Before(o.Deadline):
		return *a, false
	}
	a.ID = ""
	return found(event.FoundFailed, have, "the request is still in progress at its deadline")
}

// recoverStep finds the result of an open step of a swap, and returns false if the action is not such a
// step. Whatever it finds, the replacement continues from the existing resources.
func recoverStep(o ledger.OpenAction, live resource.Snapshot) (r event.Recovered, known, is bool) {
	switch step := replace.Step(o.Step); step {
	case replace.SetAside, replace.Switch, replace.Restore:
		r = event.Recovered{Ref: o.Ref, Key: o.Key, Action: o.Action, Finding: event.FoundNotDone}
		have := byID(live, o.Ref.Kind, o.Have)
		switch {
		case have == nil && live.Covers(o.Ref.Kind) != nil:
			return r, false, true
		case have == nil:
			r.Evidence = o.Have + " does not exist any more"
		default:
			r.ID, r.UID = have.ID, have.UID
			if stepShows(step, o.Ref, have) {
				r.Finding = event.FoundDone
			}
			r.Evidence = fmt.Sprintf("%s is %s under the name %s", have.ID, have.Health, have.NaturalRef().Name)
		}
		r.Evidence += ", observed at " + live.At.UTC().Format(time.RFC3339)
		return r, true, true
	default:
		return r, false, false
	}
}

// stepShows reports whether a resource is as a step leaves it. A step sets the name and the state of its resource, so
// these tell whether it was done.
func stepShows(step replace.Step, ref resource.Ref, have *resource.Observed) bool {
	switch step {
	case replace.SetAside:
		return have.NaturalRef() != ref
	case replace.Switch:
		return have.Health != resource.Stopped
	default:
		return have.NaturalRef() == ref && have.Health != resource.Stopped
	}
}
