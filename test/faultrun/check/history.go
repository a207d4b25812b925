package check

import "time"

// Call is one changing request as the sandbox answered it, by the sandbox's clock.
type Call struct {
	Instance string // name of the caller
	Ref      string
	Key      string // of the Started under which it was sent
	Token    int64
	Action   string // "RunInstances"
	From, To time.Time
	Status   int
	Lost     bool     // the answer never arrived
	Made     []string // ids of what it created
	Ended    []string // ids of what it deleted
}

// Good reports that the sandbox did it.
func (c Call) Good() bool { return c.Status >= 200 && c.Status < 300 }

// ActionKind is the kind of a record about an action.
type ActionKind string

// The kinds of records.
const (
	Started   ActionKind = "started"
	Ended     ActionKind = "ended"     // done or failed, and accepted
	Uncertain ActionKind = "uncertain" // recorded, and open until it is answered
	Late      ActionKind = "late"      // an end that was rejected
	Answered  ActionKind = "answered"  // by observing
)

// Action is one record about an action. One in a rejected batch is none.
type Action struct {
	Instance string
	Seq      uint64
	Revision int64 // that its batch committed
	Kind     ActionKind
	Ref      string
	Key      string
	Token    int64
	Plan     string
	Saw      int64 // of Started: the newest revision that its plan can have read
	Deletes  bool
}

// Claim is one claim in the store, from its creation to its end.
type Claim struct {
	Ref      string
	Token    int64 // the revision that created it
	Instance string
	Ended    int64     // the revision that ended it; 0 means that it exists
	EndSeen  time.Time // when that was observed, at the latest
}

// ClaimOp is one attempt of an instance on a claim key, by the host's clock.
type ClaimOp struct {
	Client   int
	Ref      string
	From, To time.Time
	Take     bool // else: release
	Token    int64
	Result   OpResult
}

// OpResult is how an attempt on a claim ended.
type OpResult string

// The results.
const (
	OpDone     OpResult = "done"
	OpRefused  OpResult = "refused"
	OpUnknown  OpResult = "unknown"  // no answer
	OpVanished OpResult = "vanished" // the lease ended in the store
)

// Look is the start of one observation of the whole sandbox, by the host's clock.
type Look struct {
	Instance string
	Token    int64 // of the leader claim under which it started; 0 means none
	At       time.Time
}

// Succession is what followed the end of a leader, by the host's clock.
type Succession struct {
	From    string
	Drained bool // else: killed
	Gone    time.Time
	Next    time.Time     // when another led; zero: never
	Within  time.Duration // when another must
}

// Drain is an instance that ended on request.
type Drain struct {
	Instance string
	Left     []string // refs of its claims that existed then
}

// History is everything that a run recorded.
type History struct {
	Calls        []Call
	Actions      []Action
	Claims       []Claim
	Ops          []ClaimOp
	Live         map[string][]string // ref to the ids that exist in the sandbox at the end
	Desired      map[string]bool     // refs configured at the end; nil means not checked
	Open         []string            // refs with an action still open in the store
	Logs         map[string]error    // how verifying each log ended
	Observations []Look
	Successions  []Succession
	Drains       []Drain
	Content      string // of the live store
	Replayed     string // of the merged replay
}

// Breach is one broken promise.
type Breach struct {
	Rule, What string
}

func (b Breach) String() string { return b.Rule + ": " + b.What }
