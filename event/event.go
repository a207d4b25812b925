package event

import (
	"encoding/json"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/wal"
)

// Record is one event with its place in the log.
type Record struct {
	Seq      wal.Seq
	ID       string // ULID
	At       time.Time
	Instance string // whose log it is
	Run      string // ULID of the process's run
	User     string // who ran it
	Event    Event
}

// Event is something that happened, in the past tense. The set is closed: Loaded, Observed,
// Planned, Blocked, Approved, Started, Finished, Recovered, NotStarted, Blessed, Adopted, Revoked,
// Disowned, Dismissed, Moved, Lost, Refused, Compacted, Baseline and Acknowledged. Events hold no secrets: values with secrets
// are encoded as digests.
type Event interface {
	// Type is the event's name in the log: "began".
	Type() string
	// About is the thing the event is about; zero for events about many things or none.
	About() resource.Ref
}

// Loaded says: a source was read completely.
type Loaded struct {
	Stack     string `json:"stack"`
	Source    string `json:"source,omitempty"`
	Version   string `json:"version,omitempty"`
	Resources int    `json:"objects"`
}

// Observed says: a scope was looked at. A look at many things is several records of one batch,
// Part 1 to Of. A look that is not Complete changes nothing but its own scan entry.
type Observed struct {
	Scope    resource.Scope `json:"scope"`
	At       time.Time      `json:"looked"` // when the look began
	Complete bool           `json:"complete"`
	Error    string         `json:"error,omitempty"`
	// Kinds are those that were read in full; nil: all. Unreachable are kinds that were not,
	// and why.
	Kinds       []string            `json:"kinds,omitempty"`
	Unreachable map[string]string   `json:"unreachable,omitempty"`
	Count       int                 `json:"count"`
	Stacks      []string            `json:"stacks,omitempty"` // that own something there, sorted
	Part        int                 `json:"part"`
	Of          int                 `json:"of"`
	Changed     []resource.Observed `json:"changed,omitempty"` // new or different, sorted by ref
	Displaced   []Displaced         `json:"odd,omitempty"`     // of those, the ones on record under another name
	Gone        []resource.Ref      `json:"gone,omitempty"`
}

// Displaced is a thing that cannot be on record under the ref it carries: another one has that
// already, or it names another place. Most likely its marks were copied with it.
type Displaced struct {
	As       resource.Ref      `json:"as"` // name@id
	Resource resource.Observed `json:"thing"`
}

// Mode is what a plan was made for.
type Mode string

// The modes.
const (
	ForPlan  Mode = "plan"  // to look at; never executed unless saved and applied
	ForApply Mode = "apply" // to execute
	ForDrift Mode = "drift" // only what the world changed
)

// Decision is a decision as it is recorded: without the thing itself.
type Decision struct {
	Ref        resource.Ref              `json:"ref"`
	Stack      string                    `json:"stack,omitempty"`
	Difference comparator.DifferenceType `json:"difference"`
	Action     decider.Action            `json:"action"`
	Proposed   decider.Action            `json:"proposed"`
	Reason     decider.Reason            `json:"reason"`
	Message    string                    `json:"detail,omitempty"`
	Blockers   []decider.Blocker         `json:"vetoes,omitempty"`
	Changes    []resource.Change         `json:"changes,omitempty"`
	Warnings   []decider.Warning         `json:"warnings,omitempty"`
	// Desired is the wish, so that policies can be tried on the decision later; nil where nothing
	// is wanted. The thing itself stands in the looks before.
	Desired    *Desired          `json:"wanted,omitempty"`
	Suggestion string            `json:"suggestion,omitempty"`
	Strategy   resource.Strategy `json:"strategy,omitempty"` // of a replace
	Origin     *decider.Origin   `json:"origin,omitempty"`   // the record that allows what destroys
}

// Planned says: a plan was made. What is as wanted is counted, not listed. A plan whose decisions
// are those of the stack's last plan lists none of them and names that plan in Same.
type Planned struct {
	Plan        string            `json:"plan"` // ULID
	Stacks      []string          `json:"stacks"`
	Mode        Mode              `json:"mode"`
	Hash        string            `json:"hash"` // of the decisions
	Same        string            `json:"same,omitempty"`
	Counts      Counts            `json:"counts"`
	Unreachable map[string]string `json:"blind,omitempty"` // scopes not seen, and why
	Decisions   []Decision        `json:"decisions,omitempty"`
	// What policies saw besides the decisions: the time that was now for them, the last record
	// of this log that was known to them, how many things each stack had.
	At    time.Time      `json:"at,omitzero"`
	Known wal.Seq        `json:"known,omitempty"`
	Owned map[string]int `json:"owned,omitempty"`
	// Digest names the proposals, and is what an approval binds to.
	Digest string `json:"digest,omitempty"`
	// Approving is the digest that approvals had to be of, if it was another: of a saved plan.
	Approving string `json:"approving,omitempty"`
}

// Blocked says: an apply left out what a policy held back.
type Blocked struct {
	Plan     string            `json:"plan"`
	Ref      resource.Ref      `json:"ref"`
	Proposed decider.Action    `json:"proposed"`
	Blockers []decider.Blocker `json:"vetoes"`
}

// Approved says: somebody said yes to a plan. With a Digest it is an approval that rules ask for:
// it holds for whatever plan proposes the same, until it expires. Without one it is the yes
// of somebody who applies, and no rule counts it.
type Approved struct {
	Plan   string    `json:"plan"`
	Hash   string    `json:"hash"`
	Who    string    `json:"who"`
	How    string    `json:"how"` // "typed yes", "auto-approve", "plan file", "ovi approve"
	Until  time.Time `json:"until,omitzero"`
	Digest string    `json:"digest,omitempty"`
	Reason string    `json:"reason,omitempty"`
}

// Started says: an action is about to be done. It is durable before the provider is called.
type Started struct {
	Plan   string         `json:"plan,omitempty"`
	Ref    resource.Ref   `json:"ref"`
	Stack  string         `json:"stack,omitempty"`
	Key    string         `json:"key"` // idempotency key, kept for retries of this action
	Action decider.Action `json:"action"`
	// Phase is HalfDelete or HalfCreate for the halves of a replace, else empty.
	Phase   string         `json:"half,omitempty"`
	Token   int64          `json:"token"`
	Reason  decider.Reason `json:"reason,omitempty"`
	Message string         `json:"detail,omitempty"`
	Desired string         `json:"wish,omitempty"` // digest of the wish
	Have    string         `json:"have,omitempty"` // provider's id of what was there
	Host    string         `json:"host,omitempty"`
	PID     int            `json:"pid,omitempty"`
	// Applying is the wish (nil for a delete), secrets as digests: once the action is done, by
	// its end or by an observation, it is what was last applied to the thing.
	Applying *Applied `json:"applying,omitempty"`
}

// The halves of a replace.
const (
	PhaseDelete = "delete"
	PhaseCreate = "create"
)

// Outcome is how an action ended.
type Outcome string

// The outcomes.
const (
	Done      Outcome = "done"
	Failed    Outcome = "failed"
	Uncertain Outcome = "uncertain" // only observing can tell; the action stays open
	Late      Outcome = "refused"   // the claim was lost: the result does not count
)

// Finished says: an action that began has come to its end, as far as the one who did it knows.
type Finished struct {
	Plan        string         `json:"plan,omitempty"`
	Ref         resource.Ref   `json:"ref"`
	Stack       string         `json:"stack,omitempty"`
	Key         string         `json:"key"`
	Action      decider.Action `json:"action"`
	Phase       string         `json:"half,omitempty"`
	Token       int64          `json:"token"`
	Outcome     Outcome        `json:"outcome"`
	ID          string         `json:"id,omitempty"`
	UID         string         `json:"uid,omitempty"` // tells it from another of the same id
	Error       string         `json:"error,omitempty"`
	Class       string         `json:"class,omitempty"`
	Recoverable bool           `json:"recoverable,omitempty"`
	Tries       int            `json:"tries,omitempty"` // calls made, if more than one
	Seconds     float64        `json:"seconds"`
	Desired     string         `json:"wish,omitempty"` // digest of the wish
	// RecreateOnly are the paths that the provider could not change on what exists: it must be replaced.
	RecreateOnly []string `json:"anew,omitempty"`
	// Resource is what the provider said is there now; nil after a delete.
	Resource *resource.Observed `json:"thing,omitempty"`
}

// Applied is what was last applied to a thing.
type Applied struct {
	Attrs   resource.Attrs `json:"attrs,omitempty"`
	Tags    resource.Tags  `json:"tags,omitempty"`
	Desired string         `json:"wish,omitempty"` // digest of the wish
	Stack   string         `json:"stack,omitempty"`
	At      time.Time      `json:"at,omitzero"`
}

// Finding is what an observation says of an action whose end nobody recorded.
type Finding string

// The findings.
const (
	FoundDone    Finding = "done"
	FoundNotDone Finding = "not_done"
	FoundUnknown Finding = "unknown" // a human is asked
)

// Recovered says: an action that began and never ended was answered by observing.
type Recovered struct {
	Ref      resource.Ref   `json:"ref"`
	Key      string         `json:"key"`
	Action   decider.Action `json:"action"`
	Finding  Finding        `json:"finding"`
	ID       string         `json:"id,omitempty"`
	UID      string         `json:"uid,omitempty"`
	Evidence string         `json:"evidence"`
}

// NotStarted says: an action of an apply that was not begun, and why.
type NotStarted struct {
	Plan   string         `json:"plan"`
	Ref    resource.Ref   `json:"ref"`
	Action decider.Action `json:"action"`
	Why    string         `json:"why"` // "interrupted", "waiting", "held", "stale", "broken"
	On     resource.Ref   `json:"on,omitzero"`
	Detail string         `json:"detail,omitempty"`
}

// Blessed says: a thing was protected, or with On false its protection was taken away.
type Blessed struct {
	Ref    resource.Ref `json:"ref"`
	On     bool         `json:"on"`
	Who    string       `json:"who"`
	Reason string       `json:"reason,omitempty"`
}

// Adopted says: a thing that existed was taken into a stack.
type Adopted struct {
	Ref    resource.Ref `json:"ref"`
	ID     string       `json:"id"`
	UID    string       `json:"uid,omitempty"`
	Key    string       `json:"key,omitempty"` // written among its marks
	Stack  string       `json:"stack"`
	Who    string       `json:"who"`
	Reason string       `json:"reason,omitempty"`
}

// Disowned says: a binding was ended by an operator. The resource stays as it is.
type Disowned struct {
	Ref    resource.Ref `json:"ref"`
	ID     string       `json:"id"`
	Who    string       `json:"who"`
	Reason string       `json:"reason,omitempty"`
}

// Dismissed says: an operator said of a resource that is not bound that it blocks nothing and
// is never changed, whatever its marks say.
type Dismissed struct {
	Ref    resource.Ref `json:"ref"` // the name that its marks claim
	ID     string       `json:"id"`
	Who    string       `json:"who"`
	Reason string       `json:"reason,omitempty"`
}

// Moved says: a binding got another name, and perhaps another stack. The resource is the same.
type Moved struct {
	Ref    resource.Ref `json:"ref"` // the new name
	From   resource.Ref `json:"from"`
	ID     string       `json:"id"`
	Stack  string       `json:"stack"` // the new owner
	Who    string       `json:"who"`
	Reason string       `json:"reason,omitempty"`
}

// Lost says: a binding ended because an observation proved that the resource was deleted
// outside ovi: another one has its id.
type Lost struct {
	Ref resource.Ref `json:"ref"`
	ID  string       `json:"id"`
	UID string       `json:"uid,omitempty"` // of the resource that was bound
	Now string       `json:"now,omitempty"` // the UID that the id has now
}

// Revoked says: a human took a claim away from its holder.
type Revoked struct {
	Ref       resource.Ref `json:"ref"`
	ClaimedBy string       `json:"holder,omitempty"`
	Token     int64        `json:"token"`
	Who       string       `json:"who"`
	Reason    string       `json:"reason,omitempty"`
}

// Refused says: a batch that was logged was not projected: its claim was lost before. It changed
// nothing.
type Refused struct {
	From   wal.Seq      `json:"from"`
	To     wal.Seq      `json:"to"`
	Ref    resource.Ref `json:"ref,omitzero"`
	Key    string       `json:"key,omitempty"`
	Token  int64        `json:"token,omitempty"`
	Reason string       `json:"reason"`
}

// Compacted says: the store has forgotten what only reads before a revision could see.
type Compacted struct {
	Before int64  `json:"before"`
	Who    string `json:"who,omitempty"`
}

// Acknowledged: somebody said that a drift may stay for a while. It is that drift that is
// silenced, and no other of the same thing.
type Acknowledged struct {
	Ref    resource.Ref `json:"ref"`
	Drift  string       `json:"drift"` // digest of what differs
	What   string       `json:"what"`  // in words
	Until  time.Time    `json:"until"`
	Who    string       `json:"who"`
	Reason string       `json:"reason"`
}

// Baseline: facts that stood in the store were written into the log again, so that what is
// before a record may be trimmed and what is left still tells all that stands. It changes
// nothing in a store that has them.
type Baseline struct {
	Before wal.Seq `json:"before"` // what is about to be trimmed
	Who    string  `json:"who,omitempty"`
	Facts  []Fact  `json:"facts"`
}

// Fact is a key of the store with its value.
type Fact struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}
