package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/storage"
)

// ErrOutdated is returned for the start of an action of a configuration that is no longer the newest. Nothing was
// recorded.
var ErrOutdated = errors.New("ledger: a newer configuration was loaded")

// Fence is the version of a stack's configuration that a start belongs to.
type Fence struct{ Stack, Version string }

// RecordStart is RecordUnder for the start of an action that a loop performs. It returns ErrOutdated if the leading
// loop of the stack has loaded another version than the fence has. The check is part of the transaction that records
// the start: once a newer version is recorded, no start of an older one follows. A nil fence is RecordUnder.
func (w *Writer) RecordStart(
	ctx context.Context, guard storage.Guard, fence *Fence, events ...event.Event,
) (Receipt, error) {
	return w.submit(ctx, &request{build: given(events), guard: &guard, fence: fence})
}

// fencedBy returns the guard of the row that a fence depends on, or ErrOutdated.
func (w *Writer) fencedBy(ctx context.Context, f *Fence) (*storage.Guard, error) {
	if f == nil {
		return nil, nil
	}
	e, err := w.Get(ctx, rows.LedOf(f.Stack), storage.Now)
	if err != nil {
		return nil, err
	}
	if e.Created != 0 {
		var now rows.Led
		if err := json.Unmarshal(e.Value, &now); err != nil {
			return nil, fmt.Errorf("ledger: read the version of stack %s: %w", f.Stack, err)
		}
		if now.Version != f.Version {
			return nil, fmt.Errorf("%w: version %q of stack %s, not %q", ErrOutdated, now.Version, f.Stack, f.Version)
		}
	}
	return &storage.Guard{Key: rows.LedOf(f.Stack), Created: e.Created, Modified: e.Modified}, nil
}

// fencesOf returns the guards of the fences of a group, each once. A group whose requests saw different rows cannot be
// committed, and is written again one by one.
func fencesOf(group []*request) (out []storage.Guard) {
	for _, r := range group {
		if r.fenced != nil && !r.refused && !slices.Contains(out, *r.fenced) {
			out = append(out, *r.fenced)
		}
	}
	return out
}
