package rehearse_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/cmd/edge/rehearse"
	"github.com/ovi-project/ovi/internal/vfs"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/storage/mem"
	"github.com/ovi-project/ovi/wal"
)

// noon is a Tuesday.
var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// site is a site with one deployment on all nodes.
func site(nodes int, version string, u rules.Update) []resource.Intent {
	in := resource.Intent{Stack: "berlin", Rules: rules.Rules{DestroyAuto: true, Attempts: rules.Attempts{Count: 3, Configuration: 1}}}
	if u.Name != "" {
		in.Rules.Updates = []rules.Update{u}
	}
	for i := range nodes {
		s := resource.Scope{Provider: edge.Name, Location: fmt.Sprintf("berlin/n%02d", i+1)}
		in.Scopes = append(in.Scopes, s)
		in.Resources = append(in.Resources, resource.Desired{
			Ref:   resource.Ref{Stack: "berlin", Provider: edge.Name, Location: s.Location, Kind: edge.Kind, Name: "web"},
			Attrs: resource.NewAttrs(resource.Attr{Name: "version", Value: resource.String(version)}, resource.Attr{Name: "image", Value: resource.String("web:" + version)}),
			State: resource.StateRunning,
		})
	}
	return []resource.Intent{in}
}

// heard is a rehearsal with what it told.
type heard struct {
	*rehearse.Result
	waves []string
	back  int
}

func run(t *testing.T, o rehearse.Options) heard {
	t.Helper()
	h := heard{}
	o.Start, o.Most, o.Interval, o.Takes, o.Seed = noon, 7*24*time.Hour, 10*time.Second, 20*time.Second, 1
	o.Tell = func(_ time.Duration, e event.Event) {
		switch e := e.(type) {
		case event.Wave:
			h.waves = append(h.waves, fmt.Sprintf("%d of %d%s", e.Reach, e.Of, map[bool]string{true: " halted"}[e.Halted]))
		case event.Exhausted:
			h.back++
		}
	}
	var err error
	h.Result, err = rehearse.Run(t.Context(), o, func(clock func() time.Time) (*ledger.Ledger, error) {
		return ledger.Open(context.WithoutCancel(t.Context()), ledger.Config{
			Dir: t.TempDir(), Store: mem.New(), User: "ovi", Clock: clock, LogOptions: []wal.Option{wal.WithFS(vfs.NewMem(1)), wal.WithoutCompression()},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (h heard) count(is func(rehearse.NodeResult) bool) (n int) {
	for _, x := range h.Nodes {
		if is(x) {
			n++
		}
	}
	return n
}

func wanted(x rehearse.NodeResult) bool { return x.Wanted }

// TestARolloutIsRehearsed: its waves in order, each node once, within minutes of virtual time.
func TestARolloutIsRehearsed(t *testing.T) {
	t.Parallel()
	u := rules.Update{Kind: edge.Kind, Name: "web", Waves: []rules.Budget{{Set: true, Count: 1}, {Set: true, Count: 25, Percent: true}}, Rollback: true}
	h := run(t, rehearse.Options{From: site(40, "1", u), To: site(40, "2", u)})
	if diff := cmp.Diff([]string{"1 of 3", "2 of 3", "3 of 3"}, h.waves); diff != "" {
		t.Error(diff)
	}
	if !h.AtRest || len(h.Left) > 0 || h.Requests != 40 || h.count(wanted) != 40 {
		t.Errorf("%+v", h.Result)
	}
	if h.After < 45*time.Second || h.After > 3*time.Minute {
		t.Errorf("it took %s", h.After)
	}
}

// TestABadVersionIsRehearsed: it fails on some nodes, goes back there, and the rollout halts.
func TestABadVersionIsRehearsed(t *testing.T) {
	t.Parallel()
	u := rules.Update{Kind: edge.Kind, Name: "web", Waves: []rules.Budget{{Set: true, Count: 50, Percent: true}}, Rollback: true, MaxFailed: rules.Budget{Set: true, Count: 1}}
	h := run(t, rehearse.Options{From: site(20, "1", u), To: site(20, "2", u), Fail: 10})
	if h.waves[len(h.waves)-1] != "1 of 2 halted" || h.back < 2 || !h.AtRest {
		t.Errorf("%v, %d go back, %+v", h.waves, h.back, h.Result)
	}
	if n := h.count(func(x rehearse.NodeResult) bool { return x.Failing }); n > 0 {
		t.Errorf("%d were not brought back", n)
	}
	for _, l := range h.Left {
		if l.Why != "its attempts are used up" && !strings.HasPrefix(l.Why, "halted in wave 1 of 2: it failed on berlin/n") {
			t.Errorf("%+v", l)
		}
	}
	if len(h.Left) != 20-h.count(wanted) {
		t.Errorf("%d are not as configured, with %d reasons", 20-h.count(wanted), len(h.Left))
	}
}

// TestAWindowAndNodesThatAreAwayAreRehearsed: nothing starts before ten at night, and a node that is back later follows.
func TestAWindowAndNodesThatAreAwayAreRehearsed(t *testing.T) {
	t.Parallel()
	window := rules.Window{Name: "nights", From: 22 * time.Hour, To: 4 * time.Hour}
	u := rules.Update{Kind: edge.Kind, Name: "web", Windows: []rules.Window{window}}
	h := run(t, rehearse.Options{From: site(10, "1", rules.Update{}), To: site(10, "2", u), Offline: 3, Away: 11 * time.Hour})
	if !h.AtRest || len(h.Left) > 0 || h.count(wanted) != 10 {
		t.Errorf("%+v", h.Result)
	}
	early, late := 0, 0
	for _, x := range h.Nodes {
		switch {
		case x.After < 10*time.Hour:
			t.Errorf("%s started after %s, before the window", x.Ref.Short(), x.After)
		case x.After < 10*time.Hour+5*time.Minute:
			early++
		case x.After > 11*time.Hour && x.After < 11*time.Hour+5*time.Minute:
			late++
		}
	}
	if early != 7 || late != 3 {
		t.Errorf("%d when the window opened, %d when they were back", early, late)
	}
	h = run(t, rehearse.Options{From: site(10, "1", u), To: site(10, "2", rules.Update{}), Offline: 3})
	if h.count(wanted) != 7 || h.count(func(x rehearse.NodeResult) bool { return x.Offline }) != 3 {
		t.Errorf("%+v", h.Result)
	}
}

// TestNodesThatRunNothingAreRehearsed: without what ran before, everything is installed.
func TestNodesThatRunNothingAreRehearsed(t *testing.T) {
	t.Parallel()
	h := run(t, rehearse.Options{To: site(5, "1", rules.Update{}), Fail: 1})
	if h.count(wanted) != 4 || h.count(func(x rehearse.NodeResult) bool { return x.Failing }) != 1 || !h.AtRest {
		t.Errorf("%+v", h.Result)
	}
}
