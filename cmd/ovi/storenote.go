package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ovi-project/ovi/cli"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/local"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/etcd"
)

// storeIdentity is what a data directory notes of the shared store its record is kept in: where it was
// last reached, and which it is, wherever it is reached. Who asked stands in neither.
type storeIdentity struct {
	where string
	id    string // "" in a note of an older ovi
}

// readNote is the zero note where none is.
func readNote(dir string) (storeIdentity, error) {
	b, err := os.ReadFile(filepath.Join(dir, storeNote))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return storeIdentity{}, err
	}
	where, id, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	return storeIdentity{where, id}, nil
}

func (n storeIdentity) write(dir string) error {
	err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, storeNote), []byte(n.where+"\n"+n.id+"\n"), 0o600))
	if err != nil {
		return fmt.Errorf("note the store: %w", err)
	}
	return nil
}

// openLedger opens the record for writing; the directory is made if it is not there.
func (c *call) openLedger(dir string) (*ledger.Ledger, error) {
	kept, err := readNote(dir)
	if err != nil {
		return nil, err
	}
	name := c.storeName()
	switch {
	case name == "" && kept.where != "":
		return nil, &cli.Problem{
			Summary: "the record of this data directory is kept in " + kept.where, File: dir,
			Suggestion: "say --store or set OVI_STORE, or name another --data-dir",
		}
	case name == "":
		return c.listened(local.Open(c, ledger.Config{Dir: dir, User: c.User(), Clock: c.Now}))
	}
	store, where, err := c.connect(name)
	if err != nil {
		return nil, err
	}
	now := storeIdentity{where, store.ID()}
	if err := c.sameStore(dir, kept, now, store); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return c.openShared(dir, kept, now, store)
}

// openShared opens the record in a shared store. Another store than the one that was noted is
// noted only when the record is open there.
func (c *call) openShared(dir string, kept, now storeIdentity, store storage.Store) (*ledger.Ledger, error) {
	if kept.where == "" {
		if err := now.write(dir); err != nil {
			return nil, errors.Join(err, store.Close())
		}
		kept = now
	}
	l, err := c.listened(ledger.Open(c, ledger.Config{Dir: dir, User: c.User(), Clock: c.Now, Store: store, Shared: true, CloseStore: true}))
	if err != nil {
		return l, err
	}
	c.meet(dir, l)
	if kept == now {
		return l, nil
	}
	if err := now.write(dir); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// sameStore refuses an empty store in place of the one that was noted: the log would be brought
// there, and instances that record here and there would not see each other's claims.
func (c *call) sameStore(dir string, kept, now storeIdentity, store *etcd.Store) error {
	if kept.id == "" || kept.id == now.id {
		return nil
	}
	stats, err := store.Stats(c)
	if err != nil {
		return storeProblem(err)
	}
	if stats.Keys > 0 {
		return nil // the ledger sees whether it knows this log
	}
	return &cli.Problem{
		File:       dir,
		Summary:    fmt.Sprintf("this is another store than the one this data directory's record is kept in, and it is empty: %s, %s; the record is in %s, %s", now.where, now.id, kept.where, kept.id),
		Suggestion: "check --store and OVI_STORE; move the record with `ovi store copy`; if the old store is lost for good, bring it back from the logs of all its instances: ovi audit replay --with DIR --into " + now.where,
	}
}
