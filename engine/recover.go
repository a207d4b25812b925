package engine

import (
	"fmt"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

// recover reads from what exists what became of an action; false where the kind was not read
// in full, so that nothing can be concluded.
func (e *Engine) recover(o ledger.OpenAction, raw, live resource.Snapshot, before event.Applied) (event.Recovered, bool) {
	a := event.Recovered{Ref: o.Ref, Key: o.Key, Action: o.Action}
	at := raw.At.UTC().Format(time.RFC3339)
	found := func(f event.Finding, have *resource.Observed, format string, args ...any) (event.Recovered, bool) {
		a.Finding, a.Evidence = f, fmt.Sprintf(format, args...)+", observed at "+at
		if have != nil {
			a.ID, a.UID = have.ID, have.UID
		}
		return a, true
	}
	absent := raw.Covers(o.Ref.Kind) == nil
	if o.Accepted {
		have := byID(raw, o.Ref.Kind, o.ID)
		switch {
		case have == nil && !absent:
			return a, false
		case have == nil:
			return found(event.FoundFailed, nil, "%s does not exist any more", o.ID)
		case have.Health == resource.Failing:
			return found(event.FoundFailed, have, "%s is failing: %s", have.ID, have.Message)
		case have.Health == resource.Pending && raw.At.Before(o.Deadline):
			return a, false
		case have.Health == resource.Pending:
			return found(event.FoundFailed, have, "%s is still pending at its deadline", have.ID)
		}
		return found(event.FoundDone, have, "%s is %s", have.ID, have.Health)
	}
	if o.Action == decider.Create || o.Phase == event.PhaseCreate {
		made := e.carriers(o, raw)
		switch {
		case len(made) > 1:
			return found(event.FoundUnknown, nil, "%d resources carry its idempotency key: remove ovi's tags from all but one", len(made))
		case len(made) == 1:
			return found(event.FoundDone, made[0], "%s carries its name and key", made[0].ID)
		case !absent:
			return a, false
		}
		return found(event.FoundNotDone, nil, "nothing carries its key; should it still appear, the next try with the same key creates no second one")
	}
	have := byID(live, o.Ref.Kind, o.Have)
	switch deletes := o.Action == decider.Delete || o.Phase == event.PhaseDelete; {
	case have == nil && !absent:
		return a, false
	case deletes && have == nil:
		a.ID = o.Have
		return found(event.FoundDone, nil, "%s does not exist any more", o.Have)
	case deletes:
		return found(event.FoundNotDone, have, "%s still exists", o.Have)
	case have == nil:
		return found(event.FoundNotDone, nil, "%s does not exist any more", o.Have)
	case e.isAsApplied(o, *have, live, before):
		return found(event.FoundDone, have, "%s is as configured", have.ID)
	}
	return found(event.FoundNotDone, have, "%s is not, or not provably, as configured", have.ID)
}

// carriers are the resources that an open create may have created: those with its key. A kind
// without marks is recognized by its natural name, and by being as configured.
func (e *Engine) carriers(o ledger.OpenAction, raw resource.Snapshot) []*resource.Observed {
	kind, _ := e.cfg.Providers.Kind(o.Ref.Provider, o.Ref.Kind)
	var out []*resource.Observed
	for i := range raw.Resources {
		x := &raw.Resources[i]
		switch {
		case x.Ref.Kind != o.Ref.Kind:
		case kind.Carrier == resource.NoMarks:
			if x.Ref == o.Ref && e.isAsApplied(o, *x, raw, event.Applied{}) {
				out = append(out, x)
			}
		case x.Marks.Key == o.Key && x.Marks.Ref == o.Ref:
			out = append(out, x)
		}
	}
	return out
}

func byID(s resource.Snapshot, kind, id string) *resource.Observed {
	for i := range s.Resources {
		if o := &s.Resources[i]; o.ID == id && o.Ref.Kind == kind {
			return o
		}
	}
	return nil
}

// managedAt finds what the record proves to be the resource of a ref.
func managedAt(s resource.Snapshot, ref resource.Ref) *resource.Observed {
	for i := range s.Resources {
		if o := &s.Resources[i]; o.Ref == ref && o.Managed() {
			return o
		}
	}
	return nil
}

// isAsApplied says that a thing is as an update was to make it; before is what was applied
// before that. What cannot be read back proves nothing: such an update is done again, which
// does no harm.
func (e *Engine) isAsApplied(o ledger.OpenAction, there resource.Observed, s resource.Snapshot, before event.Applied) bool {
	kind, ok := e.cfg.Providers.Kind(o.Ref.Provider, o.Ref.Kind)
	if !ok || o.Applying == nil || mentionsWriteOnly(o.Applying.Attrs, kind.Attrs) {
		return false
	}
	resolve := func(r resource.Reference) (resource.Value, bool) {
		if o := managedAt(s, r.Ref); o != nil {
			return o.Refer(r.Path)
		}
		return nil, false
	}
	return len(resource.Diff(o.Applying.Attrs, there.Attrs, kind, resource.DiffOptions{Resolve: resolve})) == 0 &&
		len(resource.DiffTags(o.Applying.Tags, there.Tags, before.Tags, nil)) == 0
}

// mentionsWriteOnly says that something of a wish cannot be read back.
func mentionsWriteOnly(desired resource.Attrs, schema []resource.Attribute) bool {
	for _, a := range schema {
		v, configuredAs := desired.Get(a.Name)
		if !configuredAs {
			continue
		}
		inner, _ := v.(resource.Attrs)
		if a.WriteOnly || mentionsWriteOnly(inner, a.Fields) {
			return true
		}
	}
	return false
}
