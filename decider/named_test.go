package decider

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
)

// TestAReplacementThatLosesDataMustBeNamed: of kinds that require it, and of each other kind if it only follows
// another replacement; each name counts.
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
		{Ref: ref("rds", "db"), Proposed: Replace, Reason: ReasonFollows, Message: "vpc/main is replaced", DataLoss: "database. A snapshot is taken."},
		{Ref: ref("subnet", "a"), Proposed: Replace, Reason: ReasonFollows},
		{Ref: ref("rds", "edited"), Proposed: Replace, Reason: ReasonImmutable, DataLoss: "database"},
		{Ref: ref("rds", "named"), Proposed: Replace, Reason: ReasonRequested, DataLoss: "database"},
	}}
	follows := Blocker{
		Reason:     "vpc/main is replaced, and the data of rds/db would be lost",
		Suggestion: "add --allow-replace rds/db to lose that data (database. A snapshot is taken)",
	}
	blocked := Blocker{Reason: "it must be destroyed and created to change it", Suggestion: "add --allow-replace cluster/full to lose that data (everything)"}
	for _, tc := range []struct {
		allowed []string
		want    map[int]Blocker
	}{
		{nil, map[int]Blocker{0: blocked, 5: follows}},
		{[]string{"half", "secret/full", "ful"}, map[int]Blocker{0: blocked, 5: follows}},
		{[]string{"full"}, map[int]Blocker{5: follows}},
		{[]string{"cluster/full", "rds/db"}, map[int]Blocker{}},
		{[]string{ref("cluster", "full").String(), "db"}, map[int]Blocker{}},
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
