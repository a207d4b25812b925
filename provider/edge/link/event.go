package link

import (
	"time"

	"github.com/ovi-project/ovi/resource"
)

// Status is what a deployment on a node has come to, for those outside.
type Status string

// The statuses.
const (
	StatusPending    Status = "pending"
	StatusInstalling Status = "installing"
	StatusInstalled  Status = "installed"
	StatusFailed     Status = "failed"
	StatusDeleted    Status = "deleted"
	StatusRestarted  Status = "restarted"
)

// Classes of events of an orchestrator: an alarm about a node or a site, what keeps the new configurations of a site
// from
// starting, and how far one of them has come.
const (
	ClassAlarm   = "alarm"
	ClassOrder   = "order"
	ClassRollout = "rollout"
)

// Event is a change of a status, or an alarm. Site, Node, Incarnation and Seq are its key: the same key twice is one
// event.
type Event struct {
	Site string `json:"site"`
	Node string `json:"node"`
	// Incarnation is the outbox of the node: a node that was installed again has another one. Seq numbers
	// its events from 1.
	Incarnation string    `json:"incarnation"`
	Seq         uint64    `json:"seq"`
	Boot        string    `json:"boot,omitempty"` // of the host
	At          time.Time `json:"at"`             // by the clock of the node

	Deployment string          `json:"deployment,omitempty"`
	From       Status          `json:"from,omitempty"`
	To         Status          `json:"to,omitempty"`
	Request    Verb            `json:"request,omitempty"` // that led to it; "" if there was none
	Generation uint64          `json:"generation,omitempty"`
	Version    string          `json:"version,omitempty"`
	Requested  string          `json:"requested,omitempty"` // the version of the request, if another one runs
	Image      string          `json:"image,omitempty"`     // the digest of the image that runs
	Health     resource.Health `json:"health,omitempty"`
	Attempt    int             `json:"attempt,omitempty"` // in a row of one configuration
	Class      string          `json:"class,omitempty"`   // the cause of the error, or another class
	Message    string          `json:"message,omitempty"`

	Order uint64 `json:"order,omitempty"` // of ClassOrder: the number of the newest orders on record
	Wave  *Wave  `json:"wave,omitempty"`  // of ClassRollout

	// Gap is the first of the events up to Seq that are lost, because there were too many; 0 means none.
	Gap uint64 `json:"gap,omitempty"`
}

// Wave is how far a configuration has come.
type Wave struct {
	Version string `json:"version"` // its digest
	Reach   int    `json:"reach"`   // the newest wave that has started
	Of      int    `json:"of"`
}

// First is the first number that an event stands for.
func (e *Event) First() uint64 {
	if e.Gap > 0 {
		return e.Gap
	}
	return e.Seq
}

// Origin is whose events are numbered together.
type Origin struct {
	Site        string `json:"site"`
	Node        string `json:"node"`
	Incarnation string `json:"incarnation"`
}

// Origin is that of an event.
func (e *Event) Origin() Origin { return Origin{e.Site, e.Node, e.Incarnation} }

// Relayed is an event with the number that the outbox of an orchestrator gave it.
type Relayed struct {
	Number uint64 `json:"number"`
	Event  Event  `json:"event"`
}
