package rows

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// planValue is the value of plan/<stack>.
type Plan struct {
	Plan   string       `json:"plan"`
	Listed string       `json:"listed"` // the plan whose record lists the decisions
	Hash   string       `json:"hash"`
	Mode   event.Mode   `json:"mode"`
	At     time.Time    `json:"at"`
	Counts event.Counts `json:"counts"`
	// What approvals bind to, so that any instance can tell who said yes.
	Digest    string `json:"digest,omitempty"`
	Approving string `json:"approving,omitempty"`
}

// decidedValue is the value of decided/<ref>: the plan that first decided so.
type Decided struct {
	Plan     string          `json:"plan"`
	Mode     event.Mode      `json:"mode"`
	At       time.Time       `json:"at"`
	Decision json.RawMessage `json:"decision"`
}

// approval is the value of consent/<digest>/<who>: the last one of each person.
type Approval struct {
	Seq   wal.Seq        `json:"seq"`
	At    time.Time      `json:"at"`
	Event event.Approved `json:"event"`
}

// loadedValue is the value of loaded/<stack>.
type Loaded struct {
	Version string `json:"version,omitempty"`
	Source  string `json:"source,omitempty"`
}

type Blessing struct {
	Who    string    `json:"who"`
	Reason string    `json:"reason,omitempty"`
	At     time.Time `json:"at"`
}

// tries is the value of tries/<ref>.
type Tries struct {
	Desired  string    `json:"wish"`
	Failures int       `json:"failures"`
	Last     time.Time `json:"last,omitzero"`
	Error    string    `json:"error,omitempty"`
	// Key is kept when a create may still come through: making the same wish again with
	// the same key makes no second thing.
	Key string `json:"key,omitempty"`
	// RecreateOnly are the paths that can't be changed on the thing ID.
	RecreateOnly []string `json:"anew,omitempty"`
	ID           string   `json:"id,omitempty"`
}

// action is one record in acts/<ref>.
type Action struct {
	Seq    wal.Seq         `json:"seq"`
	Record json.RawMessage `json:"record"`
}

// head is the value of log/<instance>: how far the store has come with the log.
type Head struct {
	Seq   wal.Seq   `json:"seq"`
	Chain string    `json:"chain"`
	At    time.Time `json:"at"`
	// Rev is the revision at which it came there, in a version of the key that only fences.
	Rev storage.Revision `json:"rev,omitempty"`
}

// reached is the revision at which the log came to this place: e's, unless that only fenced.
func (h Head) Reached(e storage.Entry) storage.Revision { return cmp.Or(h.Rev, e.Modified) }

// Event is an event with who recorded it when, for keys that need no more.
type Event struct {
	At    time.Time   `json:"at"`
	User  string      `json:"user,omitempty"`
	Run   string      `json:"run"`
	Event event.Event `json:"event"`
}

// EventOf is the value of a record.
func EventOf(r event.Record) Event { return Event{r.At, r.User, r.Run, r.Event} }
