package event

import (
	"time"

	"github.com/ovi-project/ovi/resource"
)

// Observed records an observation of a scope. A large one is several records of one batch, Part
// 1 to Of. An observation that is not Complete changes only the scan entry of its scope.
type Observed struct {
	Scope    resource.Scope `json:"scope"`
	At       time.Time      `json:"observed_at"` // when the observation started
	Complete bool           `json:"complete"`
	Error    string         `json:"error,omitempty"`
	Offline  bool           `json:"offline,omitempty"` // it reports by itself, and has not for too long
	// Kinds were observed in full, sorted; empty if all were. Of the kinds in Unreachable, with
	// the error of each, nothing is known: none of their resources is gone.
	Kinds       []string          `json:"kinds,omitempty"`
	Unreachable map[string]string `json:"unreachable,omitempty"`
	// Filtered are those of Kinds of which only what has marks or a recorded ID was read: the others of
	// them are as observed before.
	Filtered []string `json:"filtered,omitempty"`
	// Counts are the resources of each kind that was read and has some.
	Counts map[string]KindCount `json:"counts,omitempty"`
	Stacks []string             `json:"stacks,omitempty"` // that own something in the scope, sorted
	Part   int                  `json:"part"`
	Of     int                  `json:"of"`

	Changed   []resource.Observed `json:"changed,omitempty"`   // new or different, sorted by ref
	Displaced []Displaced         `json:"displaced,omitempty"` // of those, the ones recorded under another name
	Gone      []resource.Ref      `json:"gone,omitempty"`
}

// Count returns the number of resources of the kinds that were read.
func (e Observed) Count() int { return Resources(e.Counts) }

// Resources returns the sum of counts.
func Resources(counts map[string]KindCount) (n int) {
	for _, c := range counts {
		n += c.All
	}
	return n
}

// KindCount counts the resources of a kind in a scope.
type KindCount struct {
	All     int `json:"all"`
	Managed int `json:"managed,omitempty"`
}

// Displaced is a resource that cannot be recorded under its own ref, because another resource
// has that ref or the ref names another location. Most likely its ovi tags were copied.
type Displaced struct {
	As       resource.Ref      `json:"as"` // name@id
	Resource resource.Observed `json:"resource"`
}

// Acknowledged records that an operator accepts a drift until a time. It covers that drift and
// no other of the same resource.
type Acknowledged struct {
	Ref       resource.Ref `json:"ref"`
	Drift     string       `json:"drift"` // digest of the difference
	What      string       `json:"what"`  // the difference in words
	Until     time.Time    `json:"until"`
	Who       string       `json:"who"`
	Reason    string       `json:"reason"`
	Signature *Signature   `json:"signature,omitzero"`
}

// Unsigned separates the event from its signature.
func (e Acknowledged) Unsigned() (Acknowledged, *Signature) {
	s := e.Signature
	e.Signature = nil
	return e, s
}
