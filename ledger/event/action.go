package event

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Started records that an action is about to be executed. It is durable before the provider is
// called.
type Started struct {
	Plan   string         `json:"plan,omitempty"`
	Ref    resource.Ref   `json:"ref"`
	Key    string         `json:"key"` // idempotency key, kept for retries of this action
	Action decider.Action `json:"action"`
	// Phase is PhaseDelete or PhaseCreate for the phases of a replace, else empty.
	Phase string `json:"phase,omitempty"`
	// Step is the step of a replacement with a strategy, else empty.
	Step    string         `json:"step,omitempty"`
	Token   int64          `json:"token"`
	Reason  decider.Reason `json:"reason,omitempty"`
	Message string         `json:"message,omitempty"`
	Desired string         `json:"desired,omitempty"` // digest of the configuration
	Have    string         `json:"have,omitempty"`    // provider's id of the resource before
	Host    string         `json:"host,omitempty"`
	PID     int            `json:"pid,omitempty"`
	// Applying is the configuration (nil for a delete), secrets as digests. Once the action is
	// done, as recorded or as observed, it is what was last applied to the resource.
	Applying *Applied `json:"applying,omitempty"`
	// Undoes are the values, as text and by path, that were set outside ovi and that the action sets back.
	Undoes map[string]string `json:"undoes,omitempty"`
	// Approval is what allowed the action where a rule requires approval. An approval is used once:
	// the other actions of the same plan may rest on it, and no later plan.
	Approval *Approval `json:"approval,omitempty"`
	// MakesRoom lists the things that a delete frees for other resources. Each is an outage from the end of the
	// delete until the other resource has it.
	MakesRoom []Room `json:"makes_room,omitempty"`
	// Owes lists the configurations that must be applied after a delete, so that what it makes room for comes up.
	// While the source cannot be read, they are applied as accepted.
	Owes []Owed `json:"owes,omitempty"`
	// TakesRoom: the action takes something that was freed for it. Once it is done, the outage has ended.
	TakesRoom bool `json:"takes_room,omitempty"`
	// Signature is the signature of the instance, in a shared store. Without it no other instance recovers the action.
	Signature *Signature `json:"signature,omitzero"`
}

// Unsigned separates the event from its signature.
func (e Started) Unsigned() (Started, *Signature) {
	s := e.Signature
	e.Signature = nil
	return e, s
}

// Room is an exclusive thing that a delete frees for another resource.
type Room struct {
	Thing string       `json:"thing"` // in words: "port 80"
	For   resource.Ref `json:"for"`
}

// Owed is a configuration that a delete made necessary. Its resource takes a thing that the delete frees, or gives one
// up for such a resource.
type Owed struct {
	Ref     resource.Ref `json:"ref"`
	Desired string       `json:"desired"` // digest of the configuration
	For     resource.Ref `json:"for"`     // the resource that waits for it: it counts until this one is up
}

// The phases of a replace.
const (
	PhaseDelete = "delete"
	PhaseCreate = "create"
)

// Outcome is the result of an action.
type Outcome string

// The outcomes.
const (
	Done      Outcome = "done"
	Failed    Outcome = "failed"
	Uncertain Outcome = "uncertain"  // the result is unknown; the action stays open until observed
	Accepted  Outcome = "accepted"   // the provider continues on its own; the action stays open until observed
	Late      Outcome = "refused"    // the claim was lost: the result does not count
	NotCalled Outcome = "not_called" // an interrupt, or an action that excludes it, came before the call
)

// Finished records the result of an action, as far as its executor knows it.
type Finished struct {
	Plan      string         `json:"plan,omitempty"`
	Ref       resource.Ref   `json:"ref"`
	Key       string         `json:"key"`
	Action    decider.Action `json:"action"`
	Phase     string         `json:"phase,omitempty"`
	Step      string         `json:"step,omitempty"`
	Token     int64          `json:"token"`
	Outcome   Outcome        `json:"outcome"`
	ID        string         `json:"id,omitempty"`
	UID       string         `json:"uid,omitempty"` // tells the resource from an earlier one of that id
	Error     string         `json:"error,omitempty"`
	Cause     provider.Cause `json:"cause,omitempty"` // of the error, if the provider reports it
	Tries     int            `json:"tries,omitempty"` // calls made, if more than one
	Seconds   float64        `json:"seconds"`
	Desired   string         `json:"desired,omitempty"`  // digest of the configuration
	Deadline  time.Time      `json:"deadline,omitzero"`  // of an accepted action: then pending is failed
	Signature *Signature     `json:"signature,omitzero"` // of the binding that starts or ends here
	// RecreateOnly are the paths that the provider cannot change on the existing resource: it must
	// be replaced.
	RecreateOnly []string `json:"recreate_only,omitempty"`
	// Resource is what the provider reported after the action; nil after a delete.
	Resource *resource.Observed `json:"resource,omitempty"`
}

// Counts reports whether a failure is an attempt of its configuration.
func (e Finished) Counts() bool { return provider.HandlingOf(e.Cause).Counts }

// Applied is what was last applied to a resource.
type Applied struct {
	Attrs   resource.Attrs `json:"attrs,omitempty"`
	Tags    resource.Tags  `json:"tags,omitempty"`
	State   resource.State `json:"state,omitempty"`
	Desired string         `json:"desired,omitempty"` // digest of the configuration
	At      time.Time      `json:"at,omitzero"`
	// Unverified are the attributes that cannot be read back and that no recorded action has set, as on an
	// adopted resource: Attrs has the configured values, not the live ones.
	Unverified []string `json:"unverified,omitempty"`
	// Recovered: an observation found what an action without a result had created, and perhaps not all
	// of its configuration was set. A difference was then not made outside ovi.
	Recovered bool `json:"recovered,omitempty"`
	// DependsOn are the resources that the configuration depends on, by its references too: they are
	// deleted after the resource, even once neither is configured.
	DependsOn []resource.Ref `json:"depends_on,omitempty"`
}

// Finding is the result of an open action as observed.
type Finding string

// The findings.
const (
	FoundDone    Finding = "done"
	FoundNotDone Finding = "not_done"
	FoundFailed  Finding = "failed"  // of an accepted action
	FoundUnknown Finding = "unknown" // an operator must resolve it
)

// Recovered records the result of an open action as observed. A create with the finding not_done gets a second record,
// done, if it takes effect later.
type Recovered struct {
	Ref      resource.Ref   `json:"ref"`
	Key      string         `json:"key"`
	Action   decider.Action `json:"action"`
	Finding  Finding        `json:"finding"`
	ID       string         `json:"id,omitempty"`
	UID      string         `json:"uid,omitempty"`
	Evidence string         `json:"evidence"`
	Cause    provider.Cause `json:"cause,omitempty"` // of the failure, if the provider reports it
	// Failed: its failure is on record already; only whether it took effect all the same was open.
	Failed    bool       `json:"failed,omitempty"`
	Signature *Signature `json:"signature,omitzero"`
}

// NoNews reports whether the result says nothing that was not shown before: what failed did not
// happen.
func (e Recovered) NoNews() bool { return e.Failed && e.Finding == FoundNotDone }

// NotStarted records that an apply did not start an action, and why.
type NotStarted struct {
	Plan   string         `json:"plan"`
	Ref    resource.Ref   `json:"ref"`
	Action decider.Action `json:"action"`
	// "interrupted", "waiting", "turn", "unneeded", "claimed", "stale", "broken", "check", "unprepared"
	Why    string       `json:"why"`
	On     resource.Ref `json:"on,omitzero"`
	Detail string       `json:"detail,omitempty"`
}

// Yielded records that an apply left the rest of its plan to the plan of a newer configuration. Actions that it had
// started go on, and have their own results.
type Yielded struct {
	Plan string `json:"plan"`
	Left int    `json:"left"` // actions that were not started
}

// OutageEnded records that a resource, for which other resources gave things up, is no longer configured: it misses
// them no more.
type OutageEnded struct {
	Ref  resource.Ref `json:"ref"`
	Plan string       `json:"plan"`
}

// undoneSize is the length to which the text of a value is kept.
const undoneSize = 200

// Undoes returns the changes that were made outside ovi and that an action undoes.
func Undoes(changes []resource.Change) map[string]string {
	var out map[string]string
	for _, c := range changes {
		if !c.Outside() {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[c.Name()] = TextOf(c.From)
	}
	return out
}

// TextOf returns the text of a value, short enough for a line. A longer text is cut and gets the digest of the whole.
func TextOf(v resource.Value) string {
	if v == nil {
		return "(none)"
	}
	text := ""
	switch v := v.(type) {
	case resource.String:
		text = string(v)
	case resource.Digest:
		return "(secret) " + resource.ShortDigest(string(v))
	default:
		text = string(resource.AppendJSON(nil, v))
	}
	if len(text) <= undoneSize {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return strings.ToValidUTF8(text[:undoneSize], "") + "... " + hex.EncodeToString(sum[:3])
}
