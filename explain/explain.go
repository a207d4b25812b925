package explain

import (
	"strings"
	"time"

	"github.com/ovi-project/ovi/history"
	"github.com/ovi-project/ovi/resource"
)

// Explainer tells stories. Value and Ref say how values and refs are written for the reader;
// both are needed.
type Explainer struct {
	Now   time.Time
	Value func(resource.Value) string
	Ref   func(resource.Ref) string
}

// State is how a thing stands, in one word.
type State string

// The states.
const (
	Matches        State = "as_wanted"
	Pending        State = "pending"   // something is to be done, and nobody has done it
	Blocked        State = "held_back" // a policy said no
	Open           State = "open"      // an action has no known end
	Failing        State = "failing"   // what was tried failed
	Unreachable    State = "blind"     // its place could not be seen
	Conflict       State = "foreign"   // wanted, and somebody else's
	Unmanaged      State = "unmanaged" // nobody's
	Deleted        State = "deleted"   // ovi took it away
	DeletedOutside State = "vanished"  // gone, and not by ovi
	Absent         State = "absent"    // never there
)

// Explanation is a thing's life told backwards.
type Explanation struct {
	Ref      string
	State    State
	Headline string // the answer, in a sentence or two
	Next     string // what to do about it; empty: nothing
	Facts    []Fact // how it stands now
	Events   []EventGroup
}

// EventGroup is one thing that happened, the newest first.
type EventGroup struct {
	At      time.Time
	What    string // "deed", "held_back", "planned", "seen", "gone", or the event
	Title   string
	Facts   []Fact
	Records []uint64 // its records in the log
	// Instance is whose log that is; empty: of the instance that tells it.
	Instance string
}

// Fact is one labelled answer.
type Fact struct{ Label, Text string }

// Explain tells the story.
func (t Explainer) Explain(c history.ResourceHistory) Explanation {
	s := Explanation{Ref: t.Ref(c.Ref)}
	b := newBuilder(t, c)
	for _, r := range c.Records {
		b.read(r)
	}
	s.State, s.Headline, s.Next = t.summary(c, b)
	s.Facts = t.present(c, b)
	s.Events = b.groups()
	return s
}

// present is how things stand now.
func (t Explainer) present(c history.ResourceHistory, b *builder) []Fact {
	var out []Fact
	add := func(label, text string) { out = append(out, Fact{label, text}) }
	switch {
	case c.Exists == nil:
		add("there", "no")
	case c.Exists.Managed():
		add("there", c.Exists.ID+", "+string(c.Exists.Health)+", of stack "+c.Exists.Stack)
	default:
		add("there", c.Exists.ID+", "+string(c.Exists.Health)+", without ovi's marks")
	}
	add("last look", t.lastObservation(c, b))
	if c.Blessed != nil {
		add("blessed", "by "+c.Blessed.Who+", "+t.when(c.Blessed.At)+because(c.Blessed.Reason))
	}
	if c.Last != nil {
		add("last plan", t.when(c.Last.At)+", "+t.lastDecision(c))
	}
	if c.From > 1 {
		add("record", "the log begins at record "+number(uint64(c.From))+"; what is older is told as far as the store has kept it")
	}
	return out
}

func (t Explainer) lastObservation(c history.ResourceHistory, b *builder) string {
	where := t.scope(c.Ref)
	switch {
	case c.Scan == nil:
		return where + " was never looked at"
	case !c.Scan.Complete && c.Scan.Confirmed.IsZero():
		return where + " could never be seen; last tried " + t.when(c.Scan.At) + because(c.Scan.Error)
	case !c.Scan.Complete:
		return where + " was last seen whole " + t.when(c.Scan.Confirmed) + "; looking failed " + t.when(c.Scan.At) + because(c.Scan.Error)
	}
	text := where + " was seen whole " + t.when(c.Scan.Confirmed)
	if d := b.lastAction(); d != nil && d.At.After(c.Scan.Confirmed) {
		return text + ", before the last action on it"
	}
	if c.Exists == nil {
		text += ", and it was not there"
	}
	return text
}

// scope is the place of a thing as its ref is written.
func (t Explainer) scope(r resource.Ref) string {
	return strings.TrimSuffix(t.Ref(r), "/"+r.Kind+"/"+r.Name)
}

func (t Explainer) lastDecision(c history.ResourceHistory) string {
	d := c.Last.Decision
	switch {
	case d == nil && c.Exists == nil:
		return "nothing about it"
	case d == nil:
		return "nothing to do about it"
	}
	text := t.decided(*d)
	if d.Action.Executes() && !t.stillToDo(c) {
		text += "; which was done"
	}
	return text
}

// when is a time with how long ago that was.
func (t Explainer) when(at time.Time) string {
	if at.IsZero() {
		return "at an unknown time"
	}
	text := stamp(at)
	if t.Now.IsZero() || at.After(t.Now) {
		return text
	}
	return text + " (" + ago(t.Now.Sub(at)) + " ago)"
}
