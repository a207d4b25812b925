package session

import (
	"context"
	"errors"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// WithMemory opens the data directory for a command that reads it; args may name a source that it
// is beside. It needs no source and no provider.
func WithMemory(c *command.Call, args []string, do func(*ledger.Ledger) error) error {
	dir, err := RecordDir(c, args...)
	if err != nil {
		return err
	}
	l, err := OpenLedger(c, dir)
	if err != nil {
		return err
	}
	return errors.Join(do(l), l.Close())
}

// Ref finds a recorded resource by any spelling; of several with that name the one in the stack of
// the source, which sources or -f names.
func Ref(c *command.Call, l *ledger.Ledger, spelling string, sources ...string) (resource.Ref, error) {
	stack, err := ChosenStack(c, sources...)
	if err != nil {
		return resource.Ref{}, err
	}
	find := history.New(l.Reader()).FindRef
	if stack != "" {
		find = func(_ context.Context, spelling string) (resource.Ref, error) { return findIn(c, l, stack, spelling) }
	}
	ref, err := find(c, spelling)
	var several *history.AmbiguousError
	if errors.As(err, &several) && stack == "" {
		return inSource(c, several, sources...)
	}
	if errors.Is(err, ledger.ErrNotFound) {
		return ref, &cli.Problem{
			Summary:    "no recorded resource is called " + Quoted(spelling),
			Suggestion: nearby(c, l, spelling),
		}
	}
	return ref, err
}

// Quoted returns a text in double quotes. It escapes nothing.
func Quoted(s string) string { return `"` + s + `"` }

// nearby suggests the resource that was most likely meant.
func nearby(c *command.Call, l *ledger.Ledger, spelling string) string {
	live, _, err := l.LiveState(c, storage.Now)
	if err != nil {
		return "see `ovi status`"
	}
	var names []string
	for _, snapshot := range live.Scopes {
		for _, o := range snapshot.Resources {
			names = append(names, o.Ref.Kind+"/"+o.Ref.Name, o.Ref.Name)
		}
	}
	if near, ok := resource.Nearest(spelling, names); ok {
		return "did you mean " + near + "? See `ovi status`"
	}
	return "run `ovi status` and `ovi inventory` to list what is recorded"
}

// NamesIn knows every scope that was observed.
func NamesIn(scans []ledger.Scan) render.Names {
	scopes := make([]resource.Scope, len(scans))
	for i, s := range scans {
		scopes[i] = s.Scope
	}
	return render.NewNames(scopes...)
}
