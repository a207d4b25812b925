package check

import "time"

// Call is one changing request as the practice cloud answered it, by the cloud's clock.
type Call struct {
	Instance string // name of the caller
	Ref      string
	Key      string // of the Began that it was made under
	Token    int64
	Action   string // "RunInstances"
	From, To time.Time
	Status   int
	Lost     bool     // the answer never arrived
	Made     []string // ids of what it made
	Ended    []string // ids of what it took away
}

// Good says that the cloud did it.
func (c Call) Good() bool { return c.Status >= 200 && c.Status < 300 }

// ActionKind is what a record says of an action.
type ActionKind string

// The kinds of deeds.
const (
	Started   ActionKind = "began"
	Ended     ActionKind = "ended"     // done or failed, and it counts
	Uncertain ActionKind = "uncertain" // on record, and open until it is answered
	Late      ActionKind = "late"      // an end that was refused
	Answered  ActionKind = "answered"  // by observing
)

// Action is one record about an action. One that stood in a batch which was refused is no deed.
type Action struct {
	Instance string
	Seq      uint64
	Revision int64 // that its batch committed
	Kind     ActionKind
	Ref      string
	Key      string
	Token    int64
	Plan     string
	Saw      int64 // of Began: the newest revision that its plan can have known
	Deletes  bool
}

// Claim is the life of one claim in the store.
type Claim struct {
	Ref      string
	Token    int64 // the revision that made it
	Instance string
	Ended    int64     // the revision that ended it; 0: it stands
	EndSeen  time.Time // when that was seen, at the latest
}

// ClaimOp is one attempt of an instance on a claim key, by the host's clock.
type ClaimOp struct {
	Client   int
	Ref      string
	From, To time.Time
	Take     bool // else: give back
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
	OpVanished OpResult = "vanished" // the lease ended: the store's own doing
)

// Look is one at the whole cloud, as it was begun, by the host's clock.
type Look struct {
	Instance string
	Token    int64 // of the claim to lead under which it was begun; 0: none
	At       time.Time
}

// Succession is what came of it that the instance that led was gone, by the host's clock.
type Succession struct {
	From    string
	Drained bool // else: killed
	Gone    time.Time
	Next    time.Time     // when another led; zero: nobody did
	Within  time.Duration // when another must
}

// Drain is an instance that was told to end and did.
type Drain struct {
	Instance string
	Left     []string // refs of its claims that stood then
}

// History is everything a run left behind.
type History struct {
	Calls        []Call
	Actions      []Action
	Claims       []Claim
	Ops          []ClaimOp
	Live         map[string][]string // ref to the ids that live in the cloud at the end
	Desired      map[string]bool     // refs wanted at the end; nil: not looked at
	Open         []string            // refs with an action still open in the store
	Logs         map[string]error    // how verifying each log ended
	Observations []Look
	Successions  []Succession
	Drains       []Drain
	Content      string // of the live store
	Replayed     string // of the merged replay
}

// Breach is one promise that was not kept.
type Breach struct {
	Rule, What string
}

func (b Breach) String() string { return b.Rule + ": " + b.What }
