package comparator_test

import (
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

// A change that a drift rule of its stack ignores is no difference; others of the same
// resource still are.
func TestIgnoredChangesAreNoDifference(t *testing.T) {
	ignore := func(stack, kind string, c resource.Change) bool {
		return stack == "web" && kind == "server" && c.Path == "size"
	}
	for name, c := range map[string]struct {
		live    string
		changes int
	}{
		"only what is ignored": {"size l", 0},
		"something else too":   {"size l peer x", 1},
	} {
		scope := resource.Scope{Provider: "fake", Location: "a"}
		got, err := comparator.Compare(comparator.Input{
			Intents: []resource.Intent{{Stack: "web", Resources: []resource.Desired{desired("a/server/s", "peer y size m")}}},
			Live: resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{scope: {
				Scope: scope, Resources: []resource.Observed{ours("a/server/s", "i-1", c.live+map[int]string{0: " peer y"}[c.changes])},
			}}},
			Kinds: kindLookup, Ignores: ignore,
		})
		if err != nil {
			t.Fatal(err)
		}
		changes := 0
		for _, d := range got.Differences {
			changes += len(d.Changes)
		}
		if changes != c.changes || got.Unchanged != 1-len(got.Differences) {
			t.Errorf("%s: %d changes, %d unchanged: %+v", name, changes, got.Unchanged, got.Differences)
		}
	}
}
