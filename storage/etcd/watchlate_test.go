package etcd

import (
	"context"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/etcdtest"
	"github.com/ovi-project/ovi/storage"
)

// TestAWatchTellsOfWhatCanBeRead: the events of a large commit come before it can be read, and
// none comes when it can. A watcher that is notified can read the commit, also if its writer crashed.
func TestAWatchTellsOfWhatCanBeRead(t *testing.T) {
	t.Parallel()
	server := etcdtest.Shared(t)
	dying, other := connect(t, server, "unseen"), connect(t, server, "unseen")
	const n = 350
	if _, err := dying.Commit(t.Context(), storage.Tx{Ops: many(n, "old")}); err != nil {
		t.Fatal(err)
	}
	st, err := dying.state(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	asked, ended := make(chan struct{}, 1000), make(chan error, 1)
	go func() {
		ended <- storage.Await(t.Context(), other, "", time.Hour, func(ctx context.Context) (bool, error) {
			asked <- struct{}{}
			seq, _, err := other.Range(ctx, many(1, "")[0].Key, storage.Now)
			if err != nil {
				return false, err
			}
			for e, err := range seq {
				return string(e.Value) == "new", err
			}
			return false, nil
		})
	}()
	<-asked
	plan := started(t, dying, many(n, "new"))
	decided(t, dying, st, &plan, 4)
	if _, err := dying.client.Delete(t.Context(), dying.prefix+plan.Alive); err != nil { // its sign of life ends
		t.Fatal(err)
	}
	// Were a notice to come before the change is readable, and none after, the package's limit would end this.
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
