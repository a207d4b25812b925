package sandbox

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// Cloud is a sandbox AWS account. It is an http.RoundTripper (the SDK's
// transport: no port, no daemon) and an http.Handler. Any number of goroutines
// may use it, and any number of processes may open the same file: each request
// runs alone, under the lock of the file.
type Cloud struct {
	opts    options
	journal *core.Journal // nil means in memory only
	actions map[string]map[string]core.Handler
	kinds   *core.Kinds

	mu      sync.Mutex
	st      *core.State
	unsaved map[string][]core.Entity // default resources of regions not yet in the file

	faults faults
	pace   pace
	log    requestLog

	account  string
	othersMu sync.Mutex
	others   map[string]*Cloud // accounts that roles were assumed in
}

// Open opens the account in the file, and creates an empty one if there is none.
// An empty path is an account in memory. Every acknowledged change is in the
// file; a process that ends at any moment leaves it consistent.
// Faults also come from path+".faults.json" and from OVI_SANDBOX_FAULTS.
func Open(path string, opts ...Option) (*Cloud, error) {
	o := options{clock: time.Now, settle: time.Second, keepDead: time.Hour}
	if text := os.Getenv(SettleEnv); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return nil, fmt.Errorf("sandbox: invalid duration %s=%q; use for example 500ms", SettleEnv, text)
		}
		o.settle = d
	}
	for _, set := range opts {
		set(&o)
	}
	actions, kinds := services()
	c := &Cloud{account: wire.Account, opts: o, actions: actions, kinds: kinds, unsaved: map[string][]core.Entity{}}
	c.pace = pace{Pace: o.pace}
	c.log.path = path
	if err := c.faults.load(path); err != nil {
		return nil, err
	}
	if path == "" {
		if o.seed == "" {
			o.seed = core.NewSalt()
		}
		c.st = core.NewState(o.seed, c.kinds)
		return c, nil
	}
	var err error
	if c.journal, err = core.OpenJournal(path, c.kinds); err != nil {
		return nil, err
	}
	if err := c.locked(func() error { return nil }); err != nil {
		return nil, errors.Join(err, c.journal.Close())
	}
	return c, nil
}

// Close gives the files back. The cloud must not be used afterwards.
func (c *Cloud) Close() error {
	others := c.closeOthers()
	c.mu.Lock()
	defer c.mu.Unlock()
	err := errors.Join(others, c.log.close())
	if c.journal != nil {
		err = errors.Join(err, c.journal.Close())
	}
	return err
}

// Reset empties the account in the file: its resources, its request
// log and its planned faults are gone. Clouds that have it open go on with the
// empty account.
func Reset(path string) error {
	j, err := core.OpenJournal(path, nil)
	if err != nil {
		return err
	}
	defer func() { _ = j.Close() }() // begin reports whether it was written
	if err := core.LockFile(j.Lock); err != nil {
		return fmt.Errorf("sandbox: lock %s: %w", path, err)
	}
	defer func() { _ = core.UnlockFile(j.Lock) }()
	for _, name := range []string{requestsPath(path), requestsPath(path) + ".old", faultsPath(path)} {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("sandbox: %w", err)
		}
	}
	for _, other := range accountPaths(path) {
		if err := os.Remove(other); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("sandbox: %w", err)
		}
	}
	return j.Begin(core.NewSalt())
}

// locked runs do alone among all goroutines and processes, on the newest state.
func (c *Cloud) locked(do func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.journal == nil {
		return do()
	}
	if err := core.LockFile(c.journal.Lock); err != nil {
		return fmt.Errorf("sandbox: lock %s: %w", c.journal.Path, err)
	}
	defer func() { _ = core.UnlockFile(c.journal.Lock) }()
	st, err := c.journal.Refresh(c.st)
	if err != nil {
		return err
	}
	c.adopt(st)
	return do()
}

// adopt continues with a state; default resources not yet saved belong to the old one.
func (c *Cloud) adopt(st *core.State) {
	if st != c.st {
		c.st = st
		clear(c.unsaved)
	}
}

// do runs one transaction: all of its changes, or none and an error.
func (c *Cloud) do(work func(*core.Tx) error) error {
	return c.locked(func() error {
		t := core.NewTx(c.st, c.opts.clock().UTC().Truncate(time.Millisecond))
		if err := work(t); err != nil {
			t.Rollback()
			return err
		}
		return c.commit(t)
	})
}

func (c *Cloud) commit(t *core.Tx) error {
	if len(t.Ops) == 0 {
		t.St.Seq = t.Seq0
		return nil
	}
	if c.journal == nil {
		clear(c.unsaved)
		return nil
	}
	var ops []core.Op
	for region, resources := range c.unsaved {
		if t.St.Saved[region] {
			continue // another process was first, and may have deleted some since
		}
		t.St.Saved[region] = true
		for _, e := range resources {
			ops = append(ops, core.Op{Kind: c.kinds.Of(e).Name, Region: e.Meta().Region, Put: e})
		}
	}
	if err := c.journal.Write(core.Batch{Seq: t.St.Seq, Ops: append(ops, t.Ops...)}); err != nil {
		t.Rollback()
		return err
	}
	clear(c.unsaved)
	// The change is in the file: that it could not be made shorter is not the
	// request's fault, and the next one tries again.
	if st, err := c.journal.Compact(c.st, t.Now); err == nil {
		c.adopt(st)
	}
	return nil
}
