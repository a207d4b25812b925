package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// Errors of the ledger.
var (
	// ErrBroken: a write to the log or the store failed before. Open the ledger anew.
	ErrBroken = errors.New("ledger: broken by an earlier error")
	// ErrRefused: the claim that an outcome was recorded under was lost; nothing but the
	// refusal was recorded.
	ErrRefused = errors.New("ledger: the claim was lost")
	// ErrNotFound: the record knows no such thing.
	ErrNotFound = errors.New("not on record")
)

// Config is what a ledger needs.
type Config struct {
	Dir   string        // the data directory; made if it is not there
	Store storage.Store // nil: bolt in Dir
	User  string        // who runs this; stands in every record
	Run   string        // ULID of this run; "": minted
	Clock func() time.Time
	// LogOptions go to the log (another file system, signing keys).
	LogOptions []wal.Option
}

// Receipt says where a batch of events stands.
type Receipt struct {
	First, Last wal.Seq
	Revision    storage.Revision
	At          time.Time
}

// Ledger is an open ledger. Its methods may be called from many goroutines; several
// processes may have the same directory open.
type Ledger struct {
	cfg      Config
	instance string
}

// Open opens the log and the store, brings the store up to the log, and mints the instance's
// id when the directory is new.
func Open(ctx context.Context, cfg Config) (*Ledger, error) { return nil, errUnfinished }

var errUnfinished = errors.New("unfinished")

// Close signs and closes the log and closes the store if Open opened it.
func (l *Ledger) Close() error { return errUnfinished }

// Instance is the id of this data directory; Run that of this run.
func (l *Ledger) Instance() string { return l.instance }

// Run is the ULID of this run.
func (l *Ledger) Run() string { return l.cfg.Run }

// Store is what the ledger projects into, for the coordinator's claims and for operators. Nobody
// but the ledger commits unleased keys to it.
func (l *Ledger) Store() storage.Store { return l.cfg.Store }

// Record makes the events durable as one batch: all of them or none.
func (l *Ledger) Record(ctx context.Context, events ...Event) (Receipt, error) {
	return Receipt{}, errUnfinished
}

// RecordUnder is Record that counts only while the guard holds. If it does not, a Refused is
// recorded in place of the events and the error is ErrRefused.
func (l *Ledger) RecordUnder(ctx context.Context, guard storage.Guard, events ...Event) (Receipt, error) {
	return Receipt{}, errUnfinished
}

// RecordWorld records what one look saw, one Observed a scope (more for a big one), as one
// batch: only what is new, different or gone since. A failed scope makes nothing gone. What
// was recorded after revision since, when the look began, is newer than the look and stays.
func (l *Ledger) RecordWorld(ctx context.Context, w resource.World, since storage.Revision) (Receipt, error) {
	return Receipt{}, errUnfinished
}

// Listen lets f hear every record this ledger makes, after it is durable and in order. f must
// be quick and must not record. Call the returned function to stop.
func (l *Ledger) Listen(f func(Record)) (stop func()) { return func() {} }
