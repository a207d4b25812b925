package engine_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// hesitant is a provider whose checks take times, and refuse single names.
type hesitant struct {
	slots
	takes map[string]time.Duration
}

func (h hesitant) Check(ctx context.Context, r provider.Request) error {
	select {
	case <-time.After(h.takes[r.Desired.Ref.Name]):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return h.slots.Check(ctx, r)
}

func (b *bench) hesitating(takes map[string]time.Duration, refuses map[string]error) {
	b.cloud.ChecksFirst("server")
	b.engine = engine.New(engine.Config{
		Providers: provider.Set{"fake": hesitant{slots{b.cloud, refuses}, takes}}, Ledger: b.ledger, Claims: b.claims,
	})
}

// TestLaw12_AHangingCheckDelaysOnlyWhatItsAnswerMattersTo: a create of which the check hangs, what waits for it, what
// only it needs, and what is deleted for it. A commit of meanwhile is applied at once.
func TestLaw12_AHangingCheckDelaysOnlyWhatItsAnswerMattersTo(t *testing.T) {
	for _, refused := range []bool{false, true} {
		t.Run(fmt.Sprintf("refused %v", refused), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				refuses := map[string]error{}
				b.hesitating(map[string]time.Duration{"hung": 24 * time.Second, "heir": 24 * time.Second}, refuses)
				b.apply(wants(slot("old", 1)))
				if refused {
					refuses["hung"], refuses["heir"] = errRefused, errRefused
				}
				time.Sleep(time.Second)
				start := time.Now()
				after := disk("after", 10)
				after.DependsOn = []resource.Ref{ref("server", "hung")}
				p := b.plan(wants(network("lone"), server("hung", "lone"), after, network("shared"), server("hung2", "shared"),
					server("good", "shared"), disk("free", 10), slot("heir", 1)))
				r, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{Parallelism: 2})
				if err != nil {
					t.Fatal(err)
				}
				got := b.times(start)
				maps.DeleteFunc(got, func(_ string, at int) bool { return at < 0 })
				want := map[string]int{}
				for _, name := range []string{"network/shared", "server/good", "server/hung2", "disk/free"} {
					want["started "+name], want["finished "+name] = 1, 1
				}
				if !refused {
					for _, name := range []string{"network/lone", "server/hung", "disk/after", "disk/heir", "disk/old"} {
						want["started "+name], want["finished "+name] = 24, 24
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("times (-want +got):\n%s\n%v", diff, statuses(r))
				}
				if is := statuses(r)["network/lone"]; refused && is != engine.Unneeded {
					t.Errorf("what only a refused create needs is %s", is)
				}
			})
		})
	}
}

// TestAHangingCheckEndsWithItsConfiguration: an apply that yields leaves what it still checks to the next one.
func TestAHangingCheckEndsWithItsConfiguration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.hesitating(map[string]time.Duration{"hung": time.Hour}, nil)
		var s commits
		s.commit(network("lone"), server("hung", "lone"))
		stop := b.loops(s.stacks(), loop.RunOptions{Interval: time.Minute, Apply: true})
		time.Sleep(5 * time.Second)
		if n := len(b.cloud.Resources(here)); n != 0 {
			t.Errorf("%d resources exist while the check hangs", n)
		}
		s.commit(network("lone"), server("right", "lone"))
		time.Sleep(3 * time.Second)
		if _, exists, _ := b.cloud.Find(ref("server", "right")); !exists {
			t.Error("the next configuration is not applied after 3 s")
		}
		_ = stop()
	})
}

// TestTheTimeOfChecksChangesNoOutcome: drawn stacks whose checks take drawn times, and refuse drawn creates, end as they
// do if the checks take no time. What is refused or not needed never starts.
func TestTheTimeOfChecksChangesNoOutcome(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 3))
			refuses, takes := map[string]error{}, map[string]time.Duration{}
			was, all := drawnSlots(r, "was"), append(drawnSlots(r, "is"), network("n-0"), network("n-1"), network("n-2"))
			for i := range 6 {
				d := server(fmt.Sprint("s-", i), fmt.Sprint("n-", r.IntN(3)))
				if i > 0 && r.IntN(2) == 0 {
					d.DependsOn = []resource.Ref{ref("server", fmt.Sprint("s-", r.IntN(i)))}
				}
				all = append(all, d)
			}
			for _, d := range all {
				if r.IntN(4) == 0 {
					refuses[d.Ref.Name] = errRefused
				}
				takes[d.Ref.Name] = time.Duration(r.IntN(3)*r.IntN(30)) * time.Second
			}
			at, started := ends(t, was, all, nil, refuses)
			got, _ := ends(t, was, all, takes, refuses)
			if diff := cmp.Diff(at, got); diff != "" {
				t.Errorf("seed %d: outcomes (-at once +with times):\n%s", seed, diff)
			}
			for name := range started {
				if is := at[name]; is == engine.Refused || is == engine.Unneeded {
					t.Errorf("seed %d: %s started and is %s", seed, name, is)
				}
			}
		})
	}
}

// drawnSlots are disks that hold slots.
func drawnSlots(r *rand.Rand, name string) (all []resource.Desired) {
	for i, n := range r.Perm(3) {
		if r.IntN(3) > 0 {
			all = append(all, slot(fmt.Sprint(name, "-", i), float64(n+1)))
		}
	}
	return all
}

// ends applies a configuration after another one, and returns the outcomes and what was started.
func ends(
	t *testing.T, was, is []resource.Desired, takes map[string]time.Duration, refuses map[string]error,
) (map[string]engine.Status, map[string]bool) {
	b := newBench(t)
	b.hesitating(nil, nil)
	b.apply(wants(was...))
	b.hesitating(takes, refuses)
	r, err := b.engine.Apply(t.Context(), b.plan(wants(is...)), engine.ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	started := map[string]bool{}
	for _, about := range b.events(event.TypeStarted) {
		started[strings.TrimPrefix(about, event.TypeStarted+" ")] = true
	}
	return statuses(r), started
}
