package ledger

import (
	"context"
	"fmt"
	"net/url"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/storage"
)

// loadedValue is the value of loaded/<stack>.
type loadedValue struct {
	Version string `json:"version,omitempty"`
	Source  string `json:"source,omitempty"`
}

func loadedKey(stack string) string { return keyLoaded + url.PathEscape(stack) }

// loaded keeps the version of the wishes of a stack, if it is another one.
func (p *projection) loaded(e event.Loaded) error {
	var was loadedValue
	key, is := loadedKey(e.Stack), loadedValue{e.Version, e.Source}
	found, err := p.load(key, &was)
	if err != nil || found && was == is {
		return err
	}
	return p.put(key, is)
}

// LoadedVersion is the version of the wishes that was last recorded for a stack.
func (l *Ledger) LoadedVersion(ctx context.Context, stack string) (string, error) {
	var v loadedValue
	found, err := l.load(ctx, loadedKey(stack), storage.Now, &v)
	if err == nil && !found {
		err = fmt.Errorf("ledger: a reading of stack %s is %w", stack, ErrNotFound)
	}
	return v.Version, err
}
