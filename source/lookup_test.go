package source_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/sourcetest"
)

// TestAResourceOfOthersIsNoResourceOfTheStack, and others refer to it by its name.
func TestAResourceOfOthersIsNoResourceOfTheStack(t *testing.T) {
	t.Parallel()
	d := source.NewDraft(sourcetest.Options())
	d.Stack = "shop"
	d.Add(&source.Resource{Provider: sourcetest.Provider, Location: sourcetest.Location, Kind: "net", Name: "main", Lookup: &source.Lookup{Stack: "network", Ref: "net/main"}})
	intents, problems := source.Resolve([]*source.Draft{d})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	in := intents[0]
	want := &resource.Lookup{Of: resource.Ref{Stack: "network", Provider: sourcetest.Provider, Location: sourcetest.Location, Kind: "net", Name: "main"}}
	if len(in.Resources) != 0 || len(in.Lookups) != 1 || !cmp.Equal(in.Lookups[0].Lookup, want) || in.Lookups[0].Ref.Stack != "shop" {
		t.Errorf("%+v", in)
	}
}
