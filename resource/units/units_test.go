package units_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/units"
)

func named(stack, name string) resource.Ref {
	return resource.Ref{Stack: stack, Provider: "aws", Location: "here", Kind: "vpc", Name: name}
}

func entry(from, to resource.Ref) resource.Move { return resource.Move{From: from, To: to} }

func TestMembersFollowTheirComponent(t *testing.T) {
	t.Parallel()
	x := entry(units.Ref("a", "old"), units.Ref("b", "new"))
	for name, c := range map[string]struct{ of, want resource.Ref }{
		"a member":          {named("a", "old-main"), named("b", "new-main")},
		"another stack":     {named("b", "old-main"), resource.Ref{}},
		"another component": {named("a", "older-main"), resource.Ref{}},
		"the name itself":   {named("a", "old"), resource.Ref{}},
	} {
		got, is := units.Member(x, c.of)
		if diff := cmp.Diff(c.want, got); diff != "" || is == c.want.IsZero() {
			t.Errorf("%s: %t (-want +got):\n%s", name, is, diff)
		}
	}
	if _, is := units.Member(entry(named("a", "old"), named("b", "new")), named("a", "old-main")); is {
		t.Error("a resource has members")
	}
	text, err := x.From.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	if back, err := resource.ParseRef(string(text)); err != nil || back != x.From {
		t.Errorf("%s is read as %v, %v", text, back, err)
	}
}

// TestRenamesOfComponentsFollowEachOther: also one that leaves the stack, and one of a resource inside a component.
func TestRenamesOfComponentsFollowEachOther(t *testing.T) {
	t.Parallel()
	moved := units.Follow([]resource.Move{
		entry(units.Ref("", "p"), units.Ref("", "q")), entry(units.Ref("", "q"), units.Ref("b", "r")),
		entry(units.Ref("c", "x"), units.Ref("", "y")),
	})
	if diff := cmp.Diff(entry(units.Ref("", "p"), units.Ref("b", "r")), moved[len(moved)-1]); diff != "" || len(moved) != 4 {
		t.Errorf("%d entries (-want +got):\n%s", len(moved), diff)
	}
	got := units.Spread(moved, []resource.Move{entry(named("", "y-before"), named("", "y-main"))},
		[]resource.Desired{{Ref: named("", "y-main")}, {Ref: named("", "y-plain")}},
		func(unit string) []resource.Ref {
			return map[string][]resource.Ref{"y": {named("", "y-main")}}[unit]
		})
	want := []resource.Move{
		entry(named("", "y-before"), named("", "y-main")),
		entry(named("c", "x-main"), named("", "y-main")),
		entry(named("c", "x-before"), named("", "y-before")),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
