package resource_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
)

// TestWhatExceedsItsConfigurationIsNamedAndNotChanged, nor is what means the same.
func TestWhatExceedsItsConfigurationIsNamedAndNotChanged(t *testing.T) {
	t.Parallel()
	fits := func(desired, observed resource.Value) resource.Fit {
		w, _ := desired.(resource.Int)
		o, _ := observed.(resource.Int)
		switch {
		case o == -w:
			return resource.Equivalent
		case o > w:
			return resource.Exceeds
		}
		return resource.Differs
	}
	kind := resource.Kind{Attrs: []resource.Attribute{
		{Name: "disk", Type: resource.TObject, Fields: []resource.Attribute{{Name: "size", Type: resource.TInt, Fits: fits}}},
		{Name: "size", Type: resource.TInt, Fits: fits, Note: "takes an hour"},
	}}
	for name, c := range map[string]struct {
		desired, observed resource.Attrs
		changes, kept     []string
	}{
		"equal":              {desired: attrs("size", 5), observed: attrs("size", 5)},
		"more":               {desired: attrs("size", 5), observed: attrs("size", 6), kept: []string{"size 6 for 5"}},
		"the same":           {desired: attrs("size", 5), observed: attrs("size", -5)},
		"less":               {desired: attrs("size", 5), observed: attrs("size", 4), changes: []string{"size: takes an hour"}},
		"none":               {desired: attrs("size", 5), changes: []string{"size: takes an hour"}},
		"more, in an object": {desired: attrs("disk", attrs("size", 5)), observed: attrs("disk", attrs("size", 6)), kept: []string{"disk.size 6 for 5"}},
		"less, in an object": {desired: attrs("disk", attrs("size", 5)), observed: attrs("disk", attrs("size", 4)), changes: []string{"disk.size: "}},
		"not configured":     {observed: attrs("size", 5)},
	} {
		var got, kept []string
		for _, x := range resource.Diff(c.desired, c.observed, kind, resource.DiffOptions{}) {
			got = append(got, x.Path+": "+x.Note)
		}
		for _, s := range resource.Surpluses(c.desired, c.observed, kind.Attrs) {
			kept = append(kept, fmt.Sprintf("%s %v for %v", s.Path, s.Observed, s.Desired))
		}
		if d := cmp.Diff([][]string{c.changes, c.kept}, [][]string{got, kept}); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// TestAFitHoldsForValuesWithReferencesAndInMaps: JSON in which the ID of another resource stands is
// compared by what it means.
func TestAFitHoldsForValuesWithReferencesAndInMaps(t *testing.T) {
	t.Parallel()
	fold := func(desired, observed resource.Value) resource.Fit {
		w, _ := desired.(resource.String)
		o, _ := observed.(resource.String)
		if strings.EqualFold(string(w), string(o)) {
			return resource.Equivalent
		}
		return resource.Differs
	}
	elem := resource.Attribute{Type: resource.TString, Fits: fold}
	kind := resource.Kind{Attrs: []resource.Attribute{
		{Name: "all", Type: resource.TMap, Elem: &elem},
		{Name: "one", Type: resource.TString, Fits: fold},
	}}
	in := resource.Text{resource.String("a-"), resource.Reference{Ref: resource.Ref{Kind: "s3", Name: "x"}}}
	resolve := func(resource.Reference) (resource.Value, bool) { return resource.String("b"), true }
	for observed, want := range map[string]int{"A-B": 0, "a-b": 0, "A-C": 2} {
		have := attrs("all", attrs("k", observed), "one", observed)
		if c := resource.Diff(attrs("all", attrs("k", in), "one", in), have, kind, resource.DiffOptions{Resolve: resolve}); len(c) != want {
			t.Errorf("%s: %+v", observed, c)
		}
	}
}
