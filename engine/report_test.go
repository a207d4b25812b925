package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/provider/toys/post"
	"github.com/ovi-project/ovi/resource"
)

var webApp = resource.Ref{Stack: stack, Provider: "post", Location: "berlin/n1", Kind: "app", Name: "web"}

func appOf(version string) []resource.Intent {
	in := resource.Intent{Stack: stack, Scopes: []resource.Scope{webApp.Scope()}}
	if version != "" {
		in.Resources = []resource.Desired{{Ref: webApp, Attrs: attrs("version", resource.String(version))}}
	}
	return []resource.Intent{in}
}

func newPost(t *testing.T) (*yard, *post.Provider) {
	p := post.New(time.Now, nil)
	return newYard(t, provider.Set{"post": p}), p
}

func (y *yard) report(p *post.Provider) {
	y.t.Helper()
	if err := p.Report(y.t.Context(), webApp.Scope()); err != nil {
		y.t.Fatal(err)
	}
}

// TestAReportIsAsOldAsItIs: what was acted on after it was made stays as recorded, and the open
// action is recovered by the first report after it.
func TestAReportIsAsOldAsItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, p := newPost(t)
		y.report(p)
		time.Sleep(time.Second)
		if got := statuses(y.apply(appOf("1"))); got["app/web"] != engine.Accepted {
			t.Fatalf("outcomes %v", got)
		}
		for range 2 { // the report does not have it yet
			y.settled(appOf("1"))
		}
		if open, err := y.ledger.OpenActions(t.Context()); err != nil || len(open) != 1 {
			t.Errorf("open: %+v, %v", open, err)
		}
		if have, err := y.ledger.Resource(t.Context(), webApp, 0); err != nil || have.Health != resource.Pending {
			t.Errorf("recorded: %+v, %v", have, err)
		}
		time.Sleep(time.Second)
		y.report(p)
		y.settled(appOf("1"))
		if diff := cmp.Diff([]string{"recovered app/web"}, y.events(event.TypeRecovered)); diff != "" {
			t.Errorf("recovered (-want +got):\n%s", diff)
		}
		if have, err := y.ledger.Resource(t.Context(), webApp, 0); err != nil || have.Health != resource.Healthy {
			t.Errorf("recorded: %+v, %v", have, err)
		}
		y.replays()
		y.stop()
	})
}

// TestOfflineIsNoFailure: a location without a recent report is offline since then. Nothing is
// concluded of it, deleted or created there, and it is not unreachable.
func TestOfflineIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, p := newPost(t)
		offline := func(in []resource.Intent, since time.Time) {
			t.Helper()
			planned := y.plan(in)
			got, is := planned.Plan.Offline[webApp.Scope()]
			if !is || !got.Equal(since) || planned.Plan.Unread() {
				t.Errorf("offline %v since %v, want %v; unread %v", is, got, since, planned.Plan.Unread())
			}
			for _, d := range planned.Plan.Decisions {
				if d.Action.Executes() {
					t.Errorf("%s of %s in a location that is offline", d.Action, d.Ref)
				}
			}
		}
		offline(appOf("1"), time.Time{})
		y.report(p)
		y.apply(appOf("1"))
		time.Sleep(time.Second)
		y.report(p)
		reported := time.Now()
		y.settled(appOf("1"))
		time.Sleep(post.Lease + time.Second)
		offline(appOf("2"), reported)
		offline(appOf(""), reported)
		if have, err := y.ledger.Resource(t.Context(), webApp, 0); err != nil || have.ID == "" {
			t.Errorf("recorded: %+v, %v", have, err)
		}
		scans, err := y.ledger.Scans(t.Context(), 0)
		if err != nil || len(scans) != 1 || !scans[0].Offline || !scans[0].Confirmed.Equal(reported) {
			t.Errorf("scans: %+v, %v", scans, err)
		}
		y.report(p)
		if diff := cmp.Diff([]string{"delete app/web"}, brief(y.plan(appOf("")))); diff != "" {
			t.Errorf("back online (-want +got):\n%s", diff)
		}
		if scans, err = y.ledger.Scans(t.Context(), 0); err != nil || scans[0].Offline || scans[0].Away != post.Lease+time.Second {
			t.Errorf("scans: %+v, %v", scans, err)
		}
		y.replays()
		y.stop()
	})
}

// TestACrashBeforeAReportIsRecoveredByTheNextOne: an older one says nothing about the action.
func TestACrashBeforeAReportIsRecoveredByTheNextOne(t *testing.T) {
	for _, at := range []string{"before call", "after call"} {
		t.Run(at, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				y, p := newPost(t)
				y.report(p)
				time.Sleep(time.Second)
				if steps := y.crashAt(at, appOf("1")); !contains(steps, "call") {
					t.Fatalf("steps: %v", steps)
				}
				y.report(p) // after the minute for which the claims last
				y.apply(appOf("1"))
				time.Sleep(time.Second)
				y.report(p)
				y.settled(appOf("1"))
				s, err := p.Observe(t.Context(), provider.ObserveRequest{Scope: webApp.Scope()})
				if err != nil || len(s.Resources) != 1 {
					t.Errorf("there is %+v, %v; want one", s.Resources, err)
				}
				y.stop()
			})
		})
	}
}

// TestAReportWakesItsObservation: the loop reads what reported, at once, and nothing else that was
// read lately. Reports of other stacks do not wake it.
func TestAReportWakesItsObservation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var wakes loop.Wakes
		p, cloud := post.New(time.Now, wakes.Changed), fake.New("fake")
		y := newYard(t, provider.Set{"post": p, "fake": cloud})
		in := appOf("1")
		in[0].Resources = append(wants(disk("a", 20))[0].Resources, in[0].Resources...)
		in[0].Scopes = append(in[0].Scopes, here)
		y.report(p)
		var d diary
		stop := y.loops(stackOf(in), loop.RunOptions{Interval: time.Hour, Apply: true, Wakes: &wakes, Tell: d.tell})
		time.Sleep(10 * time.Second)
		observations := func() (n int) {
			for _, c := range cloud.Calls() {
				if c.Verb == fake.Observe {
					n++
				}
			}
			return n
		}
		before, cycles := observations(), len(d.all())
		for range 50 {
			y.report(p)
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(3 * time.Second)
		if open, err := y.ledger.OpenActions(t.Context()); err != nil || len(open) != 0 {
			t.Errorf("3 seconds after the report: open %+v, %v", open, err)
		}
		if c := d.last(); c.Why != "reported" || c.Err != nil || len(d.all())-cycles > 3 {
			t.Errorf("%d cycles, the last %q, %v", len(d.all())-cycles, c.Why, c.Err)
		}
		if n := observations() - before; n != 0 {
			t.Errorf("another location was read %d times", n)
		}
		cycles = len(d.all())
		if err := p.Report(t.Context(), resource.Scope{Provider: "post", Location: "berlin/n2"}); err != nil {
			t.Error(err)
		}
		time.Sleep(5 * time.Second)
		if n := len(d.all()) - cycles; n != 0 {
			t.Errorf("%d cycles for the report of a location of another stack", n)
		}
		wakes.Wake("woken")
		time.Sleep(3 * time.Second)
		if c := d.last(); c.Why != "woken" || observations() == before {
			t.Errorf("after a wake the last cycle is %q, and the other location was not read", c.Why)
		}
		_ = stop()
		y.stop()
	})
}
