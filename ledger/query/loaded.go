package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource/cmdline"
	"github.com/ovi-project/ovi/storage"
)

// LoadedVersion is the version of a stack that was last loaded. It returns ErrNotFound if none was.
func (r *Reader) LoadedVersion(ctx context.Context, stack string) (string, error) {
	var v rows.Loaded
	found, err := r.Load(ctx, rows.LoadedOf(stack), storage.Now, &v)
	if err == nil && !found {
		err = fmt.Errorf("ledger: a version of stack %s is %w", stack, ErrNotFound)
	}
	return v.Version, err
}

// LastGiven returns the values that the command line set for a stack in its last apply. It returns nil
// if the stack has no accepted settings.
func LastGiven(ctx context.Context, r *Reader, stack string) ([]cmdline.Value, error) {
	var v rows.Source
	if _, err := r.Load(ctx, rows.SourceOf(stack, ""), storage.Now, &v); err != nil || v.Settings == nil {
		return nil, err
	}
	return v.Settings.Given, nil
}

// LedVersion is the version of a stack that its leading loop has loaded. It returns ErrNotFound if no
// loop has recorded one.
func LedVersion(ctx context.Context, r *Reader, stack string) (string, error) {
	var v rows.Led
	found, err := r.Load(ctx, rows.LedOf(stack), storage.Now, &v)
	if err == nil && !found {
		err = fmt.Errorf("ledger: a version of the loop of stack %s is %w", stack, ErrNotFound)
	}
	return v.Version, err
}

// Loaded returns the last load of each stack, by name. The number of its resources is not in the store.
func (r *Reader) Loaded(ctx context.Context) ([]event.Loaded, error) {
	var out []event.Loaded
	err := r.Entries(ctx, rows.KeyLoaded, storage.Now, func(e storage.Entry) error {
		var v rows.Loaded
		stack, err := url.PathUnescape(strings.TrimPrefix(e.Key, rows.KeyLoaded))
		if err = errors.Join(err, json.Unmarshal(e.Value, &v)); err != nil {
			return err
		}
		out = append(out, event.Loaded{Stack: stack, Source: v.Source, Version: v.Version, Release: v.Release})
		return nil
	})
	slices.SortFunc(out, func(a, b event.Loaded) int { return strings.Compare(a.Stack, b.Stack) })
	return out, err
}
