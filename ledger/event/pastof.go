package event

import "github.com/ovi-project/ovi/decider"

// PastOf returns a record as rules see it in a resource's history; false for events about no
// resource.
func PastOf(r Record) (decider.Past, bool) {
	p := decider.Past{At: r.At, Event: r.Event.Type(), Who: r.User}
	switch e := r.Event.(type) {
	case Blocked:
		p.Action = string(e.Proposed)
	case Started:
		p.Action = string(e.Action)
	case Finished:
		p.Action, p.Outcome = string(e.Action), string(e.Outcome)
	case Recovered:
		p.Action, p.Outcome = string(e.Action), string(e.Finding)
	case NotStarted:
		p.Action, p.Outcome = string(e.Action), e.Why
	case Blessed:
		if p.Who = e.Who; !e.On {
			p.Event = "unblessed"
		}
	case Adopted:
		p.Who = e.Who
	case Disowned:
		p.Who = e.Who
	case Dismissed:
		p.Who = e.Who
	case Moved:
		p.Who = e.Who
	case Revoked:
		p.Who = e.Who
	}
	return p, !r.Event.About().IsZero()
}
