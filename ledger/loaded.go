package ledger

import (
	"context"
	"fmt"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// loaded records the version of a stack, if it is another one.
func (p *projection) loaded(e event.Loaded) error {
	var was rows.Loaded
	key, is := rows.LoadedOf(e.Stack), rows.Loaded{Version: e.Version, Source: e.Source}
	found, err := p.load(key, &was)
	if err != nil || found && was == is {
		return err
	}
	return p.put(key, is)
}

// LoadedVersion is the version of a stack that was last loaded.
func (r *Reader) LoadedVersion(ctx context.Context, stack string) (string, error) {
	var v rows.Loaded
	found, err := r.Load(ctx, rows.LoadedOf(stack), storage.Now, &v)
	if err == nil && !found {
		err = fmt.Errorf("ledger: a version of stack %s is %w", stack, ErrNotFound)
	}
	return v.Version, err
}
