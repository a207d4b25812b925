package explain

import (
	"strings"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/resource"
)

// Explainer explains resources. Value and Ref say how values and refs are written; both are
// needed.
type Explainer struct {
	Now   time.Time
	Value func(resource.Value) string
	Ref   func(resource.Ref) string
	Kinds decider.Kinds // nil means that no schema is known
	// Running returns who runs an open action; false if its claim has ended. Nil: no claim is known.
	Running func(ledger.OpenAction) (by string, running bool)
}

// State is the state of a resource, in one word.
type State string

// The states.
const (
	Matches        State = "matches"         // its configuration
	Pending        State = "pending"         // a planned action was not executed
	Blocked        State = "blocked"         // by a policy
	Open           State = "open"            // an action has no recorded result
	Failing        State = "failing"         // the action failed
	Unreachable    State = "unreachable"     // its location could not be read
	Broken         State = "broken"          // a part of it is missing
	Conflict       State = "conflict"        // configured, but unmanaged or owned by another stack
	Unmanaged      State = "unmanaged"       // not created or adopted by ovi
	Deleted        State = "deleted"         // by ovi
	DeletedOutside State = "deleted_outside" // not by ovi, unless a delete took effect late
	Moved          State = "moved"           // to another name
	Forgotten      State = "forgotten"       // by an operator; ovi does not change it
	Absent         State = "absent"          // no action creates it
)

// Explanation is the answer: the state first, then what led to it, the newest first.
type Explanation struct {
	Ref      string
	State    State
	Headline string // the answer, in one sentence
	// Cause is the reason for it: "Updated 3m ago by ada, because it was changed outside ovi:". Changes are
	// the differences that it concerns. Both may be empty.
	Cause   string
	Changes []resource.Change
	// Suggestion is the next step for the operator; empty if there is none.
	Suggestion string
	Facts      []Fact // how it is now
	Events     []EventGroup
}

// deletedOutside is the kind of the event that a resource is missing.
const deletedOutside = "deleted_outside"

// EventGroup is one event with the records that belong to it.
type EventGroup struct {
	At      time.Time
	What    string // "action", "blocked", "not_started", "planned", "observed", "deleted_outside", or the event
	Title   string
	Facts   []Fact
	Records []uint64 // of the audit log
	// Instance is the owner of that audit log; empty means this instance.
	Instance string
}

// Fact is one labelled answer.
type Fact struct{ Label, Text string }

// scope is the location of a resource as its ref is written.
func (t Explainer) scope(r resource.Ref) string {
	return strings.TrimSuffix(t.Ref(r.Bare()), "/"+r.Kind+"/"+r.Name)
}

// since says how long ago a time is: "3m ago", after two days the date.
func (t Explainer) since(at time.Time) string {
	switch age := t.Now.Sub(at); {
	case at.IsZero():
		return "at an unknown time"
	case t.Now.IsZero() || age < 0:
		return "at " + phrase.Second(at)
	case age < 48*time.Hour:
		return phrase.Age(age) + " ago"
	}
	return "on " + at.UTC().Format("2006-01-02")
}
