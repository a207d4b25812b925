package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/ledger/trust"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// defaultWait limits how long a batch waits for the append lock.
const defaultWait = 30 * time.Second

// Open opens the log, brings the store up to it (a lost store is rebuilt), and takes the identity
// of the log as the identity of the instance. If the disk is full, the store may stay behind the
// log: then the ledger can be read, and Broken returns why. The caller closes the Writer. Several
// processes may open one data directory at a time; each batch waits for the append lock.
func Open(ctx context.Context, cfg Config) (*Writer, error) {
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
		Runs: NewRuns(cfg.Dir, cfg.Run), cfg: cfg, committer: &committer{store: cfg.Store, shared: cfg.Shared},
		lead: make(chan struct{}, 1), subscribers: map[int]func(event.Record){},
	}
	err := w.open(ctx)
	if err == nil && cfg.Verify == nil && w.Broken() == nil {
		err = accepted(ctx, w)
	}
	if err != nil {
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
	// The log is checked against the last record that the store has, so that damage there is not taken for an append
	// that was cut short. In a shared store the key of this log is still unknown, and the log's own tail hint serves
	// instead.
	if !w.cfg.Shared {
		frontier, err := query.FrontierIn(ctx, w.cfg.Store)
		if err != nil {
			return err
		}
		opts = append(opts, frontier...)
	}
	w.whose = directory{
		dir: w.cfg.Dir, logs: LogPath(w.cfg.Dir), home: w.cfg.Home, key: w.cfg.Key, verify: w.cfg.Verify, accept: w.cfg.Take,
	}
	if w.log, err = w.whose.openLog(opts); err != nil {
		return err
	}
	w.instance = ulid.ULID(w.log.ID()).String()
	w.Reader = query.NewReader(w.store, w.log, w.instance, w.cfg.Run)
	record := func(ctx context.Context, events ...event.Event) error {
		if ctx.Value(leads{}) != nil {
			return nil // the next question outside a batch records it
		}
		_, err := w.Record(ctx, events...)
		return err
	}
	w.proofs = trust.NewProofs(w.Reader, w.log, w.cfg.Shared, trust.Given{
		Keys: w.cfg.TrustedKeys, People: w.cfg.People,
	}, w.cfg.Clock, record)
	if w.cfg.Verify != nil {
		if err := w.reread(ctx); err != nil {
			return err
		}
		// A job that only verifies cannot bring the store up to the log.
		if end := w.log.Frontier().Seq; w.head.Seq != end {
			return fmt.Errorf("%w: the store has record %d, and the log ends at %d: run a command with the signing key first",
				ErrVerifyOnly, w.head.Seq, end)
		}
		return nil
	}
	if err := w.register(); err != nil {
		return err
	}
	if w.cfg.Shared {
		if err := retry(ctx, func() (err error) { w.epoch, err = ReadEpoch(ctx, w.store); return err }); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, w.cfg.Wait)
	defer cancel()
	turn, err := w.log.Lock(ctx)
	if err != nil {
		return fmt.Errorf("ledger: wait for the append lock of the log: %w", err)
	}
	err = w.catchUp(context.WithoutCancel(ctx), turn)
	if errors.Is(err, storage.ErrFull) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		// The store has no room for the tail of the log: the ledger is opened, but broken, so no action starts, and
		// everything in the store can be read.
		_ = w.breakDown(err)
		err = nil
	}
	return errors.Join(err, turn.Unlock())
}

// accepted records the keys of a log that an operator accepted, so that their bindings stay proven, and notes the
// directory. From then on the own key ends the log.
func accepted(ctx context.Context, w *Writer) error {
	for _, key := range w.whose.taken {
		reason := "the data directory was accepted"
		t := event.Trusted{Key: wal.FormatPublicKey(key), On: true, Who: w.cfg.User, Reason: reason}
		if _, err := w.submit(ctx, &request{build: given([]event.Event{t}), taken: true}); err != nil {
			return err
		}
	}
	return w.whose.firstNote(w.log)
}

// Close signs and closes the log, and the store if Config has CloseStore. The second call does
// nothing and returns what the first did. It does not wait for requests of other goroutines, which
// may then fail.
func (w *Writer) Close() error {
	w.closing.Do(func() { w.closed = w.close() })
	return w.closed
}

func (w *Writer) close() error {
	var errs []error
	ctx, cancel := context.WithTimeout(context.Background(), w.cfg.Wait)
	defer cancel()
	if w.proofs != nil && w.Broken() == nil && w.cfg.Verify == nil {
		// These records save the next run work; if one of them fails, the next run does the work.
		if w.proofs.DigestDue() {
			_ = w.certify(ctx)
		}
		if w.proofs.ActsDue() {
			_, _ = w.submit(ctx, &request{build: w.proofs.ListActs})
		}
		if w.recorded.Load() && w.Broken() == nil {
			_ = w.Cosign(ctx, true)
		}
		errs = append(errs, w.whose.lastNote(w.log))
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
