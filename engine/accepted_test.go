package engine_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
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
	q.jobs = slow.New(time.Minute, q.clock)
	q.use()
	return q
}

func (q *queue) clock() time.Time { return time.Now().Add(time.Duration(q.late.Load())) }

// use makes an engine of what the queue has.
func (q *queue) use() {
	q.engine = engine.New(engine.Config{Providers: provider.Set{"slow": q.jobs}, Ledger: q.ledger, Claims: q.claims, Clock: q.clock})
}

func (q *queue) pass(d time.Duration) { q.late.Add(int64(d)) }

func jobs(n int, version string) []resource.Intent {
	scope := resource.Scope{Provider: "slow", Location: "here"}
	in := resource.Intent{Stack: stack, Scopes: []resource.Scope{scope}}
	for i := range n {
		in.Resources = append(in.Resources, resource.Desired{
			Ref:   resource.Ref{Stack: stack, Provider: "slow", Location: "here", Kind: "job", Name: fmt.Sprintf("job-%04d", i)},
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

// TestAnAcceptedActionFailsAtItsDeadline: what is still pending then has failed, and counts as an
// attempt. Until then the same configuration is in progress, also for another process.
func TestAnAcceptedActionFailsAtItsDeadline(t *testing.T) {
	q := newQueue(t)
	q.jobs = slow.New(time.Hour, q.clock)
	q.use()
	in := jobs(1, "1")
	q.apply(in)
	q.pass(5*time.Minute - time.Second)
	q.stop() // another process goes on
	q.start()
	q.use()
	q.settled(in)
	if open, err := q.ledger.OpenActions(t.Context()); err != nil || len(open) != 1 || !open[0].Accepted {
		t.Errorf("open before the deadline: %+v, %v", open, err)
	}
	q.pass(time.Second)
	p := q.plan(in)
	if len(p.Recovered) != 1 || p.Recovered[0].Finding != event.FoundFailed || !strings.Contains(p.Recovered[0].Evidence, "still pending at its deadline") {
		t.Errorf("recovered %+v", p.Recovered)
	}
	tried, err := q.ledger.Attempts(t.Context())
	if a := tried[in[0].Resources[0].Ref].Last(); err != nil || a.Failures != 1 {
		t.Errorf("attempts: %+v, %v", tried, err)
	}
}

// TestAnotherConfigurationSupersedesTheOneInProgress where the kind allows it.
func TestAnotherConfigurationSupersedesTheOneInProgress(t *testing.T) {
	q := newQueue(t)
	q.apply(jobs(1, "1"))
	q.pass(10 * time.Second)
	r, err := q.engine.Apply(t.Context(), q.plan(jobs(1, "2")), engine.ApplyOptions{})
	if err != nil || len(r.Outcomes) != 1 || r.Outcomes[0].Status != engine.Accepted {
		t.Fatalf("%+v, %v; want it accepted", r, err)
	}
	q.settled(jobs(1, "2"))
	q.pass(55 * time.Second) // the first would be done
	if open, err := q.ledger.OpenActions(t.Context()); err != nil || len(open) != 1 || open[0].Desired != jobs(1, "2")[0].Resources[0].Digest() {
		t.Errorf("open: %+v, %v", open, err)
	}
	q.pass(5 * time.Second)
	q.settled(jobs(1, "2"))
	q.exist(1)
	good, err := q.ledger.LastGood(t.Context(), 0)
	if err != nil || good[jobs(1, "2")[0].Resources[0].Ref].Desired != jobs(1, "2")[0].Resources[0].Digest() {
		t.Errorf("last good: %+v, %v", good, err)
	}
}

// TestWhatDependsOnAnAcceptedActionWaits: in the same apply, and in plans until it is done.
func TestWhatDependsOnAnAcceptedActionWaits(t *testing.T) {
	q := newQueue(t)
	in := jobs(2, "1")
	in[0].Resources[1].DependsOn = []resource.Ref{in[0].Resources[0].Ref}
	if got := statuses(q.apply(in)); got["job/job-0000"] != engine.Accepted || got["job/job-0001"] != engine.WaitingFor {
		t.Errorf("outcomes %v", got)
	}
	p := q.plan(in)
	if diff := cmp.Diff([]string{"notify job/job-0001 (create blocked by open_action)"}, brief(p)); diff != "" {
		t.Errorf("while it is in progress (-want +got):\n%s", diff)
	}
	if until, deferred := p.Plan.Decisions[0].DeferredUntil(); !deferred || until.IsZero() {
		t.Errorf("it is not deferred until the deadline: %+v", p.Plan.Decisions[0].Blockers)
	}
	q.exist(1)
	q.pass(time.Minute)
	if got := statuses(q.apply(in)); got["job/job-0001"] != engine.Accepted {
		t.Errorf("outcomes %v", got)
	}
	q.exist(2)
}
