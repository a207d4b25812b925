package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// Errors of the ledger.
var (
	// ErrBroken is returned after a failed write to the log or the store. Open the ledger again.
	ErrBroken = errors.New("ledger: broken by an earlier error")
	// ErrRefused is returned for a result whose claim was lost; only the refusal was recorded.
	ErrRefused = errors.New("ledger: the claim was lost")
	// ErrNotFound is returned for what is not recorded.
	ErrNotFound = errors.New("not recorded")
)

// Names in the data directory.
const (
	logName   = "wal"
	storeName = "store.db"
)

// StorePath is where a data directory keeps its own store. The caller opens it.
func StorePath(dir string) string { return filepath.Join(dir, storeName) }

// LogPath is where a data directory keeps its log.
func LogPath(dir string) string { return filepath.Join(dir, logName) }

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

// LogDir finds a log by its own folder or by the data directory it is in.
func LogDir(dir string) (string, error) {
	for _, name := range []string{LogPath(dir), dir} {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			return name, nil
		}
	}
	return "", fmt.Errorf("ledger: read the log in %s: %w", dir, fs.ErrNotExist)
}

// OpenLog opens a log to read it, by its own folder or by the data directory it is in.
func OpenLog(dir string) (*wal.Log, error) {
	dir, err := LogDir(dir)
	if err != nil {
		return nil, err
	}
	return wal.Open(dir, wal.ReadOnly())
}

// Receipt is the position of a batch of events.
type Receipt struct {
	First, Last wal.Seq
	Revision    storage.Revision
	At          time.Time
}

// Ledger is an open ledger. Its methods may be called from many goroutines; several processes may
// have the same directory open.
type Ledger struct {
	*reader
	cfg  Config
	life vfs.File // locked while this run lives

	mu          sync.Mutex // guards what follows
	queue       []*request
	broken      error
	leftClaims  bool // claims of this run are left; see Owe
	acting      bool
	subscribers map[int]func(event.Record)
	nextID      int

	recorded atomic.Bool // something, in this run

	closing sync.Once
	closed  error

	table, acts verified // what the log proves: bindings, and what operators did

	storeEpoch int // of the store's revisions, where hosts share it

	lead chan struct{} // taken by the goroutine that writes; guards head and its entry
	head rows.Head
	at   storage.Entry // the entry of log/<instance> as last read
}

// Open opens the log, brings the store up to it (a lost store is rebuilt), and takes the identity of
// the log as that of the instance. Where the disk is full the store may stay behind the log: then
// the ledger can be read, and Broken returns why.
func Open(ctx context.Context, cfg Config) (*Ledger, error) {
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	if cfg.Wait == 0 {
		cfg.Wait = defaultWait
	}
	if cfg.Run == "" {
		cfg.Run = ulid.Make().String()
	}
	l := &Ledger{reader: &Reader{store: cfg.Store, run: cfg.Run}, cfg: cfg, lead: make(chan struct{}, 1), subscribers: map[int]func(event.Record){}}
	l.table.part, l.acts.part = bindingPart(), actPart()
	if err := l.open(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *Ledger) open(ctx context.Context) (err error) {
	if l.store == nil {
		return errors.New("ledger: no store was given")
	}
	if err := os.MkdirAll(l.cfg.Dir, 0o700); err != nil {
		return fmt.Errorf("ledger: create the data directory: %w", err)
	}
	opts := append([]wal.Option{wal.WithClock(l.cfg.Clock)}, l.cfg.LogOptions...)
	frontier, err := l.frontier(ctx)
	if err != nil {
		return err
	}
	opts = append(opts, frontier...)
	if l.log, err = wal.Open(filepath.Join(l.cfg.Dir, logName), opts...); err != nil {
		return err
	}
	l.instance = ulid.ULID(l.log.ID()).String()
	if err := l.register(); err != nil {
		return err
	}
	if l.cfg.Shared {
		if err := retry(ctx, func() (err error) { l.storeEpoch, err = ReadEpoch(ctx, l.store); return err }); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, l.cfg.Wait)
	defer cancel()
	turn, err := l.log.Lock(ctx)
	if err != nil {
		return fmt.Errorf("ledger: wait for the append lock of the log: %w", err)
	}
	return errors.Join(l.readable(l.catchUp(context.WithoutCancel(ctx), turn)), turn.Unlock())
}

// readable lets a ledger be opened whose store has no room for the tail of the log: it is broken, so
// no action starts, and everything in the store can be read.
func (l *Ledger) readable(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		_ = l.breakDown(err)
		return nil
	}
	return err
}

// Close signs and closes the log, and the store if Config has CloseStore. The second call does nothing and
// returns what the first did.
func (l *Ledger) Close() error {
	l.closing.Do(func() { l.closed = l.close() })
	return l.closed
}

func (l *Ledger) close() error {
	var errs []error
	ctx, cancel := context.WithTimeout(context.Background(), l.cfg.Wait)
	defer cancel()
	if l.due() {
		_ = l.certify(ctx) // it only saves the next run from reading the whole log
	}
	if l.actsDue() {
		_ = l.certifyActs(ctx) // so does this
	}
	if l.recorded.Load() && l.Broken() == nil {
		_ = l.Cosign(ctx, true) // else the next run does it
	}
	if l.log != nil {
		errs = append(errs, l.log.Close())
	}
	if l.cfg.CloseStore && l.store != nil {
		errs = append(errs, l.store.Close())
	}
	errs = append(errs, l.unregister())
	return errors.Join(errs...)
}

// User is who runs this.
func (l *Ledger) User() string { return l.cfg.User }

// Record makes the events durable as one batch: all of them or none.
func (l *Ledger) Record(ctx context.Context, events ...event.Event) (Receipt, error) {
	return l.submit(ctx, &request{build: given(events)})
}

// RecordUnder is Record that counts only while the guard holds. If it does not, a Refused is
// recorded instead of the events and the error is ErrRefused.
func (l *Ledger) RecordUnder(ctx context.Context, guard storage.Guard, events ...event.Event) (Receipt, error) {
	return l.submit(ctx, &request{build: given(events), guard: &guard})
}

// Listen calls f with every record of this ledger, after it is durable and in order. f must be quick
// and must not record. The returned function stops it.
func (l *Ledger) Listen(f func(event.Record)) (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := l.nextID
	l.nextID++
	l.subscribers[id] = f
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.subscribers, id)
	}
}

// notify calls the listeners.
func (l *Ledger) notify(records []event.Record) {
	l.mu.Lock()
	listeners := make([]func(event.Record), 0, len(l.subscribers))
	for id := range l.nextID {
		if f, ok := l.subscribers[id]; ok {
			listeners = append(listeners, f)
		}
	}
	l.mu.Unlock()
	for _, r := range records {
		for _, listen := range listeners {
			listen(r)
		}
	}
}
