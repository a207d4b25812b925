package event

import (
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// ReplaceStarted records that a replacement with a strategy starts. Its steps are Started and
// Finished events with Step.
type ReplaceStarted struct {
	Plan     string       `json:"plan,omitempty"`
	Ref      resource.Ref `json:"ref"`
	Key      string       `json:"key"`
	Strategy string       `json:"strategy"`
	Desired  string       `json:"desired"` // digest of the configuration
	Old      string       `json:"old"`     // id of the resource that is replaced
	Deadline time.Time    `json:"deadline,omitzero"`
}

// ReplaceReverted records that a replacement goes back: its remaining steps delete what it created
// and restore the old resource.
type ReplaceReverted struct {
	Ref resource.Ref `json:"ref"`
	Key string       `json:"key"`
	Why string       `json:"why"`
	// Failed is the digest of the configuration of which this is a failed attempt; empty if its
	// failure is recorded as that of a step, or if nothing failed.
	Failed string `json:"failed,omitempty"`
}

// ReplaceFinished records that one resource is left of a replacement: the new one or, if it was
// reverted, the old one.
type ReplaceFinished struct {
	Ref      resource.Ref `json:"ref"`
	Key      string       `json:"key"`
	ID       string       `json:"id,omitempty"` // empty: neither is left
	Reverted bool         `json:"reverted,omitempty"`
	// Binding is that of the resource that is left, in a store that instances share: its last
	// action may be in the log of another one.
	Binding   *resource.Binding `json:"binding,omitempty"`
	Signature *Signature        `json:"signature,omitzero"`
}

// LastGood records the configuration with which a resource was last healthy.
type LastGood struct {
	Ref     resource.Ref `json:"ref"`
	Desired string       `json:"desired"` // its digest
	Applied Applied      `json:"applied"`
}

// Exhausted records that the attempts of a configuration are used up. Back is the digest of the
// configuration that the resource returns to; empty if it stays.
type Exhausted struct {
	Ref      resource.Ref `json:"ref"`
	Desired  string       `json:"desired"`
	Attempts int          `json:"attempts"`
	Back     string       `json:"back,omitempty"`
	// Cause is the cause of the errors that used them up, where they had one cause.
	Cause provider.Cause `json:"cause,omitempty"`
}

// Retried records that an operator allows new attempts of an exhausted configuration.
type Retried struct {
	Ref    resource.Ref `json:"ref"`
	Who    string       `json:"who"`
	Reason string       `json:"reason,omitempty"`
}

// Wave records how far a new configuration of the resources of one kind and name has come.
type Wave struct {
	Stack   string `json:"stack"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Version string `json:"version"` // digest of the configuration
	Reach   int    `json:"reach"`   // the newest wave that has started
	Of      int    `json:"of"`      // how many there are
	Halted  bool   `json:"halted,omitempty"`
	Why     string `json:"why,omitempty"` // it halted
	// Awaits is what the next wave waits for, other than the one before: promotion.
	Awaits string `json:"awaits,omitempty"`
	// Had are the resources that had the configuration before, in the first event of a version.
	Had []resource.Ref `json:"had,omitempty"`
}
