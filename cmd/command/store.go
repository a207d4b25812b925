package command

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/bolt"
	"github.com/ovi-project/ovi/storage/etcd"
)

const (
	// EtcdScheme begins the URL of a store on etcd.
	EtcdScheme = "etcd://"
	// StoreNote, in a data directory, names its shared store.
	StoreNote = "store"
	// StoreFile is the store of a data directory that shares none.
	StoreFile = "store.db"
)

// StoreName is the store that was asked for: --store, OVI_STORE, or "": bolt in the data
// directory.
func (c *Call) StoreName() string {
	if name := storeOf(c); name != "" {
		return name
	}
	return c.Getenv("OVI_STORE")
}

// Connect opens a store in etcd, and gives its name without credentials.
func Connect(c *Call, name string) (*etcd.Store, string, error) {
	if !strings.HasPrefix(name, EtcdScheme) {
		return nil, "", cli.Usage("use --store etcd://host:2379,host:2379/prefix", "unknown kind of store")
	}
	cfg, err := etcd.Parse(name)
	if err != nil {
		return nil, "", cli.Usage("use --store etcd://host:2379,host:2379/prefix, see docs/operations.md",
			"invalid store: %s", err)
	}
	if cfg.Username == "" {
		cfg.Username = c.Getenv("OVI_STORE_USER")
	}
	if cfg.Password == "" {
		if cfg.Password, err = readStorePassword(c); err != nil {
			return nil, "", err
		}
	}
	where := EtcdScheme + strings.Join(cfg.Endpoints, ",") + "/" + strings.Trim(cfg.Prefix, "/")
	if cfg.Password != "" && cfg.TLS == nil && !cfg.Loopback() {
		c.Out.Warn("the store's password is sent unencrypted",
			"add ?tls=true or ?ca=FILE to the store: see docs/operations.md")
	}
	store, err := etcd.Open(c, cfg)
	if err != nil {
		return nil, where, StoreProblem(err)
	}
	return store, where, nil
}

// StoreProblem is why a store cannot be used, and what to do about it.
func StoreProblem(err error) error {
	p := &cli.Problem{
		Summary: "cannot use the store", Err: err,
		Suggestion: "nothing was started; run the command again when the store is reachable",
	}
	var told *etcd.Error
	if errors.As(err, &told) && told.Next != "" {
		p.Err, p.Suggestion = told.Brief(), told.Next
	}
	return p
}

// readStorePassword is the password of the store from the environment or a file.
func readStorePassword(c *Call) (string, error) {
	file := c.Getenv("OVI_STORE_PASSWORD_FILE")
	if file == "" {
		return c.Getenv("OVI_STORE_PASSWORD"), nil
	}
	b, err := budget.ReadFile(file, budget.Text)
	if err != nil {
		return "", &cli.Problem{
			Summary: "cannot read the store's password", File: file, Err: cli.Plain(err),
			Suggestion: "check OVI_STORE_PASSWORD_FILE",
		}
	}
	return strings.TrimRight(string(b), "\r\n"), nil
}

// EitherStore opens a store by name: etcd://…, a data directory, or a file of bolt.
func EitherStore(c *Call, name string, mustExist bool) (storage.Store, string, error) {
	if strings.HasPrefix(name, EtcdScheme) {
		store, where, err := Connect(c, name)
		if err != nil {
			return nil, where, err
		}
		return store, where, nil
	}
	file := strings.TrimPrefix(name, "bolt:")
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		file = filepath.Join(file, StoreFile)
	}
	if _, err := os.Stat(file); mustExist && err != nil {
		return nil, file, &cli.Problem{
			Summary: "no store", File: file, Err: cli.Plain(err),
			Suggestion: "use a data directory, its store.db, or etcd://host:2379/prefix",
		}
	}
	store, err := bolt.Open(file)
	return store, file, err
}

// CreditOthers reports what another run did of what this apply was about to do.
func CreditOthers(c *Call, r *engine.Result) {
	by := map[string]int{}
	for _, o := range r.Outcomes {
		if o.Status == engine.ByOther {
			by[o.ClaimedBy]++
		}
	}
	for _, who := range SortedKeys(by) {
		c.Out.Say("%d of these were done meanwhile by another run of %s: see `ovi history REF`.", by[who], who)
	}
}
