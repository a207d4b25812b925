package faultrun

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/test/faultrun/check"
)

// witness watches the claims in the store, without ovi's code.
type witness struct {
	site   *site
	client *clientv3.Client
	prefix string

	mu     sync.Mutex
	claims map[string][]*seenClaim
	upTo   int64
}

type seenClaim struct {
	check.Claim
	nonce       string
	pid         int
	startedSeen time.Time
}

func newWitness(s *site) *witness {
	w := &witness{site: s, client: s.client(), prefix: "/" + prefix + "/d/" + coordinator.Prefix, claims: map[string][]*seenClaim{}}
	go w.watch(s.Context())
	return w
}

func (w *witness) watch(ctx context.Context) {
	for answer := range w.client.Watch(clientv3.WithRequireLeader(ctx), w.prefix, clientv3.WithPrefix(), clientv3.WithRev(w.next())) {
		w.note(answer)
	}
	if ctx.Err() == nil { // the leader was lost
		time.Sleep(200 * time.Millisecond)
		w.watch(ctx)
	}
}

func (w *witness) next() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.upTo + 1
}

func (w *witness) note(answer clientv3.WatchResponse) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	for _, e := range answer.Events {
		ref := strings.TrimPrefix(string(e.Kv.Key), w.prefix)
		all := w.claims[ref]
		w.upTo = max(w.upTo, e.Kv.ModRevision)
		switch {
		case e.Type == clientv3.EventTypeDelete && len(all) > 0:
			all[len(all)-1].Ended, all[len(all)-1].EndSeen = e.Kv.ModRevision, now
		case e.IsCreate():
			c := &seenClaim{Claim: check.Claim{Ref: ref, Token: e.Kv.CreateRevision}, startedSeen: now}
			var v struct {
				Instance, User, Run, Nonce string
				PID                        int
			}
			if err := json.Unmarshal(e.Kv.Value[4:], &v); err != nil { // behind the store's checksum
				w.site.Errorf("the claim on %s at revision %d: %v", ref, e.Kv.ModRevision, err)
			}
			c.Instance, c.nonce, c.pid = v.User, v.Run+" "+v.Nonce, v.PID
			w.claims[ref] = append(all, c)
		}
	}
}

// whole waits until everything up to now was observed, and returns it.
func (w *witness) whole() map[string][]*seenClaim {
	w.site.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	last, err := w.client.Put(ctx, w.prefix+"last", "sum {}")
	if err == nil {
		_, err = w.client.Delete(ctx, w.prefix+"last")
	}
	if err != nil {
		w.site.Fatal(err)
	}
	for w.next() <= last.Header.Revision+1 {
		if ctx.Err() != nil {
			w.site.Fatal("the witness never saw the last claim")
		}
		time.Sleep(20 * time.Millisecond)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.claims, "last")
	return w.claims
}
