package explain_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/ledger/explain"
	"github.com/ovi-project/ovi/resource"
)

func TestUnconfiguredChangesAreTheOnesThatDriftOmits(t *testing.T) {
	kind := resource.Kind{Attrs: []resource.Attribute{{Name: "size"}, {Name: "monitoring"}, {Name: "address", Computed: true}, {Name: "noise"}}}
	want := resource.Desired{
		Attrs: resource.Attrs{{Name: "size", Value: resource.String("small")}}, Tags: resource.Tags{{Key: "team", Value: "web"}},
		Ignore: []string{"noise", "tags.scanner"},
	}
	var changes []resource.Change
	for _, path := range []string{"id", "health", "size", "monitoring", "address", "noise", "tags.team", "tags.cost", "tags.scanner"} {
		changes = append(changes, resource.Change{Path: path})
	}
	changes = append(changes, resource.Change{On: resource.OnMark, Path: "owner"})
	var got []string
	for _, c := range explain.Unconfigured(changes, want, kind) {
		got = append(got, c.Path)
	}
	if diff := cmp.Diff([]string{"monitoring", "tags.cost"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
