package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/toys/post"
	"github.com/ovi-project/ovi/resource"
)

var webApp = resource.Ref{Provider: "post", Location: "berlin/n1", Kind: "app", Name: "web"}

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
