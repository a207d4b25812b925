package etcd_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/etcdtest"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/storagetest"
)

func TestWatchesTellOfLeasesThatEnd(t *testing.T) {
	t.Parallel()
	storagetest.WatchExpiry(t, opener(etcdtest.Cluster(t, 1))(t), 3*time.Second)
}

// TestAPromiseThatEtcdCannotKeepIsRefused: with its default election timeout etcd grants no
// lease under 2 s, and needs up to one more to end it.
func TestAPromiseThatEtcdCannotKeepIsRefused(t *testing.T) {
	t.Parallel()
	s := opener(etcdtest.Cluster(t, 1, "--heartbeat-interval", "100", "--election-timeout", "1000"))(t)
	for _, within := range []time.Duration{time.Second, 2 * time.Second, 2900 * time.Millisecond} {
		if _, _, err := storage.GrantWithin(t.Context(), s, within); !errors.Is(err, storage.ErrTooShort) {
			t.Errorf("within %s: %v, want ErrTooShort", within, err)
		}
	}
	for within, want := range map[time.Duration]time.Duration{
		3 * time.Second: 2 * time.Second, 3500 * time.Millisecond: 2 * time.Second, 30 * time.Second: 29 * time.Second,
	} {
		if _, lives, err := storage.GrantWithin(t.Context(), s, within); err != nil || lives != want {
			t.Errorf("within %s the lease lives %s (%v), want %s", within, lives, err, want)
		}
	}
}

// TestAWatchOutlivesItsServer: the server crashes, and what the watch has not read is compacted
// before it is back.
func TestAWatchOutlivesItsServer(t *testing.T) {
	t.Parallel()
	servers := etcdtest.Cluster(t, 1)
	open := opener(servers)
	watching := open(t)
	write := func(key, value string) (rev storage.Revision) {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
			rev, err := watching.Commit(t.Context(), storage.Tx{Ops: []storage.Op{{Key: key, Value: []byte(value)}}})
			if err == nil {
				return rev
			}
			if time.Now().After(end) {
				t.Fatal(err)
			}
		}
	}
	write("x/a", "0")
	asked, ended := make(chan struct{}, 100), make(chan error, 1)
	go func() {
		ended <- storage.Await(t.Context(), watching, "x/", time.Hour, func(ctx context.Context) (bool, error) {
			asked <- struct{}{}
			seq, _, err := watching.Range(ctx, "x/a", storage.Now)
			if err != nil { // the server may be away just now: the next notice tells
				return false, nil
			}
			for e, err := range seq {
				return err == nil && string(e.Value) == "2", nil
			}
			return false, nil
		})
	}()
	<-asked
	servers[0].Kill()
	servers[0].Restart(t)
	rev := write("x/a", "1")
	rev = max(rev, write("y", "1"))
	if err := watching.Compact(t.Context(), rev); err != nil {
		t.Fatal(err)
	}
	write("x/a", "2")
	if err := <-ended; err != nil { // where the watch does not come back the package's limit ends this
		t.Error(err)
	}
}
