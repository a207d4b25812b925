package render

import (
	"time"

	"github.com/ovi-project/ovi/resource"
)

// Look is how a plan came to know a place, and how old that is.
type Look struct {
	Type       string     `json:"type"` // "look"
	Scope      string     `json:"scope"`
	Location   string     `json:"place"`    // the scope in short
	Seen       *time.Time `json:"seen"`     // null: it could not be seen
	Recorded   bool       `json:"recorded"` // taken from the record, not looked at now
	AgeSeconds float64    `json:"age_seconds"`
	Count      int        `json:"count"`
	Revision   int64      `json:"revision,omitempty"` // of a plan of the past
	Error      string     `json:"error,omitempty"`
}

// Difference is how a thing differs between two revisions.
type Difference struct {
	Type     string    `json:"type"` // "difference"
	Ref      string    `json:"ref"`
	Scope    string    `json:"scope"`
	Kind     string    `json:"kind"`
	Stack    string    `json:"stack"`
	What     string    `json:"what"`     // "appeared", "gone", "changed"
	By       string    `json:"by"`       // "ovi": it has done something to it in between; "world"
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
	Appeared int       `json:"appeared"`
	Gone     int       `json:"gone"`
	Changed  int       `json:"changed"`
}

func (Look) record()              {}
func (Difference) record()        {}
func (DifferenceSummary) record() {}

// Changes are changes for machines, of a secret six digits of its digest.
func Changes(in []resource.Change) []Change {
	out := make([]Change, len(in))
	for i, x := range in {
		out[i] = Change{x.Path, JSON(x.From), JSON(x.To), effectName(x.Effect), x.KnownAfterApply}
	}
	return out
}
