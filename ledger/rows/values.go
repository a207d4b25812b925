package rows

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// Head is the value of log/<instance>: how far the store has come with the log.
type Head struct {
	Seq   wal.Seq   `json:"seq"`
	Chain string    `json:"chain"`
	At    time.Time `json:"at"`
	// Rev is the revision at which the store came there, in a version of the key that only fences.
	Rev storage.Revision `json:"rev,omitempty"`
}

// Reached is the revision at which the store came to this position; e is the entry of the head.
func (h Head) Reached(e storage.Entry) storage.Revision { return cmp.Or(h.Rev, e.Modified) }

// Plan is the value of plan/<stack>.
type Plan struct {
	Plan   string       `json:"plan"`
	Listed string       `json:"listed"` // the plan whose record lists the decisions
	Hash   string       `json:"hash"`
	Mode   event.Mode   `json:"mode"`
	At     time.Time    `json:"at"`
	Counts event.Counts `json:"counts"`
	// The digests that approvals bind to, so that every instance can read who approved.
	Digest    string `json:"digest,omitempty"`
	Approving string `json:"approving,omitempty"`
	// Unread are the parts of the stack's source that could not be read.
	Unread []event.Unread `json:"unread,omitempty"`
}

// Output is the value of output/<stack>/<name>: an output as an apply recorded it, and the record.
type Output struct {
	Value    json.RawMessage `json:"value,omitempty"`
	Missing  string          `json:"missing,omitempty"` // why the output has no value
	Seq      wal.Seq         `json:"seq"`
	Instance string          `json:"instance"`
	At       time.Time       `json:"at"`
	By       string          `json:"by,omitempty"`
}

// Source is the value of source/<stack>/<part>: a part of a source, as accepted last.
type Source struct {
	Version  string                  `json:"version,omitempty"`
	Digest   string                  `json:"digest"`
	At       time.Time               `json:"at"`
	Settings *event.AcceptedSettings `json:"settings,omitempty"` // of the part without a name
}

// Room is the value of room/<ref>: a delete was done so that a resource can have another configuration.
type Room struct {
	Desired string `json:"desired"` // digest of that configuration
	// For is zero if the resource itself was deleted. Otherwise it is the resource that waits for the configuration.
	For resource.Ref `json:"for,omitzero"`
}

// Decided is the value of decided/<ref>: a decision, with the first plan that made it.
type Decided struct {
	Plan     string          `json:"plan"`
	Mode     event.Mode      `json:"mode"`
	At       time.Time       `json:"at"`
	Decision json.RawMessage `json:"decision"`
}

// Moved is the value of moved/<ref>: the last name that the resource under a ref was given. To is zero once another
// resource is moved to the ref.
type Moved struct {
	To resource.Ref `json:"to,omitzero"`
	ID string       `json:"id,omitempty"`
	// Earlier are the names that earlier resources under the ref were given.
	Earlier []resource.Ref `json:"earlier,omitempty"`
	// ByIdentity: the rename followed from the identity of the resource, and another one may lead back.
	ByIdentity bool `json:"by_identity,omitempty"`
	// Exchanged is the ref with which the ref exchanged resources; zero if its last rename was none. Desired is the
	// digest of the configuration that the ref had before.
	Exchanged resource.Ref `json:"exchanged,omitzero"`
	Desired   string       `json:"desired,omitempty"`
	// Arrived is the ref in another stack from which a resource was moved to this ref. It is cleared when the
	// configuration of this stack drops the ref, and does not count while that configuration has it.
	Arrived resource.Ref `json:"arrived,omitzero"`
}

// Outage is an exclusive thing that a delete freed for a resource which is not up. The value of outage/<ref> is a list
// of them.
type Outage struct {
	Thing string       `json:"thing"`
	Freed resource.Ref `json:"freed"` // the deleted resource
	ID    string       `json:"id"`
	At    time.Time    `json:"at"`
}

// Loaded is the value of loaded/<stack>.
type Loaded struct {
	Version string `json:"version,omitempty"`
	Source  string `json:"source,omitempty"`
	Release string `json:"release,omitempty"`
}

// Led is the value of led/<stack>.
type Led struct {
	Version string `json:"version,omitempty"`
}

// Tries is the value of tries/<ref>: the attempts of each configuration that did not succeed, the one
// that was tried last at the end.
type Tries struct {
	Of []Tried `json:"of"`
}

// triesKept is the number of configurations of a resource that are kept.
const triesKept = 8

// Last is the entry of the configuration that was tried last; false if there is none.
func (t Tries) Last() (Tried, bool) {
	if len(t.Of) == 0 {
		return Tried{}, false
	}
	return t.Of[len(t.Of)-1], true
}

// Change changes the entry of a configuration, which becomes the last.
func (t *Tries) Change(desired string, change func(*Tried)) {
	x := Tried{Desired: desired}
	for _, known := range t.Of {
		if known.Desired == desired {
			x = known
		}
	}
	t.Drop(desired)
	x.Past = false
	change(&x)
	t.Of = append(t.Of, x)
	t.Of = t.Of[max(0, len(t.Of)-triesKept):]
}

// Unkey removes the key of the entry of a configuration; false if it has none.
func (t *Tries) Unkey(desired string) bool {
	for i := range t.Of {
		if t.Of[i].Desired == desired && t.Of[i].Key != "" {
			t.Of[i].Key = ""
			return true
		}
	}
	return false
}

// UnkeyAll removes the keys of all entries; false if none has one.
func (t *Tries) UnkeyAll() (had bool) {
	for i := range t.Of {
		had = t.Unkey(t.Of[i].Desired) || had
	}
	return had
}

// Drop removes the entry of a configuration.
func (t *Tries) Drop(desired string) {
	t.Of = slices.DeleteFunc(t.Of, func(x Tried) bool { return x.Desired == desired })
}

// Pass notes that another configuration was applied: what an entry says is no longer the case.
func (t *Tries) Pass() {
	for i := range t.Of {
		t.Of[i].Past, t.Of[i].Kept = true, ""
	}
}

// Tried is an entry of Tries.
type Tried struct {
	Desired  string `json:"desired"`
	Failures int    `json:"failures"` // that count
	// Configuration are the failures that the configuration surely caused.
	Configuration int `json:"configuration,omitempty"`
	Lost          int `json:"lost,omitempty"` // attempts whose run ended without a result
	// Other are failures in a row that do not count, because they pass without a change of the configuration; Since is
	// the time of the first.
	Other int            `json:"other,omitempty"`
	Since time.Time      `json:"since,omitzero"`
	Last  time.Time      `json:"last,omitzero"`
	Cause provider.Cause `json:"cause,omitempty"` // of the last
	Error string         `json:"error,omitempty"`
	// Key is kept when a create may still take effect: creating the same configuration again with
	// the same key creates no second resource.
	Key string `json:"key,omitempty"`
	// Kept is the old resource of a replacement that the last failure reverted.
	Kept string `json:"kept,omitempty"`
	// Past says that another configuration was applied since.
	Past bool `json:"past,omitempty"`
	// RecreateOnly are the paths that cannot be changed on the resource with ID.
	RecreateOnly []string `json:"recreate_only,omitempty"`
	ID           string   `json:"id,omitempty"`
}

// Action is one record in the value of actions/<ref>.
type Action struct {
	Seq    wal.Seq         `json:"seq"`
	Record json.RawMessage `json:"record"`
}

// Event is an event with who recorded it when, for keys that need no more.
type Event struct {
	At    time.Time   `json:"at"`
	User  string      `json:"user,omitempty"`
	Run   string      `json:"run"`
	Event event.Event `json:"event"`
}

// EventOf is the value of a record.
func EventOf(r event.Record) Event { return Event{r.At, r.User, r.Run, r.Event} }
