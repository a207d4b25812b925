package session

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Act returns who acts and the reason that the command line gives.
func Act(c *command.Call) engine.OperatorAction {
	return engine.OperatorAction{Who: c.User(), Reason: command.ReasonOf(c)}
}

// IsBlessed reports whether the protection of a resource is recorded.
func IsBlessed(ctx context.Context, l *ledger.Ledger, ref resource.Ref) (bool, error) {
	all, err := l.Blessings(ctx)
	return slices.ContainsFunc(all, func(b ledger.Blessing) bool { return b.Ref == ref }), err
}

// WithRecord opens the data directory and the providers for a command about recorded resources.
func WithRecord(c *command.Call, do func(*Session) error) error {
	dir, err := RecordDir(c)
	if err != nil {
		return err
	}
	l, err := OpenLiveState(c, dir, nil, nil)
	if err != nil {
		return err
	}
	return Closing(c, l, do(l))
}

// WithRef is withRecord for a command about one recorded resource, its argument.
func WithRef(c *command.Call, do func(*Session, resource.Ref) error) error {
	if err := OneRef(c); err != nil {
		return err
	}
	return WithRecord(c, func(l *Session) error {
		ref, err := Ref(c, l.Ledger, c.Arg(0))
		if err != nil {
			return err
		}
		return do(l, ref)
	})
}

// OneRef checks that the command has its one argument.
func OneRef(c *command.Call) error {
	if c.Arg(0) == "" {
		return cli.Usage("use one that `ovi status` lists, such as ec2/web-0", "`ovi %s` needs a resource",
			c.Cmd.Command.Name)
	}
	return c.AtMost(1)
}

// instancesNote, in a data directory, names the instances of its shared store, so that it is known
// which logs are needed when the store is lost.
const instancesNote = "instances"

// InstancesMet returns the instances that this data directory has seen in its shared store.
func InstancesMet(dir string) ([]string, error) {
	b, err := budget.ReadFile(filepath.Join(dir, instancesNote), budget.Text)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return strings.Fields(string(b)), err
}

// meet notes the instances of the shared store.
func meet(c *command.Call, dir string, l *ledger.Ledger) {
	was, err := InstancesMet(dir)
	var all []ledger.Instance
	if err == nil {
		all, err = l.Instances(c)
	}
	var now []string
	for _, i := range all {
		now = append(now, i.ID)
	}
	if err == nil && !slices.Equal(was, now) {
		err = command.WriteFile(filepath.Join(dir, instancesNote), []byte(strings.Join(now, "\n")+"\n"))
	}
	if err != nil {
		c.Out.Warn("cannot note the instances of the store: "+err.Error(), "none needed: the next command tries again")
	}
}

// RevisionOf returns the revision that a text means: a number, a time or an age.
func RevisionOf(c *command.Call, l *ledger.Ledger, text string) (storage.Revision, error) {
	if text == "" {
		return storage.Now, nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
		r := storage.Revision(n)
		newest, err := l.Revision(c)
		if err == nil && r > newest {
			err = cli.Usage("run `ovi store status` to list the revisions that can be read",
				"revision %d does not exist: the newest is %d", r, newest)
		}
		return r, err
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return history.New(l.Reader()).RevisionAt(c, c.Now().Add(-ago))
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return history.New(l.Reader()).RevisionAt(c, t)
	}
	return 0, cli.Usage("use a revision such as 42, a time such as 2026-01-02T15:04:05Z, or 90m for 90 minutes ago",
		"%q is neither a revision nor a time", text)
}
