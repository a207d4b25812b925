package history_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
)

// forgetful is a store that is compacted by others, such as an etcd with a
// policy of its own.
type forgetful struct {
	storage.Store
	oldest storage.Revision
}

func (f *forgetful) Oldest(context.Context) (storage.Revision, error) { return f.oldest, nil }

func (f *forgetful) Stats(context.Context) (storage.Stats, error) {
	return storage.Stats{}, errors.New("it is expensive")
}

func (f *forgetful) Range(ctx context.Context, prefix string, at storage.Revision) (iter.Seq2[storage.Entry, error], storage.Revision, error) {
	if at != storage.Now && at < f.oldest {
		return nil, 0, fmt.Errorf("revision %d: %w", at, storage.ErrCompacted)
	}
	return f.Store.Range(ctx, prefix, at)
}

func (f *forgetful) History(ctx context.Context, key string) iter.Seq2[storage.Entry, error] {
	return func(yield func(storage.Entry, error) bool) {
		var base *storage.Entry
		for e, err := range f.Store.History(ctx, key) {
			if err == nil && e.Modified <= f.oldest {
				base = &e
				continue
			}
			if base != nil && !base.Deleted && !yield(*base, nil) {
				return
			}
			if base = nil; !yield(e, err) {
				return
			}
		}
		if base != nil && !base.Deleted {
			yield(*base, nil)
		}
	}
}

// TestThePastIsReadWhereOthersCompact: what the store's keeper forgot by itself is gone, and
// everything else is reported.
func TestThePastIsReadWhereOthersCompact(t *testing.T) {
	store := &forgetful{Store: mem.New()}
	l := shared(t, t.TempDir(), store, "one")
	var last ledger.Receipt
	for i := range 20 {
		last = must[ledger.Receipt](t)(l.RecordObservation(t.Context(), liveState(res("a", fmt.Sprint(i))), ledger.ObservationOptions{Since: -1}))
	}
	store.oldest = last.Revision - 5
	moments, err := history.New(l.Reader()).History(t.Context(), ref("a"))
	if err != nil || len(moments) < 5 || len(moments) > 7 {
		t.Errorf("%d moments: %v", len(moments), err)
	}
	if r, err := history.New(l.Reader()).RevisionAt(t.Context(), last.At); err != nil || r != last.Revision {
		t.Errorf("at the time of revision %d stands %d: %v", last.Revision, r, err)
	}
	c, err := history.New(l.Reader()).ResourceHistory(t.Context(), ref("a"), -1)
	if err != nil || len(c.Records) != 20 { // the log has the rest
		t.Errorf("%d records: %v", len(c.Records), err)
	}
}
