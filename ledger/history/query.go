package history

import (
	"fmt"
	"strings"
	"time"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Reader answers questions about the past, from the store and the log. It also has the present
// state of ledger.Reader. A Reader is safe for concurrent use if the store and the log are.
type Reader struct{ *ledger.Reader }

// New returns a Reader over the Reader of a ledger.
func New(r *ledger.Reader) *Reader { return &Reader{r} }

// Unmanaged is a resource that ovi neither created nor adopted.
type Unmanaged struct {
	resource.Observed
	FirstSeen time.Time
	// Before: it may have existed before FirstSeen, because the first complete observation of its
	// kind has it, or older ones are no longer in the store.
	Before bool
	Seen   time.Time // the last complete observation of its kind
}

// Plan is the last plan of some stacks.
type Plan struct {
	ID     string
	Stacks []string // sorted
	At     time.Time
	Counts event.Counts
}

// Moment is a revision in the life of a resource: new or different content, its end, or a record about it.
type Moment struct {
	Revision storage.Revision
	At       time.Time
	Seen     *resource.Observed // new or different content
	Gone     bool
	Records  []event.Record // decisions, actions, results, blessings...
}

// AmbiguousError is returned for a short spelling that fits several resources. Refs has at least
// two elements, sorted.
type AmbiguousError struct {
	Spelling string
	Refs     []resource.Ref
}

func (e *AmbiguousError) Error() string {
	short, names := resource.Shorten(e.Refs, nil), make([]string, len(e.Refs))
	for i, r := range e.Refs {
		names[i] = short(r)
	}
	return fmt.Sprintf("%q fits %d resources: %s", e.Spelling, len(e.Refs), strings.Join(names, ", "))
}

// Suggestion returns the next step for the user.
func (e *AmbiguousError) Suggestion() string { return "use one of these names" }
