package comparator_test

import (
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

// TestAnExactKindComparesWhatIsNotConfigured, but not on an adopted resource, and with the
// effect that the kind says for this one.
func TestAnExactKindComparesWhatIsNotConfigured(t *testing.T) {
	t.Parallel()
	x := web("server", "x")
	have, _ := bindAll([]resource.Binding{{Ref: x, ID: "i-1", Seq: 1}}, resource.Observed{Ref: x.Bare(), ID: "i-1", Attrs: attrs("size big")})
	in := comparator.Input{
		Intents: []resource.Intent{{Stack: "web", Resources: []resource.Desired{{Ref: x}}}},
		Live:    resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{here: have}},
		Kinds: func(_, kind string) (resource.Kind, bool) {
			return resource.Kind{
				Name: kind, Exact: true, Carrier: resource.NoMarks, Attrs: []resource.Attribute{{Name: "size"}},
				EffectOf: func(o resource.Observed, c resource.Change) resource.Effect {
					if o.ID == "i-1" && c.Path == "size" {
						return resource.Replace
					}
					return resource.InPlace
				},
			}, true
		},
	}
	found, err := comparator.Compare(in)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Differences) != 1 || len(found.Differences[0].Changes) != 1 {
		t.Fatalf("differences: %+v", found.Differences)
	}
	if c := found.Differences[0].Changes[0]; c.Path != "size" || c.To != nil || c.Effect != resource.Replace {
		t.Errorf("change %+v; want size removed by a replace", c)
	}
	have.Resources[0].Adopted = true
	if found, err = comparator.Compare(in); err != nil || len(found.Differences) > 0 {
		t.Errorf("on an adopted resource: %+v, %v", found.Differences, err)
	}
}
