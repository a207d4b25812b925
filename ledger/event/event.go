// Package event has the events of the audit log and their encoding.
package event

import (
	"time"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/wal"
)

// Record is one event with its position in the log.
type Record struct {
	Seq      wal.Seq
	ID       string // ULID
	At       time.Time
	Instance string // that recorded it in its log
	Run      string // ULID of the run
	User     string // that started the run, as they call themselves
	UID      string // as the operating system knows them; "" if it has no such numbers
	Host     string // where the run was
	Event    Event
}

// Event is something that happened, in the past tense. The set is closed: see Types. Events
// hold no secrets: a value that is secret is encoded as its digest.
type Event interface {
	// Type is the event's name in the log: "started".
	Type() string
	// About is the resource that the event concerns; zero for events about many or none.
	About() resource.Ref
}

// Loaded records that a source was read completely.
type Loaded struct {
	Stack     string `json:"stack"`
	Source    string `json:"source,omitempty"`
	Version   string `json:"version,omitempty"`
	Release   string `json:"release,omitempty"` // the version that the source gives itself
	Resources int    `json:"resources"`
}

// Led records the version of a stack that its leading loop has loaded. After it, no loop starts an action of another
// version, on any instance, except actions that put back up what was taken down to make room.
type Led struct {
	Stack   string `json:"stack"`
	Version string `json:"version,omitempty"`
}

// Phase is a part of a cycle that can fail as a whole.
type Phase string

// The phases of a cycle.
const (
	PhaseLoad    Phase = "load"
	PhaseObserve Phase = "observe"
	PhaseCompare Phase = "compare"
	PhaseDecide  Phase = "decide"
)

// PhaseFailed records that a phase of a cycle failed, so that nothing was planned from it.
type PhaseFailed struct {
	Phase Phase          `json:"phase"`
	Stack string         `json:"stack,omitempty"`
	Scope resource.Scope `json:"scope,omitzero"` // of a failed observation
	Error string         `json:"error"`
}

// Revoked records that an operator revoked a claim.
type Revoked struct {
	Ref       resource.Ref `json:"ref"`
	ClaimedBy string       `json:"claimed_by,omitempty"`
	Token     int64        `json:"token"`
	Who       string       `json:"who"`
	Reason    string       `json:"reason,omitempty"`
}

// Refused records that a logged batch was not projected, because its claim had been lost. The
// batch changed nothing.
type Refused struct {
	From   wal.Seq      `json:"from"`
	To     wal.Seq      `json:"to"`
	Ref    resource.Ref `json:"ref,omitzero"`
	Key    string       `json:"key,omitempty"`
	Token  int64        `json:"token,omitempty"`
	Reason string       `json:"reason"`
}
