package decider

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
)

// TestAReplacementThatLosesDataMustBeNamed: only of kinds that ask for it; each name counts.
func TestAReplacementThatLosesDataMustBeNamed(t *testing.T) {
	kinds := func(_, kind string) (resource.Kind, bool) {
		return resource.Kind{NamedReplace: kind == "cluster"}, true
	}
	ref := func(kind, name string) resource.Ref {
		return resource.Ref{Stack: "s", Provider: "p", Location: "l", Kind: kind, Name: name}
	}
	p := Plan{Decisions: []Decision{
		{Ref: ref("cluster", "full"), Proposed: Replace, DataLoss: "everything"},
		{Ref: ref("cluster", "half"), Proposed: Replace},
		{Ref: ref("cluster", "gone"), Proposed: Delete, DataLoss: "everything"},
		{Ref: ref("secret", "full"), Proposed: Replace, DataLoss: "everything"},
		{Ref: ref("cluster", "back"), Proposed: Revert, DataLoss: "everything"},
	}}
	blocked := Blocker{Reason: "it must be destroyed and created to change it", Suggestion: "add --allow-replace cluster/full if it may lose everything"}
	for _, tc := range []struct {
		allowed []string
		want    map[int]Blocker
	}{
		{nil, map[int]Blocker{0: blocked}},
		{[]string{"half", "secret/full", "ful"}, map[int]Blocker{0: blocked}},
		{[]string{"full"}, map[int]Blocker{}},
		{[]string{"cluster/full"}, map[int]Blocker{}},
		{[]string{ref("cluster", "full").String()}, map[int]Blocker{}},
	} {
		got, err := NamedReplace{Kinds: kinds, Allowed: tc.allowed}.Review(p, Facts{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("allowed %v (-want +got):\n%s", tc.allowed, d)
		}
	}
}
