package explain

import (
	"strings"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/resource"
)

// Explainer explains resources. Value and Ref say how values and refs are written; both are
// needed.
type Explainer struct {
	Now   time.Time
	Value func(resource.Value) string
	Ref   func(resource.Ref) string
	Kinds decider.Kinds // nil: no schema is known
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
	Conflict       State = "conflict"        // configured, but unmanaged or owned by another stack
	Unmanaged      State = "unmanaged"       // not created or adopted by ovi
	Deleted        State = "deleted"         // by ovi
	DeletedOutside State = "deleted_outside" // not by ovi
	Moved          State = "moved"           // to another name
	Forgotten      State = "forgotten"       // by an operator; ovi does not change it
	Absent         State = "absent"          // no action creates it
)

// Explanation is the answer: the state first, then what led to it, the newest first.
type Explanation struct {
	Ref      string
	State    State
	Headline string // the answer, in one sentence
	// Cause says what led to it: "Updated 3m ago by ada, because it was changed outside ovi:";
	// Changes are what it is about. Both may be empty.
	Cause   string
	Changes []resource.Change
	// Suggestion says what to do; empty: nothing.
	Suggestion string
	Facts      []Fact // how it is now
	Events     []EventGroup
}

// EventGroup is one event with the records that belong to it.
type EventGroup struct {
	At      time.Time
	What    string // "action", "blocked", "not_started", "planned", "observed", "deleted_outside", or the event
	Title   string
	Facts   []Fact
	Records []uint64 // of the audit log
	// Instance is whose audit log that is; empty: this instance's.
	Instance string
}

// Fact is one labelled answer.
type Fact struct{ Label, Text string }

// Explain explains the resource of a history.
func (t Explainer) Explain(c history.ResourceHistory) Explanation {
	b := newBuilder(t, c)
	for _, r := range c.Records {
		b.read(r)
	}
	s := t.summary(c, b)
	s.Ref = t.Ref(c.Ref)
	s.Facts = t.present(c, b)
	s.Events = b.groups()
	return s
}

// present is how the resource is now.
func (t Explainer) present(c history.ResourceHistory, b *builder) []Fact {
	out := []Fact{{"live state", t.liveState(c)}}
	if text := t.configured(c, b); text != "" {
		out = append(out, Fact{"configuration", text})
	}
	if c.Blessed != nil {
		out = append(out, Fact{"blessed", "by " + c.Blessed.Who + ", " + t.since(c.Blessed.At) + phrase.Because(c.Blessed.Reason)})
	}
	var records []uint64
	whose := ""
	if d := b.lastChange(); d != nil {
		out = append(out, Fact{"approved by", b.approval(d.action)})
		records = d.Records
		if d.Instance != "" {
			whose = " of instance " + d.Instance
		}
	}
	if text := numbers(records); text != "" {
		text += whose
		if c.From > 1 {
			text += "; the audit log begins at record " + number(uint64(c.From))
		}
		out = append(out, Fact{"audit log", text})
	} else if c.From > 1 {
		out = append(out, Fact{"audit log", "begins at record " + number(uint64(c.From))})
	}
	return out
}

// liveState is what was observed last, and when.
func (t Explainer) liveState(c history.ResourceHistory) string {
	text := "does not exist"
	switch {
	case c.Exists == nil:
	case managed(c):
		text = phrase.ID(c.Exists.ID) + ", " + string(c.Exists.Health)
	default:
		text = phrase.ID(c.Exists.ID) + ", " + string(c.Exists.Health) + ", unmanaged"
	}
	switch {
	case c.Scan == nil:
		return text + ", " + t.scope(c.Ref) + " was never observed"
	case !c.Scan.Complete && c.Scan.Confirmed.IsZero():
		return t.scope(c.Ref) + " was never read in full; unreachable " + t.since(c.Scan.At)
	case !c.Scan.Complete:
		return text + ", observed " + t.since(c.Scan.Read(c.Ref.Kind)) + "; unreachable " + t.since(c.Scan.At)
	}
	return text + ", observed " + t.since(c.Scan.Read(c.Ref.Kind))
}

// configured says where the resource is configured, as far as that is recorded.
func (t Explainer) configured(c history.ResourceHistory, b *builder) string {
	p, ok := b.lastPlan()
	if !ok {
		return ""
	}
	l, _ := b.load(p)
	source := l.Source
	if w := p.decision; w != nil && w.Desired != nil && w.Desired.At.Inside() {
		source = w.Desired.At.String()
	}
	switch {
	case source == "":
		return ""
	case isUnwanted(p.decision) && p.decision.Reason == decider.ReasonDestroyed:
		return "source " + l.Source + ", stack " + l.Stack + " destroyed"
	case isUnwanted(p.decision):
		return "not in " + l.Source + ", stack " + l.Stack
	case l.Stack == "":
		return source
	}
	return source + ", stack " + l.Stack
}

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
