package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/ledger/trust"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// Errors of records.
var (
	// ErrBroken is returned after a failed write to the log or the store. Open the ledger again.
	ErrBroken = errors.New("ledger: broken by an earlier error")
	// ErrRefused is returned for a result whose claim was lost; only the refusal was recorded.
	ErrRefused = errors.New("ledger: the claim was lost")
)

// defaultWait limits how long a batch waits for the append lock.
const defaultWait = 30 * time.Second

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
	Run        string // ULID of this run; "": a new one
	Clock      func() time.Time
	Wait       time.Duration // for the append lock; 0: 30 s
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
	cfg    Config
	store  storage.Store
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

	storeEpoch int // of the store's revisions, where hosts share it

	lead chan struct{} // taken by the goroutine that writes; guards head and its entry
	head rows.Head
	at   storage.Entry // the entry of log/<instance> as last read
}

// OpenWriter opens the log, brings the store up to it (a lost store is rebuilt), and takes the identity of
// the log as that of the instance. Where the disk is full the store may stay behind the log: then
// the ledger can be read, and Broken returns why.
func OpenWriter(ctx context.Context, cfg Config) (*Writer, error) {
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	if cfg.Wait == 0 {
		cfg.Wait = defaultWait
	}
	if cfg.Run == "" {
		cfg.Run = ulid.Make().String()
	}
	w := &Writer{
		Runs: NewRuns(cfg.Dir, cfg.Run), cfg: cfg, store: cfg.Store,
		lead: make(chan struct{}, 1), subscribers: map[int]func(event.Record){},
	}
	if err := w.open(ctx); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

func (w *Writer) open(ctx context.Context) (err error) {
	if w.store == nil {
		return errors.New("ledger: no store was given")
	}
	if err := os.MkdirAll(w.cfg.Dir, 0o700); err != nil {
		return fmt.Errorf("ledger: create the data directory: %w", err)
	}
	opts := append([]wal.Option{wal.WithClock(w.cfg.Clock)}, w.cfg.LogOptions...)
	frontier, err := frontier(ctx, w.cfg)
	if err != nil {
		return err
	}
	opts = append(opts, frontier...)
	if w.log, err = wal.Open(filepath.Join(w.cfg.Dir, logName), opts...); err != nil {
		return err
	}
	w.Reader = query.NewReader(w.store, w.log, ulid.ULID(w.log.ID()).String(), w.cfg.Run)
	w.proofs = trust.NewProofs(w.Reader, w.log, w.cfg.Shared, w.cfg.Clock, func(ctx context.Context, events ...event.Event) error {
		_, err := w.Record(ctx, events...)
		return err
	})
	if err := w.register(); err != nil {
		return err
	}
	if w.cfg.Shared {
		if err := retry(ctx, func() (err error) { w.storeEpoch, err = ReadEpoch(ctx, w.store); return err }); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, w.cfg.Wait)
	defer cancel()
	turn, err := w.log.Lock(ctx)
	if err != nil {
		return fmt.Errorf("ledger: wait for the append lock of the log: %w", err)
	}
	return errors.Join(w.readable(w.catchUp(context.WithoutCancel(ctx), turn)), turn.Unlock())
}

// readable lets a ledger be opened whose store has no room for the tail of the log: it is broken, so
// no action starts, and everything in the store can be read.
func (w *Writer) readable(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		_ = w.breakDown(err)
		return nil
	}
	return err
}

// Close signs and closes the log, and the store if Config has CloseStore. The second call does nothing and
// returns what the first did.
func (w *Writer) Close() error {
	w.closing.Do(func() { w.closed = w.close() })
	return w.closed
}

func (w *Writer) close() error {
	var errs []error
	ctx, cancel := context.WithTimeout(context.Background(), w.cfg.Wait)
	defer cancel()
	if w.proofs != nil && w.Broken() == nil {
		w.leave(ctx)
	}
	if w.log != nil {
		errs = append(errs, w.log.Close())
	}
	if w.cfg.CloseStore && w.store != nil {
		errs = append(errs, w.store.Close())
	}
	errs = append(errs, w.unregister(w.Broken() != nil))
	return errors.Join(errs...)
}

// leave records what saves the next run work; if it fails, the next run does it.
func (w *Writer) leave(ctx context.Context) {
	if w.proofs.DigestDue() {
		_ = w.certify(ctx)
	}
	if w.proofs.ActsDue() {
		_, _ = w.submit(ctx, &request{build: w.proofs.ListActs})
	}
	if w.recorded.Load() && w.Broken() == nil {
		_ = w.Cosign(ctx, true)
	}
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
