package engine_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/toys/slow"
	"github.com/ovi-project/ovi/resource"
)

// queue is a bench whose provider accepts jobs and finishes them a minute later.
type queue struct {
	*bench
	jobs *slow.Provider
	late atomic.Int64 // how far its clock is ahead of the real one
}

func newQueue(t *testing.T) *queue {
	q := &queue{bench: newBench(t)}
	clock := func() time.Time { return time.Now().Add(time.Duration(q.late.Load())) }
	q.jobs = slow.New(time.Minute, clock)
	q.engine = engine.New(engine.Config{Providers: provider.Set{"slow": q.jobs}, Ledger: q.ledger, Claims: q.claims, Clock: clock})
	return q
}

func (q *queue) pass(d time.Duration) { q.late.Add(int64(d)) }

func jobs(n int, version string) []resource.Intent {
	scope := resource.Scope{Provider: "slow", Location: "here"}
	in := resource.Intent{Stack: stack, Scopes: []resource.Scope{scope}}
	for i := range n {
		in.Resources = append(in.Resources, resource.Desired{
			Ref:   resource.Ref{Provider: "slow", Location: "here", Kind: "job", Name: fmt.Sprintf("job-%04d", i)},
			Attrs: attrs("version", resource.String(version)),
		})
	}
	return []resource.Intent{in}
}

func (q *queue) exist(want int) {
	q.t.Helper()
	snap, err := q.jobs.Observe(q.t.Context(), provider.ObserveRequest{Scope: resource.Scope{Provider: "slow", Location: "here"}})
	if err != nil || len(snap.Resources) != want {
		q.t.Errorf("%d jobs exist, %v; want %d", len(snap.Resources), err, want)
	}
}

// TestAThousandAreAcceptedOnTenWorkers: an accepted action frees its claim and its worker. It
// stays open until an observation shows how it ended, and nothing is created twice meanwhile.
func TestAThousandAreAcceptedOnTenWorkers(t *testing.T) {
	const n = 1000
	q := newQueue(t)
	r, err := q.engine.Apply(t.Context(), q.plan(jobs(n, "1")), engine.ApplyOptions{Parallelism: 10})
	if err != nil {
		t.Fatal(err)
	}
	accepted := 0
	for _, o := range r.Outcomes {
		if o.Status == engine.Accepted {
			accepted++
		}
	}
	if accepted != n {
		t.Errorf("%d accepted, want %d: %+v", accepted, n, r.Counts)
	}
	q.exist(n)
	if p := q.plan(jobs(n, "1")); !p.Plan.Empty() {
		t.Errorf("while they are in progress a plan has %d decisions, the first: %v", len(p.Plan.Decisions), brief(p)[:1])
	}
	q.pass(time.Minute)
	q.settled(jobs(n, "1"))
	q.exist(n)
	if open, err := q.ledger.OpenActions(t.Context()); err != nil || len(open) != 0 {
		t.Errorf("%d actions are open, %v", len(open), err)
	}
}

// TestAnAcceptedActionCanFail: an accepted action whose resource is failing later has failed.
func TestAnAcceptedActionCanFail(t *testing.T) {
	q := newQueue(t)
	if r, err := q.engine.Apply(t.Context(), q.plan(jobs(1, "bad")), engine.ApplyOptions{}); err != nil || r.Outcomes[0].Status != engine.Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
	q.pass(time.Minute)
	p := q.plan(jobs(1, "bad"))
	if open, err := q.ledger.OpenActions(t.Context()); err != nil || len(open) != 0 {
		t.Errorf("%d actions are open, %v: %v", len(open), err, brief(p))
	}
	if d := cmp.Diff([]string{"recovered job/job-0000"}, q.events(event.TypeRecovered)); d != "" {
		t.Errorf("records (-want +got):\n%s", d)
	}
	tried, err := q.ledger.Attempts(t.Context())
	if err != nil || len(tried) != 1 {
		t.Errorf("attempts: %+v, %v; want one that failed", tried, err)
	}
	q.exist(1)
}
