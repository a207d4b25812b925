package record

import (
	"context"
	"crypto/ed25519"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/ledger/trust"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// Errors of records.
var (
	// ErrBroken is returned after a failed write to the log or the store, until Reopen.
	ErrBroken = errors.New("ledger: broken by an earlier error")
	// ErrRefused is returned for a result whose claim was lost; only the refusal was recorded.
	ErrRefused = errors.New("ledger: the claim was lost")
	// ErrVerifyOnly is returned for each record of a ledger that was opened with a key to verify alone.
	ErrVerifyOnly = errors.New("ledger: this job only verifies, and has no key to sign with")
)

// Config configures a ledger.
type Config struct {
	Dir   string        // the data directory; created if it does not exist
	Store storage.Store // that the log is projected into
	// Shared: other instances record into Store too.
	Shared bool
	// CloseStore: Close closes Store.
	CloseStore bool
	User       string // who runs this; in every record
	UID, Host  string // as the operating system knows them, and where they are; in every record
	Run        string // ULID of this run; "" means a new one
	Clock      func() time.Time
	Wait       time.Duration // for the append lock; 0: 30 s
	// Home has the signing key and the notes of data directories. Without Home the key is next to the data
	// directory, and there are no notes.
	Home trust.Home
	Key  ed25519.PrivateKey // a given signing key, instead of the one in Home
	// TrustedKeys are given public keys, in hex. With them no key is pinned.
	TrustedKeys []string
	// People are given people and keys of theirs. With them a roster counts only if one of them made it, and there
	// must be one.
	People []event.Signer
	// Verify is the key of the log, for a job that only reads: it can record nothing.
	Verify ed25519.PublicKey
	// Take: an operator accepts the directory with any key and from any place.
	Take bool
	// LogOptions go to the log (another file system, signing keys).
	LogOptions []wal.Option
}

// Receipt is the position of a batch of events.
type Receipt struct {
	First, Last wal.Seq
	Revision    storage.Revision
	At          time.Time
}

// Writer appends events to the log and projects them into the store. Its methods may be called from many
// goroutines; several processes may have the same directory open.
type Writer struct {
	*query.Reader
	*Runs
	whose  directory
	cfg    Config
	log    *wal.Log
	proofs *trust.Proofs

	mu          sync.Mutex // guards what follows
	queue       []*request
	broken      error
	subscribers map[int]func(event.Record)
	nextID      int

	recorded atomic.Bool // something, in this run

	closing sync.Once
	closed  error

	lead chan struct{} // taken by the goroutine that writes; guards committer
	*committer
}

// certify records the digest of all bindings. It fails if the store has other bindings than the log.
func (w *Writer) certify(ctx context.Context) error {
	_, err := w.submit(ctx, &request{build: w.proofs.Digest})
	return err
}

// Proofs says what the log and the signatures of others prove.
func (w *Writer) Proofs() *trust.Proofs { return w.proofs }

// User is who runs this.
func (w *Writer) User() string { return w.cfg.User }

// Record makes the events durable as one batch: all of them or none.
func (w *Writer) Record(ctx context.Context, events ...event.Event) (Receipt, error) {
	return w.submit(ctx, &request{build: given(events)})
}

// RecordUnder is Record that counts only while the guard holds. If it does not, a Refused is
// recorded instead of the events and the error is ErrRefused.
func (w *Writer) RecordUnder(ctx context.Context, guard storage.Guard, events ...event.Event) (Receipt, error) {
	return w.submit(ctx, &request{build: given(events), guard: &guard})
}

// Listen calls f with every record of this ledger, after it is durable and in order. f must be quick
// and must not record. The returned function stops it.
func (w *Writer) Listen(f func(event.Record)) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := w.nextID
	w.nextID++
	w.subscribers[id] = f
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.subscribers, id)
	}
}

// notify calls the listeners.
func (w *Writer) notify(records []event.Record) {
	w.mu.Lock()
	listeners := make([]func(event.Record), 0, len(w.subscribers))
	for id := range w.nextID {
		if f, ok := w.subscribers[id]; ok {
			listeners = append(listeners, f)
		}
	}
	w.mu.Unlock()
	for _, r := range records {
		for _, listen := range listeners {
			listen(r)
		}
	}
}

// LogPath returns the path of a data directory's log.
func LogPath(dir string) string { return filepath.Join(dir, "wal") }
