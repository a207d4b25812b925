package resource_test

import (
	"fmt"
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
