package ledger

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Thing is what the record knows of one thing at a revision.
type Thing struct {
	resource.Observed
	First   storage.Revision // when this life of it was first seen
	Changed storage.Revision // when it was last seen different
}

// Scan is the last look at a scope.
type Scan struct {
	Scope    resource.Scope `json:"-"`
	Looked   time.Time      `json:"looked"`          // the last look, complete or not
	Complete bool           `json:"complete"`        // whether that look saw everything
	Error    string         `json:"error,omitempty"` // why not
	Seen     time.Time      `json:"seen,omitzero"`   // the last complete look
	Count    int            `json:"count"`           // things at the last complete look
}

// OpenIntent is an action that began and of which nobody recorded the end.
type OpenIntent struct {
	Began
	At        time.Time
	Instance  string
	Run       string
	User      string
	Uncertain bool   // its end was recorded, but only observing can tell what it was
	Error     string // of the uncertain end
}

// Blessing says who protected a thing.
type Blessing struct {
	Ref    resource.Ref
	Who    string
	Reason string
	At     time.Time
}

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
	Records  []Record // decisions, beginnings, outcomes, blessings...
}

// Filter selects records of the log; zero fields select all.
type Filter struct {
	Ref      resource.Ref // records about it, and looks and plans that name it
	Types    []string
	Since    time.Time
	Until    time.Time
	Run      string // or its beginning
	Instance string // or its beginning
	From     uint64 // first sequence number
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

// Revision is the newest revision of the store.
func (l *Ledger) Revision(ctx context.Context) (storage.Revision, error) { return 0, errUnfinished }

// RevisionAt is the newest revision at a time; an error that names the oldest known time if
// that is later.
func (l *Ledger) RevisionAt(ctx context.Context, t time.Time) (storage.Revision, error) {
	return 0, errUnfinished
}

// TimeOf is when a revision was made.
func (l *Ledger) TimeOf(ctx context.Context, r storage.Revision) (time.Time, error) {
	return time.Time{}, errUnfinished
}

// World is everything as it was on record at a revision (Now: the newest): each scope with a
// complete look is Seen, with its time; a scope whose only looks failed is Failed.
func (l *Ledger) World(ctx context.Context, at storage.Revision) (resource.World, storage.Revision, error) {
	return resource.World{}, 0, errUnfinished
}

// Thing is one thing at a revision, or ErrNotFound.
func (l *Ledger) Thing(ctx context.Context, ref resource.Ref, at storage.Revision) (Thing, error) {
	return Thing{}, errUnfinished
}

// History is the life of a thing, oldest first; ErrNotFound if nothing is known of it.
func (l *Ledger) History(ctx context.Context, ref resource.Ref) ([]Moment, error) {
	return nil, errUnfinished
}

// Scans are the last looks at all scopes ever looked at, sorted.
func (l *Ledger) Scans(ctx context.Context, at storage.Revision) ([]Scan, error) {
	return nil, errUnfinished
}

// Scopes are the scopes where the stack owns something on record, sorted.
func (l *Ledger) Scopes(ctx context.Context, stack string) ([]resource.Scope, error) {
	return nil, errUnfinished
}

// OpenIntents are the actions that began and have not ended, oldest first.
func (l *Ledger) OpenIntents(ctx context.Context) ([]OpenIntent, error) { return nil, errUnfinished }

// Blessings are the protected things, sorted by ref.
func (l *Ledger) Blessings(ctx context.Context, at storage.Revision) ([]Blessing, error) {
	return nil, errUnfinished
}

// Attempts are the things whose last actions failed.
func (l *Ledger) Attempts(ctx context.Context) (map[resource.Ref]decider.Attempts, error) {
	return nil, errUnfinished
}

// Applied is what was last applied to a thing.
func (l *Ledger) Applied(ctx context.Context, ref resource.Ref, at storage.Revision) (Applied, bool, error) {
	return Applied{}, false, errUnfinished
}

// Unmanaged are the things nobody manages, sorted by ref.
func (l *Ledger) Unmanaged(ctx context.Context) ([]Unmanaged, error) { return nil, errUnfinished }

// FindRef finds a thing on record by a spelling people use: the whole ref, the ref without
// the account, kind/name, the name, or the provider's id. An *AmbiguousError if it fits
// several, ErrNotFound if none.
func (l *Ledger) FindRef(ctx context.Context, spelling string) (resource.Ref, error) {
	return resource.Ref{}, errUnfinished
}

// Log reads this instance's log, oldest first.
func (l *Ledger) Log(ctx context.Context, f Filter) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) { yield(Record{}, errUnfinished) }
}
