package engine

import (
	"fmt"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

// markedAs are the things that carry a ref with ovi's marks.
func markedAs(s resource.Snapshot, ref resource.Ref) []resource.Observed {
	var out []resource.Observed
	for i := range s.Resources {
		if o := &s.Resources[i]; o.Ref == ref && o.Managed {
			out = append(out, *o)
		}
	}
	return out
}

// recover reads from what stands there what became of an action.
func (e *Engine) recover(o ledger.OpenAction, there []resource.Observed, s resource.Snapshot, before event.Applied) event.Recovered {
	a := event.Recovered{Ref: o.Ref, Key: o.Key, Action: o.Action}
	at := s.At.UTC().Format(time.RFC3339)
	say := func(f event.Finding, id, format string, args ...any) event.Recovered {
		a.Finding, a.ID, a.Evidence = f, id, fmt.Sprintf(format, args...)+", seen at "+at
		return a
	}
	deletes := o.Action == decider.Delete || o.Phase == event.PhaseDelete
	creates := o.Action == decider.Create || o.Phase == event.PhaseCreate
	switch {
	case len(there) > 1:
		return say(event.FoundUnknown, "", "%d things carry its name: take the marks off all but one", len(there))
	case deletes && (len(there) == 0 || there[0].ID != o.Have):
		return say(event.FoundDone, o.Have, "%s is not there any more", o.Have)
	case deletes:
		return say(event.FoundNotDone, o.Have, "%s is still there", o.Have)
	case len(there) == 0 && creates:
		return say(event.FoundNotDone, "", "nothing carries its name; should it still appear, the next try with the same key makes no second one")
	case len(there) == 0:
		return say(event.FoundNotDone, "", "the thing is not there any more")
	case creates && there[0].Key != "" && there[0].Key != o.Key:
		return say(event.FoundNotDone, there[0].ID, "%s carries its name, but was made by another action", there[0].ID)
	case creates:
		return say(event.FoundDone, there[0].ID, "%s carries its name%s", there[0].ID, andKey(there[0], o.Key))
	case e.isAsApplied(o, there[0], s, before):
		return say(event.FoundDone, there[0].ID, "%s is as it was to become", there[0].ID)
	}
	return say(event.FoundNotDone, there[0].ID, "%s is not, or not provably, as it was to become", there[0].ID)
}

func andKey(o resource.Observed, key string) string {
	if o.Key == key {
		return " and its key"
	}
	return ""
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
		found := markedAs(s, r.Ref)
		if len(found) != 1 {
			return nil, false
		}
		return found[0].Refer(r.Path)
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
