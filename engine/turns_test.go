package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

const (
	restartTakes = 5 * time.Second
	startTakes   = 30 * time.Second // from running to in service
)

// service is a cloud whose servers are in service a while after they run. It counts how many are not.
type service struct {
	*fake.Cloud
	mu       sync.Mutex
	ready    map[string]time.Time // by name: from when it is in service
	impaired map[string]bool      // by name: it never is
	most     int                  // that were not in service at one time
	order    []string             // of interruptions
	lag      time.Duration        // from the call of an update to its effect
	throttle int                  // so many answers of Ready from now on fail
	after    func(name string)    // called after each change; nil: nothing
}

func newService(b *bench) *service {
	s := &service{Cloud: b.cloud, ready: map[string]time.Time{}, impaired: map[string]bool{}}
	b.engine = s.engine(b)
	return s
}

func (s *service) engine(b *bench) *engine.Engine {
	return engine.New(engine.Config{Providers: provider.Set{"fake": s}, Ledger: b.ledger, Claims: b.claims})
}

// interrupt takes a server out of service until it is said when it is in again.
func (s *service) interrupt(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.order = append(s.order, name)
	s.ready[name] = time.Now().Add(1000 * time.Hour)
	n := 0
	for _, at := range s.ready {
		if time.Now().Before(at) {
			n++
		}
	}
	s.most = max(s.most, n)
}

func (s *service) serve(name string) {
	s.mu.Lock()
	s.ready[name] = time.Now().Add(startTakes)
	after := s.after
	s.mu.Unlock()
	if after != nil {
		after(name)
	}
}

func (s *service) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	time.Sleep(s.lag)
	s.interrupt(r.Desired.Ref.Name)
	defer s.serve(r.Desired.Ref.Name)
	time.Sleep(restartTakes)
	return s.Cloud.Update(ctx, r)
}

func (s *service) Delete(ctx context.Context, r provider.Request) error {
	s.interrupt(r.Have.Ref.Name)
	time.Sleep(restartTakes)
	return s.Cloud.Delete(ctx, r)
}

func (s *service) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	s.mu.Lock()
	_, again := s.ready[r.Desired.Ref.Name]
	s.mu.Unlock()
	if again {
		defer s.serve(r.Desired.Ref.Name)
	}
	return s.Cloud.Create(ctx, r)
}

func (s *service) Ready(_ context.Context, all []resource.Observed) ([]resource.Observed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.throttle > 0 {
		s.throttle--
		return nil, &provider.Error{Cause: provider.Throttled, Err: errors.New("slow down")}
	}
	for i := range all {
		switch o := &all[i]; {
		case o.Health != resource.Healthy:
		case s.impaired[o.Ref.Name]:
			o.Health, o.Message = resource.Failing, "it is impaired"
		case time.Now().Before(s.ready[o.Ref.Name]):
			o.Health, o.Message = resource.Pending, "it starts"
		}
	}
	return all, nil
}

// counted is a stack with a count of servers.
func counted(n int, most string, size, image string) []resource.Intent {
	set := &resource.Set{Name: "s"}
	set.MaxUnavailable, _ = rules.ParseBudget(most)
	all := []resource.Desired{network("main")}
	for i := range n {
		d := server(fmt.Sprintf("s-%d", i), "main")
		d.Set, d.Attrs = set, attrs("image", resource.String(image), "network", resource.Reference{Ref: ref("network", "main")}, "size", resource.String(size))
		all = append(all, d)
	}
	return wants(all...)
}

func (s *service) expect(t *testing.T, most int, order string) {
	t.Helper()
	if got := strings.Join(s.order, " "); s.most != most || got != order {
		t.Errorf("%d were not in service at one time, want %d; in the order %s, want %s", s.most, most, got, order)
	}
}

func TestACountIsChangedAFewAtATime(t *testing.T) {
	for _, c := range []struct {
		name, most, size, image, order string
		want                           int
		took                           time.Duration
	}{
		{"restarts", "1", "large", "linux-1", "s-0 s-1 s-2 s-3", 1, 4*restartTakes + 3*startTakes},
		{"replaces", "1", "small", "linux-2", "s-0 s-1 s-2 s-3", 1, 4*restartTakes + 3*startTakes},
		{"the default", "", "large", "linux-1", "s-0 s-1 s-2 s-3", 1, 4*restartTakes + 3*startTakes},
		{"all", "100%", "large", "linux-1", "", 4, restartTakes},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				s := newService(b)
				b.apply(counted(4, c.most, "small", "linux-1"))
				in := counted(4, c.most, c.size, c.image)
				start := time.Now()
				r := b.apply(in)
				took := time.Since(start)
				for _, o := range r.Outcomes {
					if o.Status != engine.Done {
						t.Errorf("%s: %s %s", o.Ref, o.Status, o.Detail)
					}
				}
				if c.order == "" {
					c.order = strings.Join(s.order, " ")
				}
				s.expect(t, c.want, c.order)
				if took < c.took || took > c.took+4*20*time.Second {
					t.Errorf("it took %s, want about %s", took, c.took)
				}
				b.settled(in)
				b.replays()
			})
		})
	}
}

func TestTwoAtATimeAreNeverThree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		s := newService(b)
		b.apply(counted(7, "2", "small", "linux-1"))
		in := counted(7, "2", "large", "linux-1")
		r := b.apply(in)
		if r.Counts.Restart != 7 || s.most != 2 {
			t.Errorf("%+v, and %d were not in service at one time", r.Counts, s.most)
		}
	})
}

// TestSeveralRunsKeepTheLimitTogether: two runs that apply the same change do not interrupt one each.
func TestSeveralRunsKeepTheLimitTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, one, two := pair(t)
		s := newService(one)
		two.engine = s.engine(two)
		one.apply(counted(6, "1", "small", "linux-1"))
		in := counted(6, "1", "large", "linux-1")
		plans := []*engine.Planned{one.plan(in), two.plan(in)}
		var wait sync.WaitGroup
		for i, x := range []*bench{one, two} {
			wait.Go(func() {
				time.Sleep(time.Duration(i) * 7 * time.Second)
				if _, err := x.engine.Apply(t.Context(), plans[i], engine.ApplyOptions{}); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		s.expect(t, 1, "s-0 s-1 s-2 s-3 s-4 s-5")
		one.settled(in)
	})
}

// TestNothingIsInterruptedWhileAnotherIsDown: one that stops by itself in the middle is no victim of the plan
// that was made before.
func TestNothingIsInterruptedWhileAnotherIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		s := newService(b)
		b.apply(counted(4, "1", "small", "linux-1"))
		s.after = func(name string) {
			if name == "s-1" {
				s.stop("s-3", resource.Stopped)
			}
		}
		in := counted(4, "1", "large", "linux-1")
		r := b.apply(in)
		s.expect(t, 1, "s-0 s-1")
		want := map[string]string{
			"s-0": "done ", "s-1": "done ",
			"s-2": "waiting server/s-3 is stopped; 1 of the 4 of server/s may be unavailable",
			"s-3": "waiting its turn is after web:fake/here/server/s-2, which is waiting",
		}
		if diff := cmp.Diff(want, details(r)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"not_started server/s-2", "not_started server/s-3"}, b.events("not_started")); diff != "" {
			t.Error(diff)
		}
		s.stop("s-3", resource.Healthy)
		b.apply(in)
		s.expect(t, 1, "s-0 s-1 s-2 s-3")
		b.settled(in)
	})
}

func (s *service) stop(name string, h resource.Health) {
	o, _, _ := s.Find(ref("server", name))
	o.Health = h
	s.Put(o)
}

func details(r *engine.Result) map[string]string {
	out := map[string]string{}
	for _, o := range r.Outcomes {
		out[o.Ref.Name] = string(o.Status) + " " + o.Detail
	}
	return out
}

// TestOneThatIsNotHealthyAfterItsChangeEndsTheRollout: and the next plan blocks the others until it is.
func TestOneThatIsNotHealthyAfterItsChangeEndsTheRollout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		s := newService(b)
		b.apply(counted(3, "1", "small", "linux-1"))
		s.after = func(string) { s.impaired["s-0"] = true }
		in := counted(3, "1", "large", "linux-1")
		want := map[string]string{
			"s-0": "done ",
			"s-1": "waiting its turn is after web:fake/here/server/s-0, which is failing: it is impaired",
			"s-2": "waiting its turn is after web:fake/here/server/s-1, which is waiting",
		}
		if diff := cmp.Diff(want, details(b.apply(in))); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"notify server/s-1 (restart blocked by max_unavailable)", "notify server/s-2 (restart blocked by max_unavailable)"}, brief(b.plan(in))); diff != "" {
			t.Error(diff)
		}
		// A change of the one that is impaired is first, and the others wait for it.
		again := counted(3, "1", "medium", "linux-1")
		s.after = func(string) { delete(s.impaired, "s-0") }
		b.apply(again)
		s.expect(t, 1, "s-0 s-0 s-1 s-2")
		b.settled(again)
	})
}

func TestAThrottledQuestionIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		s := newService(b)
		b.apply(counted(3, "1", "small", "linux-1"))
		in := counted(3, "1", "large", "linux-1")
		p := b.plan(in)
		s.throttle = 2
		s.after = func(string) { s.mu.Lock(); s.throttle = 2; s.mu.Unlock() }
		if r, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{}); err != nil || r.Counts.Restart != 3 {
			t.Errorf("%+v, %v", details(r), err)
		}
		s.expect(t, 1, "s-0 s-1 s-2")
	})
}

func TestAWaitForHealthCanBeInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		s := newService(b)
		b.apply(counted(3, "1", "small", "linux-1"))
		in := counted(3, "1", "large", "linux-1")
		ctx, cancel := context.WithCancel(t.Context())
		s.after = func(string) { time.AfterFunc(time.Second, cancel) }
		start := time.Now()
		r, err := b.engine.Apply(ctx, b.plan(in), engine.ApplyOptions{})
		if err != nil || !r.Interrupted || time.Since(start) > restartTakes+2*time.Second {
			t.Errorf("after %s: %+v, %v", time.Since(start), r, err)
		}
		want := map[string]engine.Status{"server/s-0": engine.Done, "server/s-1": engine.Interrupted, "server/s-2": engine.Interrupted}
		if diff := cmp.Diff(want, statuses(r)); diff != "" {
			t.Error(diff)
		}
	})
}

// TestAKilledRolloutGoesOn kills the process at each of its records: the limit holds, and all is changed once.
func TestAKilledRolloutGoesOn(t *testing.T) {
	for kill := range 12 {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			s := newService(b)
			b.apply(counted(3, "1", "small", "linux-1"))
			in := counted(3, "1", "large", "linux-1")
			p := b.plan(in)
			ctx, die := context.WithCancelCause(t.Context())
			n := 0
			s.after = func(string) {
				if n++; n == kill/4+1 {
					time.AfterFunc(time.Duration(kill%4)*10*time.Second, func() { die(context.Canceled) })
				}
			}
			_, _ = b.engine.Apply(ctx, p, engine.ApplyOptions{Hard: ctx})
			s.after = nil
			b.stop()
			b.start()
			b.engine = s.engine(b)
			for range 3 {
				b.apply(in)
			}
			if s.most != 1 {
				t.Errorf("kill %d: %d were not in service at one time", kill, s.most)
			}
			b.settled(in)
		})
	}
}

// TestATurnIsInThePlan: whoever approves a plan sees how many are interrupted at a time, and a plan file has it.
func TestATurnIsInThePlan(t *testing.T) {
	b := newBench(t)
	newService(b)
	b.apply(counted(8, "", "small", "linux-1"))
	p := b.plan(counted(8, "", "large", "linux-1"))
	d, _ := decisionOn(p, ref("server", "s-3"))
	want := &decider.Turn{Of: "server/s", Most: 2, Size: 8, After: []resource.Ref{ref("server", "s-1")}}
	if diff := cmp.Diff(want, d.Turn); diff != "" {
		t.Error(diff)
	}
	var file strings.Builder
	if err := p.Save(&file); err != nil {
		t.Fatal(err)
	}
	saved, err := engine.Load(strings.NewReader(file.String()))
	if err != nil {
		t.Fatal(err)
	}
	if d, _ := decisionOn(saved, ref("server", "s-3")); cmp.Diff(want, d.Turn) != "" {
		t.Errorf("the plan file has %+v", d.Turn)
	}
}
