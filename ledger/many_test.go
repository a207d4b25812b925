package ledger_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// TestManyScopesAreReadAsEachAlone: their bindings, what is recorded of them and what an observation changes are those
// of each scope, also where one name begins with another, and where other scopes have some too.
func TestManyScopesAreReadAsEachAlone(t *testing.T) {
	l := open(t, t.TempDir(), nil)
	ctx := t.Context()
	var scopes []resource.Scope
	state := resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{}}
	fill := func(count int) {
		for i, s := range scopes {
			snap := resource.Snapshot{Scope: s, At: time.Now().UTC()}
			for n := range i%3 + count {
				o := res(fmt.Sprintf("box-%d", n), "s")
				o.Ref.Provider, o.Ref.Location, o.ID = s.Provider, s.Location, fmt.Sprintf("%s-%d", s.Location, n)
				snap.Resources = append(snap.Resources, o)
			}
			state.Scopes[s] = snap
		}
		must[ledger.Receipt](t)(l.RecordObservation(ctx, state, ledger.ObservationOptions{Since: -1}))
	}
	for _, where := range []string{"berlin", "berlin/n1", "berlin/n1/c", "berlin/n10", "berlin/n2", "berlin/n3", "berlin/n4", "berlin/n5", "berlin/n6", "bern/n1"} {
		scopes = append(scopes, resource.Scope{Provider: "edge", Location: where})
	}
	for _, s := range scopes {
		ref := resource.Ref{Stack: "s", Provider: s.Provider, Location: s.Location, Kind: "box", Name: "box-0"}
		must[ledger.Receipt](t)(l.Record(ctx, event.Finished{Ref: ref, Key: s.Location, Action: decider.Create, Outcome: event.Done, ID: s.Location + "-0"}))
	}
	check := func(what string) {
		t.Helper()
		asked := scopes[:9]
		bindings := must[map[resource.Scope][]resource.Binding](t)(l.BindingsIn(ctx, asked))
		var scans []ledger.Scan
		for _, x := range must[[]ledger.Scan](t)(l.Scans(ctx, 0)) {
			if x.Scope != scopes[9] {
				scans = append(scans, x)
			}
		}
		snapshots := must[map[resource.Scope]resource.Snapshot](t)(l.Snapshots(ctx, scans))
		if len(snapshots) != len(asked) {
			t.Errorf("%s: %d snapshots", what, len(snapshots))
		}
		for _, s := range asked {
			if d := cmp.Diff(must[[]resource.Binding](t)(l.Bindings(ctx, s)), bindings[s]); d != "" || len(bindings[s]) != 1 {
				t.Errorf("%s: bindings in %s (-alone +together):\n%s", what, s, d)
			}
			if d := cmp.Diff(must[resource.Snapshot](t)(l.Snapshot(ctx, s)), snapshots[s]); d != "" {
				t.Errorf("%s: snapshot of %s (-alone +together):\n%s", what, s, d)
			}
			if got, want := len(snapshots[s].Resources), len(state.Scopes[s].Resources); got != want {
				t.Errorf("%s: %d resources in %s, want %d", what, got, s, want)
			}
		}
	}
	fill(3)
	check("new")
	fill(3)
	check("unchanged")
	fill(1) // two of each are gone
	check("less")
	fill(2)
	check("more")
}
