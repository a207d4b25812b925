package decider_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// TestWhatTheSystemKeepsIsNotDestroyed: a delete or replace that the system is known to refuse is blocked, with what
// must follow it. A replace is judged by its own configuration, and by the one applied last.
func TestWhatTheSystemKeepsIsNotDestroyed(t *testing.T) {
	t.Parallel()
	kinds := func(provider, name string) (resource.Kind, bool) {
		k, ok := usedKinds(provider, name)
		if name == "server" {
			k.Attrs = append(k.Attrs, resource.Attribute{Name: "locked", Type: resource.TBool})
			k.Undeletable = func(_ resource.Observed, applied, last resource.Attrs) (string, string) {
				switch {
				case applied.Bool("locked"):
					return "it is locked", "unlock it"
				case !last.Bool("locked"):
					return "it has no lock to open", ""
				}
				return "", ""
			}
		}
		return k, ok
	}
	locked := resource.Attrs{{Name: "locked", Value: resource.Bool(true)}}
	gone := usedRef("server-a")
	deleted := comparator.Difference{Type: comparator.Unwanted, Ref: gone, Observed: &resource.Observed{
		Ref: gone, ID: "server-a", Ownership: resource.Proven,
		Attrs: resource.Attrs{{Name: "network", Value: resource.String("network-a")}},
	}}
	network := usedRef("network-a")
	under := comparator.Difference{Type: comparator.Unwanted, Ref: network, Observed: &resource.Observed{
		Ref: network, ID: "network-a", Ownership: resource.Proven,
	}}
	replaced := followsReplaced("server-a", true, resource.InPlace)
	replaced.Desired.Attrs = locked
	updated := followsReplaced("server-a", false, resource.InPlace, "network=network-b")
	for name, c := range map[string]struct {
		in      []comparator.Difference
		applied resource.Attrs
		want    []string
	}{
		"a delete": {
			in: []comparator.Difference{deleted, under}, applied: locked,
			want: []string{
				"dependency: server/server-a depends on it and is blocked by protection: ", "protection: it is locked: unlock it",
			},
		},
		"a delete without a record": {
			in: []comparator.Difference{deleted}, want: []string{"protection: it has no lock to open: "},
		},
		"a replace":                     {in: []comparator.Difference{replaced}, applied: locked, want: []string{"protection: it is locked: unlock it"}},
		"a replace of an unlocked one":  {in: []comparator.Difference{replaced}},
		"an update, which destroys not": {in: []comparator.Difference{updated}, applied: locked},
	} {
		p, err := decider.Decide(comparator.Result{Differences: c.in}, kinds, decider.Facts{
			LastConfigured: func(resource.Ref) resource.Attrs { return c.applied },
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range p.Decisions {
			for _, b := range d.Blockers {
				got = append(got, b.Policy+": "+b.Reason+": "+b.Suggestion)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: blockers (-want +got):\n%s", name, diff)
		}
	}
}
