package render

import (
	"encoding/json"
	"time"

	"github.com/ovi-project/ovi/resource"
)

// Resource is a managed resource as last observed.
type Resource struct {
	Type   string `json:"type"` // "resource"
	Ref    string `json:"ref"`
	Scope  string `json:"scope"` // in full, with the account
	Kind   string `json:"kind"`
	ID     string `json:"id"`
	Stack  string `json:"stack"`
	Owner  string `json:"owner,omitempty"`
	Health string `json:"health"` // "healthy", "pending", "stopped", "failing" or "unknown"
	// Condition is "unreadable", "broken" or "unfinished" for a resource that lacks a part.
	Condition string            `json:"condition,omitempty"`
	Detail    string            `json:"message,omitempty"`
	Last      *resource.Request `json:"last_request,omitempty"` // if its system reports that
	Blessed   bool              `json:"blessed"`
	Seen      time.Time         `json:"observed_at"` // the last complete observation of its scope
	Since     *time.Time        `json:"since"`       // when it was created, where that is known
	Attrs     json.RawMessage   `json:"attrs,omitempty"`
	Tags      json.RawMessage   `json:"tags,omitempty"`
}

// Unmanaged is a resource that is not managed with ovi.
type Unmanaged struct {
	Type      string    `json:"type"` // "unmanaged"
	Ref       string    `json:"ref"`
	Scope     string    `json:"scope"`
	Kind      string    `json:"kind"`
	ID        string    `json:"id"`
	Health    string    `json:"health"`
	FirstSeen time.Time `json:"first_observed"`
	Before    bool      `json:"before"` // it may have existed before
	Seen      time.Time `json:"observed_at"`
	// Ownership is "unmanaged", or what its marks suggest without proof: "disputed", "copied",
	// "attested", "unproven" or "former".
	Ownership string `json:"ownership,omitempty"`
	OwnedBy   string `json:"owned_by,omitempty"` // the other system that manages it
}

// ScopeSeen is a scope and when it was last observed.
type ScopeSeen struct {
	Type     string    `json:"type"` // "scope"
	Scope    string    `json:"scope"`
	Observed time.Time `json:"observed_at"`
	Complete bool      `json:"complete"`
	Error    string    `json:"error,omitempty"`
	// Unreachable are the kinds that could not be read when an observation last tried, with the error of each.
	Unreachable map[string]string `json:"unreachable,omitempty"`
	Seen        *time.Time        `json:"complete_at"` // the last complete observation; null: never
	Count       int               `json:"count"`
	Kinds       []KindSeen        `json:"kinds,omitempty"` // that have resources, sorted
}

// KindSeen is what was last read of a kind in a scope.
type KindSeen struct {
	Kind    string     `json:"kind"`
	Seen    *time.Time `json:"complete_at"` // the last time it was read in full; null: never
	Count   int        `json:"count"`
	Managed int        `json:"managed"`
	Error   string     `json:"error,omitempty"` // why it could not be read since
}

// StackLoaded is a stack and what was last loaded of it.
type StackLoaded struct {
	Type    string `json:"type"` // "stack"
	Stack   string `json:"stack"`
	Source  string `json:"source,omitempty"`
	Version string `json:"version,omitempty"` // a commit, or a hash of what was read
	Release string `json:"release,omitempty"` // the version that the source gives itself: of a chart
}

// SourceUnread is a part of a source that could not be read when the last plan of its stack was made. A record without
// a part is about the whole source.
type SourceUnread struct {
	Type  string     `json:"type"` // "source_unread"
	Stack string     `json:"stack"`
	Part  string     `json:"part,omitempty"`
	Error string     `json:"error"`
	Read  *time.Time `json:"read_at,omitempty"` // when it was read last; absent: never
}

// Contradiction is an act of an operator that the store has and the audit log does not, or the other
// way round: it does not count.
type Contradiction struct {
	Type string `json:"type"` // "contradiction"
	Key  string `json:"key"`  // of the store
	Text string `json:"text"`
}

// OpenAction is an action that was started and has no recorded result.
type OpenAction struct {
	Type     string    `json:"type"` // "open"
	Ref      string    `json:"ref"`
	Action   string    `json:"action"`
	Started  time.Time `json:"started"`
	Instance string    `json:"instance"`
	Host     string    `json:"host,omitempty"`
	PID      int       `json:"pid,omitempty"`
	Error    string    `json:"error,omitempty"`
	Running  bool      `json:"running"`      // its claim is held: it is in progress
	By       string    `json:"by,omitempty"` // who holds the claim
	// Deadline is set of an accepted action, which is in progress until then.
	Deadline *time.Time `json:"deadline,omitempty"`
}

// Failing is a configuration of a resource whose attempts fail.
type Failing struct {
	Type      string     `json:"type"` // "failing"
	Ref       string     `json:"ref"`
	Desired   string     `json:"desired"`         // digest of the configuration
	Attempts  int        `json:"attempts"`        // that failed, or whose run ended
	Other     int        `json:"other,omitempty"` // that failed for a cause that passes, since the last other result
	Cause     string     `json:"cause,omitempty"` // of the last error
	Exhausted bool       `json:"exhausted"`       // it is not tried again
	Back      string     `json:"back,omitempty"`  // digest of the configuration that it returned to
	Stalled   bool       `json:"stalled"`
	Since     *time.Time `json:"since,omitempty"` // of the failures that do not count
	Last      time.Time  `json:"last"`
	Error     string     `json:"error"`
}

func (Failing) record() {}

// Rollout is how far a configuration of the resources of one kind and name has come.
type Rollout struct {
	Type    string `json:"type"` // "rollout"
	Stack   string `json:"stack"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Version string `json:"version"` // digest of the configuration
	Wave    int    `json:"wave"`
	Waves   int    `json:"waves"`
	Halted  bool   `json:"halted"`
	Why     string `json:"why,omitempty"`
}

func (Rollout) record() {}

// Replacement is a replacement in progress, or one that was reverted.
type Replacement struct {
	Type     string    `json:"type"` // "replacement"
	Ref      string    `json:"ref"`
	State    string    `json:"state"` // "in_progress", "going_back", "reverted"
	Strategy string    `json:"strategy,omitempty"`
	Old      string    `json:"old"`     // the id of the old resource
	Started  time.Time `json:"started"` // of a reverted one: when it failed
	Why      string    `json:"why,omitempty"`
}

// Claim says who may act on a resource now.
type Claim struct {
	Type     string    `json:"type"` // "claim"
	Ref      string    `json:"ref"`
	Token    int64     `json:"token"`
	Holder   string    `json:"claimed_by"`
	Instance string    `json:"instance"`
	Host     string    `json:"host"`
	PID      int       `json:"pid"`
	Since    time.Time `json:"since"` // by the owner's clock
	// TTLSeconds is how long the claim lasts after its owner's last renewal.
	TTLSeconds float64 `json:"ttl_seconds"`
	// ExpiresAt is when the claim expires at the latest, unless it is renewed.
	ExpiresAt *time.Time `json:"expires_at"`
}

// LogRecord is one record of the audit log.
type LogRecord struct {
	Type     string    `json:"type"` // "record"
	Seq      uint64    `json:"seq"`
	ID       string    `json:"id"`
	At       time.Time `json:"at"`
	Event    string    `json:"event"`
	Ref      string    `json:"ref"`
	Instance string    `json:"instance"`
	Run      string    `json:"run"`
	User     string    `json:"user"`
	UID      string    `json:"uid,omitempty"`
	Host     string    `json:"host,omitempty"`
	Data     any       `json:"data"` // the event itself, by its type
}

// Moment is a revision in the history of a resource.
type Moment struct {
	Type     string    `json:"type"` // "moment"
	Ref      string    `json:"ref"`
	Revision int64     `json:"revision"`
	At       time.Time `json:"at"`
	What     string    `json:"what"` // "observed", "deleted", or the event
	Text     string    `json:"text"`
	Data     any       `json:"data,omitempty"`
}

// Blessing is a protection that was added or removed.
type Blessing struct {
	Type    string `json:"type"` // "blessing"
	Ref     string `json:"ref"`
	Scope   string `json:"scope"`
	Blessed bool   `json:"blessed"`
	Who     string `json:"who"`
	Reason  string `json:"reason"`
}

// Info is an answer made of names and values: `ovi version`, `ovi audit verify`.
type Info struct {
	Type string `json:"type"`
	Data any    `json:"data"`
}

// Exported is what `ovi export` wrote.
type Exported struct {
	Type string        `json:"type"`
	Data ExportedFiles `json:"data"`
}

// ExportedFiles are the files of an export.
type ExportedFiles struct {
	Dir        string   `json:"dir"`
	Files      []string `json:"files"`
	Format     string   `json:"format"`
	HandedOver int      `json:"handed_over"`
	Notes      int      `json:"notes"`
}

// Offline is a location that has not reported for too long.
type Offline struct {
	Type string       `json:"type"`
	Data OfflineScope `json:"data"`
}

// OfflineScope is that location, and its last report.
type OfflineScope struct {
	Scope string     `json:"scope"`
	Since *time.Time `json:"since"`
}

func (Exported) record()      {}
func (Offline) record()       {}
func (Resource) record()      {}
func (Replacement) record()   {}
func (Unmanaged) record()     {}
func (ScopeSeen) record()     {}
func (StackLoaded) record()   {}
func (SourceUnread) record()  {}
func (OpenAction) record()    {}
func (Contradiction) record() {}
func (Claim) record()         {}
func (LogRecord) record()     {}
func (Moment) record()        {}
func (Blessing) record()      {}
func (Info) record()          {}
