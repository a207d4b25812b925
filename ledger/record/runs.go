package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ovi-project/ovi/internal/vfs"
)

// Each process keeps a lock on a file of its own in the data directory while it runs. The system
// releases it however the process ends, so that others on this host need not wait until the claims
// of a crashed run expire.
const (
	runsName  = "runs"
	runSuffix = ".lock"
)

// Runs are the runs on a data directory, of which one is this.
type Runs struct {
	dir, run string
	life     vfs.File // locked while this run lives

	mu         sync.Mutex // guards what follows
	leftClaims bool       // claims of this run are left; see LeaveClaims
	acting     bool
}

// NewRuns are the runs on a data directory.
func NewRuns(dir, run string) *Runs { return &Runs{dir: dir, run: run} }

func (r *Runs) runFile(run string) string {
	return filepath.Join(r.dir, runsName, run+runSuffix)
}

// register takes the lock of this run. Between the creation of the file and its lock, another process can take the run
// for a crashed one and remove the file: then the file is created again.
func (r *Runs) register() error {
	if err := os.MkdirAll(filepath.Join(r.dir, runsName), 0o700); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	for {
		f, err := vfs.OS().OpenFile(r.runFile(r.run), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return fmt.Errorf("ledger: create the file of this run: %w", err)
		}
		ok, err := f.TryLock()
		for tries := 0; err == nil && !ok && tries < 100; tries++ {
			time.Sleep(time.Millisecond) // another process checks whether this one runs
			ok, err = f.TryLock()
		}
		if err != nil {
			return errors.Join(fmt.Errorf("ledger: lock the file of this run: %w", err), f.Close())
		}
		if !ok {
			return f.Close() // another ledger of this process has it; it counts for both
		}
		lives, err := r.isLocked()
		if err != nil {
			return errors.Join(err, f.Close())
		}
		if lives {
			r.life = f
			return nil
		}
		if err := f.Close(); err != nil {
			return fmt.Errorf("ledger: %w", err)
		}
	}
}

// isLocked reports whether the folder has the file of this run, with a lock on it.
func (r *Runs) isLocked() (bool, error) {
	f, err := vfs.OS().OpenFile(r.runFile(r.run), os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("ledger: %w", err)
	}
	free, err := f.TryLock()
	if err = errors.Join(err, f.Close()); err != nil {
		return false, fmt.Errorf("ledger: lock the file of this run: %w", err)
	}
	return !free, nil
}

// LeaveClaims records, before Close, that claims of this run could not be released. If no action runs under
// them, Close leaves the file of this run without its lock: the next run on this host releases the claims
// at once, even while this process continues. If an action may still run, the lock stays, and the claims
// are left to expire; the caller then keeps the Ledger for as long as its process runs.
func (r *Runs) LeaveClaims(acting bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leftClaims, r.acting = true, acting
}

// unregister releases the lock and removes the file. A broken ledger leaves the file: where nothing
// could be recorded perhaps no claim could be released either.
func (r *Runs) unregister(broken bool) error {
	r.mu.Lock()
	owes, acting := r.leftClaims || broken, r.acting
	r.mu.Unlock()
	switch {
	case r.life == nil || acting:
		return nil
	case owes:
		return r.life.Close()
	}
	err := os.Remove(r.runFile(r.run))
	return errors.Join(err, r.life.Close())
}

// IsDead reports whether the process of a run on this data directory has certainly ended without
// closing: its file exists and is not locked. An unknown run is not dead. The lock decides and not
// the ID of a process, which another process may have by now.
func (r *Runs) IsDead(run string) bool {
	dead, err := r.ifDead(run, func() error { return nil })
	return dead && err == nil
}

// ForgetRun removes the file of a crashed run, once none of its actions is left to recover.
func (r *Runs) ForgetRun(run string) error {
	_, err := r.ifDead(run, func() error { return os.Remove(r.runFile(run)) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}

// ifDead calls do with the lock of a run whose process has ended: a process that registers the same run waits for that
// lock, and then finds whether its file is left.
func (r *Runs) ifDead(run string, do func() error) (dead bool, err error) {
	if run == r.run || run == "" || run != filepath.Base(run) {
		return false, nil
	}
	f, err := vfs.OS().OpenFile(r.runFile(run), os.O_RDWR, 0o600)
	if err != nil {
		return false, nil //nolint:nilerr // a run whose file cannot be opened is not dead for certain
	}
	ok, err := f.TryLock()
	if err != nil || !ok {
		return false, f.Close()
	}
	return true, errors.Join(do(), f.Close())
}

// DeadRuns lists the runs whose processes ended without closing.
func (r *Runs) DeadRuns() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(r.dir, runsName))
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	var out []string
	for _, e := range entries {
		name := e.Name()
		if filepath.Ext(name) != runSuffix {
			continue
		}
		if run := name[:len(name)-len(runSuffix)]; r.IsDead(run) {
			out = append(out, run)
		}
	}
	return out, nil
}
