package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/local"
	"github.com/ovi-project/ovi/storage/etcd"
)

// storeIdentity is what a data directory notes of its shared store: where it was last reached, and
// its id, wherever it is reached. It has no credentials.
type storeIdentity struct {
	Where string
	id    string // "" in a note of an older ovi
}

// ReadNote is the zero note if there is none.
func ReadNote(dir string) (storeIdentity, error) {
	b, err := budget.ReadFile(filepath.Join(dir, command.StoreNote), budget.Text)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return storeIdentity{}, err
	}
	where, id, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	return storeIdentity{where, id}, nil
}

func (n storeIdentity) write(dir string) error {
	err := errors.Join(command.CreateDir(dir),
		os.WriteFile(filepath.Join(dir, command.StoreNote), []byte(n.Where+"\n"+n.id+"\n"), 0o600))
	if err != nil {
		return fmt.Errorf("note the store: %w", err)
	}
	return nil
}

// OpenLedger opens the data directory for writing, and creates it if it does not exist. If the directory is not
// provably the user's own, OpenLedger asks on a terminal and fails elsewhere.
func OpenLedger(c *command.Call, dir string) (*ledger.Ledger, error) {
	l, err := openLedger(c, dir, trustOptionsOf(c).directory)
	var foreign *ledger.DirectoryError
	if !errors.As(err, &foreign) {
		return l, err
	}
	if err := askDirectory(c, dir, foreign); err != nil {
		return nil, err
	}
	return openLedger(c, dir, true)
}

func openLedger(c *command.Call, dir string, take bool) (*ledger.Ledger, error) {
	kept, err := ReadNote(dir)
	if err != nil {
		return nil, err
	}
	if err := command.CreateDir(dir); err != nil {
		return nil, err
	}
	whose, err := c.LogTrustOf(dir)
	if err != nil {
		return nil, err
	}
	cfg := whose.Config(ledger.Config{
		Dir: dir, User: c.User(), UID: c.UID(), Host: c.Host(), Clock: c.Now, Take: take,
	})
	name := c.StoreName()
	switch {
	case name == "" && kept.Where != "":
		return nil, &cli.Problem{
			Summary: "the store of this data directory is " + kept.Where, File: dir,
			Suggestion: "use --store or OVI_STORE, or another --data-dir",
		}
	case name == "":
		l, err := local.Open(c, cfg)
		return listened(c, l, err)
	}
	store, where, err := command.Connect(c, name)
	if err != nil {
		return nil, err
	}
	now := storeIdentity{where, store.ID()}
	if err := sameStore(c, dir, kept, now, store); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	cfg.Store, cfg.Shared, cfg.CloseStore = store, true, true
	return openShared(c, cfg, kept, now)
}

// openShared opens the data directory with a shared store. Another store than the noted one is
// noted only when it is open.
func openShared(c *command.Call, cfg ledger.Config, kept, now storeIdentity) (*ledger.Ledger, error) {
	dir, store := cfg.Dir, cfg.Store
	if kept.Where == "" {
		if err := now.write(dir); err != nil {
			return nil, errors.Join(err, store.Close())
		}
		kept = now
	}
	l, err := ledger.Open(c, cfg)
	l, err = listened(c, l, err)
	if err != nil {
		return l, err
	}
	meet(c, dir, l)
	if kept == now {
		return l, nil
	}
	if err := now.write(dir); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// sameStore refuses an empty store instead of the noted one: instances with different stores would
// not observe each other's claims.
func sameStore(c *command.Call, dir string, kept, now storeIdentity, store *etcd.Store) error {
	if kept.id == "" || kept.id == now.id {
		return nil
	}
	stats, err := store.Stats(c)
	if err != nil {
		return command.StoreProblem(err)
	}
	if stats.Keys > 0 {
		return nil // the ledger sees whether it knows this log
	}
	return &cli.Problem{
		File: dir,
		Summary: fmt.Sprintf("this store is empty and is not the one of this data directory: %s, %s; expected %s, %s",
			now.Where, now.id, kept.Where, kept.id),
		Suggestion: "check --store and OVI_STORE; move a store with `ovi store copy`; restore a lost one from the logs of " +
			"its instances: ovi audit replay --with DIR --into " + now.Where,
	}
}
