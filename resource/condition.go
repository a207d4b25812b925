package resource

import (
	"strings"
	"time"
)

// Condition says whether an existing resource has all its parts. A resource that does not exist has none.
type Condition string

// The conditions. The zero Condition is a whole resource; its Health says whether it is in service.
const (
	// Unreadable means that a part which decides could not be read. ovi concludes nothing from it and does
	// nothing to it. The Message says why.
	Unreadable Condition = "unreadable"
	// Broken means that the system answered in full and a part of the resource is missing. The resource may be in
	// use: ovi deletes it once it is no longer configured, and replaces it only if an operator names it.
	Broken Condition = "broken"
	// Unfinished means that its creation stopped and that nothing uses it. ovi creates it again automatically.
	Unfinished Condition = "unfinished"
)

// Sign is one piece of evidence about a resource: a part of it, or a use of it. The zero Sign was not read.
type Sign struct {
	What  string // a noun phrase, for the user: "its kubeconfig"
	Known bool   // it could be read
	Seen  bool   // it is there
	Why   string // the reason why it could not be read
}

// Conclude returns the condition of a resource, and its reason for the user. The parts are those that a whole
// resource has; the uses are signs that something needs it, or that its creation ended. All evidence counts: an
// unread part makes the resource unreadable even if another part is missing, and a missing part proves that a
// creation stopped only if every use was read and none was seen.
func Conclude(parts, uses []Sign) (Condition, string) {
	var missing, unread []string
	for _, s := range parts {
		switch {
		case !s.Known && s.Why != "":
			unread = append(unread, s.What+": "+s.Why)
		case !s.Known:
			unread = append(unread, s.What)
		case !s.Seen:
			missing = append(missing, s.What)
		}
	}
	switch {
	case len(unread) > 0:
		return Unreadable, strings.Join(unread, "; ")
	case len(missing) == 0:
		return "", ""
	}
	why := strings.Join(missing, " and ") + " is missing"
	if len(missing) > 1 {
		why = strings.Join(missing, " and ") + " are missing"
	}
	for _, s := range uses {
		switch {
		case !s.Known:
			return Broken, why + "; whether it has " + s.What + " could not be read"
		case s.Seen:
			return Broken, why + ", and it has " + s.What
		}
	}
	return Unfinished, "its creation stopped: " + why
}

// Request is the last request to a resource and its result, as the system reports them. It is not part of the
// observed state: a resource that is healthy after a failed request is healthy.
type Request struct {
	Key     string       `json:"key"`               // idempotency key of the action
	Desired string       `json:"desired,omitempty"` // digest of the configuration that it was to apply, if known
	State   RequestState `json:"state"`
	Cause   string       `json:"cause,omitempty"` // of a failed one; see Cause
	Text    string       `json:"text,omitempty"`  // of a failed one: its error
	At      time.Time    `json:"at,omitzero"`     // time of the state, by the clock of the system
}

// RequestState is the state of a request.
type RequestState string

// The states of a request.
const (
	RequestAccepted   RequestState = "accepted"
	RequestDone       RequestState = "done"
	RequestFailed     RequestState = "failed"
	RequestSuperseded RequestState = "superseded"
)
