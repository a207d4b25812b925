package history

import (
	"fmt"
	"strings"
	"time"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Reader answers questions about the past of resources.
type Reader struct{ *ledger.Reader }

// New returns the queries over a ledger's reader.
func New(r *ledger.Reader) *Reader { return &Reader{r} }

// Unmanaged is a thing that is nobody's who uses ovi.
type Unmanaged struct {
	resource.Observed
	FirstSeen time.Time
	// Before says that it may have been there before FirstSeen: it was in the first
	// complete look at its scope, or older looks are forgotten.
	Before bool
	Seen   time.Time // the last complete look at its scope
}

// Moment is a revision in the life of a thing: what was seen anew, that it was gone, or what
// was recorded about it, oldest first.
type Moment struct {
	Revision storage.Revision
	At       time.Time
	Seen     *resource.Observed // new or different content
	Gone     bool
	Records  []event.Record // decisions, beginnings, outcomes, blessings...
}

// AmbiguousError says that a short spelling fits several things.
type AmbiguousError struct {
	Spelling string
	Refs     []resource.Ref
}

func (e *AmbiguousError) Error() string {
	names := make([]string, len(e.Refs))
	for i, r := range e.Refs {
		names[i] = r.String()
	}
	return fmt.Sprintf("%q fits %d things: write one of %s", e.Spelling, len(e.Refs), strings.Join(names, ", "))
}
