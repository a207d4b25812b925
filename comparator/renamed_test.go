package comparator_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

// TestANameOfAKindThatRenamesIsCompared: that of other kinds is not.
func TestANameOfAKindThatRenamesIsCompared(t *testing.T) {
	for renames, want := range map[bool][]string{
		true:  {"drifted a/server/x name:other->x", "unchanged 1 owned 2"},
		false: {"unchanged 2 owned 2"},
	} {
		renamed := with(ours("a/server/x", "i-1", "size big"), func(o *resource.Observed) { o.Natural = "other" })
		in := input(configured{desired("a/server/x", "size big"), desired("a/server/y", "size big")}, resources{renamed, ours("a/server/y", "i-2", "size big")})
		in.Kinds = func(provider, kind string) (resource.Kind, bool) {
			k, ok := kindLookup(provider, kind)
			k.Renames = renames
			return k, ok
		}
		got, err := comparator.Compare(in)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, lines(got)); diff != "" {
			t.Errorf("renames %v (-want +got):\n%s", renames, diff)
		}
	}
}
