package comparator_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

// TestLaw1_AbsenceNeedsACompleteRead_OfTheConfiguration: what a part of a configuration lacks may
// be configured, and is not unwanted.
func TestLaw1_AbsenceNeedsACompleteRead_OfTheConfiguration(t *testing.T) {
	x, y := web("server", "x"), web("server", "y")
	bindings := []resource.Binding{{Ref: x, ID: "x", Key: "k"}, {Ref: y, ID: "y", Key: "l"}}
	s, _ := bindAll(bindings, resource.Observed{Ref: x.Bare(), ID: "x", Attrs: attrs("size small")}, resource.Observed{Ref: y.Bare(), ID: "y"})
	for partial, want := range map[bool][]string{
		false: {"drifted a/server/x ref:·->fake/a/server/x size:small->big stack:·->web", "unwanted a/server/y", "unchanged 0 owned 2"},
		true:  {"drifted a/server/x ref:·->fake/a/server/x size:small->big stack:·->web", "unchanged 0 owned 2"},
	} {
		found, err := comparator.Compare(comparator.Input{
			Intents: []resource.Intent{{Stack: "web", Partial: partial, Resources: []resource.Desired{{Ref: x, Attrs: attrs("size big")}}}},
			Live:    resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{here: s}},
			Kinds: func(_, kind string) (resource.Kind, bool) {
				return resource.Kind{Name: kind, Attrs: []resource.Attribute{{Name: "size"}}}, true
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, lines(found)); diff != "" {
			t.Errorf("partial %v (-want +got):\n%s", partial, diff)
		}
	}
}
