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

// ClassAlarm is the class of an event that is an alarm of an orchestrator, about a node or a site.
const ClassAlarm = "alarm"

// Event is a change of a status, or an alarm. Site, Node, Incarnation and Seq are its key: the same key twice is one event.
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
	Request    Verb            `json:"request,omitempty"` // that led to it; "": nothing that was asked
	Generation uint64          `json:"generation,omitempty"`
	Version    string          `json:"version,omitempty"`
	Image      string          `json:"image,omitempty"` // the digest of the image that runs
	Health     resource.Health `json:"health,omitempty"`
	Attempt    int             `json:"attempt,omitempty"` // in a row of one configuration
	Class      string          `json:"class,omitempty"`   // of the error
	Message    string          `json:"message,omitempty"`

	// Gap is the first of the events up to Seq that are lost, because there were too many; 0: none.
	Gap uint64 `json:"gap,omitempty"`
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
