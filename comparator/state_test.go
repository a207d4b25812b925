package comparator_test

import (
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

// TestAKindSaysWhatStartingTakes: one that was created in part cannot be started, and is replaced.
func TestAKindSaysWhatStartingTakes(t *testing.T) {
	t.Parallel()
	x := web("server", "x")
	for part, want := range map[bool]resource.Effect{true: resource.Replace, false: resource.Restart} {
		have, _ := bindAll([]resource.Binding{{Ref: x, ID: "i-1", Seq: 1}}, resource.Observed{Ref: x.Bare(), ID: "i-1", Health: resource.Failing, Attrs: resource.Attrs{{Name: "part", Value: resource.Bool(part)}}})
		found, err := comparator.Compare(comparator.Input{
			Intents: []resource.Intent{{Stack: "web", Resources: []resource.Desired{{Ref: x, State: resource.StateRunning}}}},
			Live:    resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{here: have}},
			Kinds: func(_, kind string) (resource.Kind, bool) {
				return resource.Kind{
					Name: kind, Carrier: resource.NoMarks, State: resource.StateRunning, Attrs: []resource.Attribute{{Name: "part", Type: resource.TBool, Computed: true}},
					EffectOf: func(o resource.Observed, c resource.Change) resource.Effect {
						if v, _ := o.Attrs.Get("part"); c.On == resource.OnState && v == resource.Bool(true) {
							return resource.Replace
						}
						return resource.InPlace
					},
				}, true
			},
		})
		if err != nil || len(found.Differences) != 1 || len(found.Differences[0].Changes) != 1 {
			t.Fatalf("differences: %+v, %v", found.Differences, err)
		}
		if c := found.Differences[0].Changes[0]; c.On != resource.OnState || c.Effect != want {
			t.Errorf("created in part %v: change %+v", part, c)
		}
	}
}
