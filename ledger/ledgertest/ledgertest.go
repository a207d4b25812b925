// Package ledgertest has ledgers and what they record, for tests.
package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/local"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
	"github.com/ovi-project/ovi/wal"
)

// Scope returns the scope of all resources.
func Scope() resource.Scope { return resource.Scope{Provider: "fake", Location: "here"} }

// Ref is the ref of a box.
func Ref(name string) resource.Ref {
	return resource.Ref{Stack: "web", Provider: "fake", Location: "here", Kind: "box", Name: name}
}

// Resource is a box of stack web that ovi manages.
func Resource(name, size string) resource.Observed {
	return resource.Observed{
		Ref: Ref(name), ID: "id-" + name, Ownership: resource.Proven, Health: resource.Healthy,
		Attrs: resource.NewAttrs(resource.Attr{Name: "size", Value: resource.String(size)}),
	}
}

// LiveState has these resources in Scope, and no others.
func LiveState(resources ...resource.Observed) resource.LiveState {
	return resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{
		Scope(): {Scope: Scope(), At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Resources: resources},
	}}
}

// Unreachable is live state where Scope could not be observed.
func Unreachable(err error) resource.LiveState {
	return resource.LiveState{Unreachable: map[resource.Scope]error{Scope(): err}}
}

// Open opens a ledger, on the store of its data directory if none is given, and closes it when the
// test ends.
func Open(t *testing.T, dir string, store storage.Store) *ledger.Ledger {
	t.Helper()
	cfg := ledger.Config{Dir: dir, Store: store, User: "ann"}
	start := ledger.Open
	if store == nil {
		start = local.Open
	}
	l, err := start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// Fresh opens an empty ledger on a store in memory.
func Fresh(t *testing.T) *ledger.Ledger { return Open(t, t.TempDir(), mem.New()) }

// Must fails the test on an error.
func Must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Shared opens a ledger of an instance of its own on a store that others record into.
func Shared(t *testing.T, dir string, store storage.Store, user string) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Open(t.Context(), ledger.Config{Dir: dir, Store: store, Shared: true, User: user})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// Live records what instances record, in random order, about resources that all of them share.
func Live(ctx context.Context, l *ledger.Ledger, rounds int, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 7))
	for i := range rounds {
		since, err := l.Revision(ctx)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("t%d", r.IntN(4))
		switch r.IntN(7) {
		case 0:
			_, err = l.Record(ctx, event.Blessed{Ref: Ref(name), On: r.IntN(2) == 0, Who: l.User()})
		case 1, 2:
			var found []resource.Observed
			for k := range 4 {
				if r.IntN(4) > 0 {
					found = append(found, Resource(fmt.Sprintf("t%d", k), fmt.Sprint(r.IntN(3))))
				}
			}
			_, err = l.RecordObservation(ctx, LiveState(found...), ledger.ObservationOptions{Since: since})
		case 3:
			decisions := []event.Decision{{
				Ref: Ref(name), Action: decider.Update, Proposed: decider.Update,
				Difference: "drifted", Reason: decider.ReasonChanged,
			}}
			hash, bad := event.HashDecisions(decisions)
			_, err = l.RecordPlan(ctx, event.Planned{
				Plan: fmt.Sprintf("%s-%d", l.User(), i), Stacks: []string{"web"},
				Mode: event.ForPlan, Hash: hash, Decisions: decisions,
			})
			err = errors.Join(err, bad)
		case 4:
			key := fmt.Sprintf("%s-%d", l.User(), i)
			created := event.Finished{
				Ref: Ref(name), Key: key, Action: decider.Create, Outcome: event.Done,
				ID: fmt.Sprintf("id-%s-%s-%d", name, key, seed), UID: key,
			}
			if _, err = l.Record(ctx, event.Started{Ref: Ref(name), Key: key, Action: decider.Create}); err == nil {
				_, err = l.Record(ctx, created)
			}
		case 5:
			var b resource.Binding
			if b, err = l.Binding(ctx, Ref(name)); errors.Is(err, ledger.ErrNotFound) {
				_, err = l.Record(ctx, event.Adopted{
					Ref: Ref(name), ID: fmt.Sprintf("%s-%s-%d-%d", name, l.User(), seed, i),
					Who: l.User(),
				})
			} else if err == nil {
				_, err = l.Record(ctx, event.Disowned{Ref: b.Ref, ID: b.ID, Who: l.User()})
			}
		default:
			key := fmt.Sprintf("%s-%d", l.User(), i)
			o := Resource(name, fmt.Sprint(i))
			_, err = l.Record(ctx, event.Started{
				Ref: Ref(name), Key: key, Action: decider.Update,
				Applying: &event.Applied{Desired: key},
			})
			if err == nil {
				_, err = l.Record(ctx, event.Finished{
					Ref: Ref(name), Key: key, Action: decider.Update, Outcome: event.Done,
					Resource: &o,
				})
			}
		}
		if err != nil {
			return fmt.Errorf("%s, round %d: %w", l.User(), i, err)
		}
	}
	return nil
}

// Lived is a ledger over many small segments whose first record protects a resource.
func Lived(t *testing.T, dir string) *ledger.Ledger {
	t.Helper()
	l, err := local.Open(t.Context(), ledger.Config{
		Dir: dir, User: "ann",
		LogOptions: []wal.Option{wal.WithSegmentSize(64 << 10), wal.WithPrefill(0), wal.WithoutCompression()},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	Must[ledger.Receipt](t)(l.Record(t.Context(), event.Blessed{Ref: Ref("a"), On: true, Who: "ann", Reason: "data"}))
	for i := range 300 {
		o := Resource("a", fmt.Sprint("size", i))
		o.Message = fmt.Sprintf("%0900d", i)
		Must[ledger.Receipt](t)(l.RecordObservation(t.Context(), LiveState(o, Resource("b", "s")),
			ledger.ObservationOptions{Since: -1}))
	}
	return l
}

// Dirs are empty directories.
func Dirs(t *testing.T, n int) []string {
	t.Helper()
	out := make([]string, n)
	for i := range out {
		out[i] = t.TempDir()
	}
	return out
}
