package trust

import (
	"context"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/wal"
)

// Proofs says what the log of this instance and the signatures of trusted ones prove, and signs what this
// instance records. Its methods may be called from many goroutines.
type Proofs struct {
	*query.Reader
	log    *wal.Log
	shared bool            // other instances record into the store too
	given  map[string]bool // trusted keys that the environment gives; nil if it gives none
	people []event.Signer  // that the environment gives; nil if it gives none
	clock  func() time.Time
	record func(context.Context, ...event.Event) error // keys at their first use, and missing signatures

	table, acts logView // what the log proves: bindings, and what operators did
}

// Given has the keys and people that the environment of a process confirms. A list of keys that is empty,
// but not nil, means that no key is pinned.
type Given struct {
	Keys   []string // public keys of instances, in hex; with them no key is pinned
	People []event.Signer
}

// NewProofs proves what a log and its store have; record records what it learns about other instances.
// record must not wait for another batch if its context belongs to a batch that is being written: that
// batch would wait for itself. No lock of a table is held when record is called.
func NewProofs(
	r *query.Reader, log *wal.Log, shared bool, given Given, clock func() time.Time,
	record func(context.Context, ...event.Event) error,
) *Proofs {
	p := &Proofs{Reader: r, log: log, shared: shared, people: given.People, clock: clock, record: record}
	if given.Keys != nil {
		p.given = map[string]bool{}
	}
	for _, key := range given.Keys {
		p.given[key] = true
	}
	p.table.part, p.acts.part = bindingPart(), actPart()
	return p
}

// Proven reports whether the log proves the entries of a key.
func Proven(key string) bool { return inTable(key) || isAct(key) }
