package apply

import (
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// blessings are the resources that are configured as blessed and have the mark, but are not yet
// recorded as blessed. Once recorded, they stay protected without the configuration and the mark.
func (a *apply) blessings() []event.Event {
	var out []event.Event
	for _, in := range a.plan.Intents {
		for i := range in.Resources {
			d := &in.Resources[i]
			if !d.Blessed || a.plan.IsBlessed(d.Ref) {
				continue
			}
			if o, ok := a.plan.ResourceAt(d.Ref); ok && o.Marks.Blessed {
				out = append(out, a.blessing(d))
			}
		}
	}
	return out
}

// blessing is the event for a resource that is configured as blessed.
func (a *apply) blessing(d *resource.Desired) event.Blessed {
	reason := "configured as blessed"
	if d.At.File != "" {
		reason += " (" + d.At.String() + ")"
	}
	return event.Blessed{Ref: d.Ref, On: true, Who: a.engine.Ledger.User(), Reason: reason}
}

// blesses reports whether the result of a decision is to be recorded as a blessing.
func (a *apply) blesses(d *decider.Decision, end event.Finished) bool {
	return !a.operator && d.Desired != nil && d.Desired.Blessed && end.Outcome == event.Done &&
		end.Resource != nil && end.Resource.Marks.Blessed && !a.plan.IsBlessed(d.Ref)
}
