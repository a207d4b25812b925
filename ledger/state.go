package ledger

import (
	"slices"
	"time"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// ResourceState is what the record knows of one thing at a revision.
type ResourceState struct {
	resource.Observed
	First   storage.Revision // when this life of it was first seen
	Changed storage.Revision // when it was last seen different
}

// Scan is the last look at a scope.
type Scan struct {
	Scope     resource.Scope `json:"-"`
	At        time.Time      `json:"looked"`          // the last look, complete or not
	Complete  bool           `json:"complete"`        // whether that look saw everything
	Error     string         `json:"error,omitempty"` // why not
	Confirmed time.Time      `json:"seen,omitzero"`   // the last complete look
	Count     int            `json:"count"`           // things at the last complete look
	First     time.Time      `json:"first,omitzero"`  // when the first complete look was recorded
	// Kinds are those that the last observation read in full; nil: all.
	Kinds []string `json:"kinds,omitempty"`
}

// Covers reports that the last observation read all these kinds in full; nil: all there are.
func (s Scan) Covers(kinds []string) bool {
	if !s.Complete || s.Kinds == nil {
		return s.Complete
	}
	return kinds != nil && !slices.ContainsFunc(kinds, func(k string) bool { return !slices.Contains(s.Kinds, k) })
}

// OpenAction is an action that began and of which nobody recorded the end.
type OpenAction struct {
	event.Started `json:"began"`
	At            time.Time `json:"at"`
	Instance      string    `json:"instance"`
	Run           string    `json:"run"`
	User          string    `json:"user,omitempty"`
	Uncertain     bool      `json:"uncertain,omitempty"` // its end was recorded, but only observing can tell what it was
	Error         string    `json:"error,omitempty"`     // of the uncertain end
	Checked       time.Time `json:"asked,omitzero"`      // when observing gave no answer, so that a human is asked
}

// Blessing says who protected a thing.
type Blessing struct {
	Ref    resource.Ref
	Who    string
	Reason string
	At     time.Time
}
