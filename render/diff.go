package render

import (
	"time"

	"github.com/ovi-project/ovi/resource"
)

// Look is what a plan knows of a location, and how old that is.
type Look struct {
	Type       string     `json:"type"` // "observation"
	Scope      string     `json:"scope"`
	Location   string     `json:"location"`    // the scope in short
	Seen       *time.Time `json:"observed_at"` // null: it is unreachable
	Recorded   bool       `json:"recorded"`    // taken from the store, not observed now
	AgeSeconds float64    `json:"age_seconds"`
	Count      int        `json:"count"`
	Revision   int64      `json:"revision,omitempty"` // of a plan of the past
	Error      string     `json:"error,omitempty"`
}

// Difference is how a resource differs between two revisions.
type Difference struct {
	Type     string    `json:"type"` // "difference"
	Ref      string    `json:"ref"`
	Scope    string    `json:"scope"`
	Kind     string    `json:"kind"`
	Stack    string    `json:"stack"`
	What     string    `json:"what"`     // "created", "deleted", "changed"
	By       string    `json:"by"`       // "ovi": it changed the resource in between; "outside"
	Revision int64     `json:"revision"` // that changed it last
	At       time.Time `json:"at"`
	Changes  []Change  `json:"changes"`
}

// DifferenceSummary ends a diff.
type DifferenceSummary struct {
	Type     string    `json:"type"` // "difference_summary"
	From     int64     `json:"from"`
	FromAt   time.Time `json:"from_at"`
	To       int64     `json:"to"`
	ToAt     time.Time `json:"to_at"`
	Appeared int       `json:"created"`
	Gone     int       `json:"deleted"`
	Changed  int       `json:"changed"`
}

func (Look) record()              {}
func (Difference) record()        {}
func (DifferenceSummary) record() {}

// Changes are changes for machines, of a secret six digits of its digest.
func Changes(in []resource.Change) []Change {
	out := make([]Change, len(in))
	for i, x := range in {
		out[i] = Change{string(x.On), x.Name(), JSON(x.From), JSON(x.To), x.Effect.String(), x.KnownAfterApply}
	}
	return out
}
