package aws

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
)

// TestResourcesWithOneNameHaveNamesOfTheirOwn: certificates of one domain have ARNs as ids, with slashes, which the
// observer accepts in no name: it rejected the whole region.
func TestResourcesWithOneNameHaveNamesOfTheirOwn(t *testing.T) {
	one := func(id string) resource.Observed {
		return resource.Observed{ID: id, Ref: resource.Ref{Provider: "aws", Location: "1/eu", Kind: "certificate", Name: "a.example"}}
	}
	const arn = "arn:aws:acm:eu:1:certificate/"
	var names []string
	for _, o := range distinct([]resource.Observed{one(arn + "c"), one(arn + "a"), one(arn + "b")}) {
		names = append(names, o.Ref.Name)
		if again, err := resource.ParseRef(o.Ref.String()); err != nil || again != o.Ref {
			t.Errorf("%s reads back as %s, %v", o.Ref, again, err)
		}
	}
	want := []string{"a.example", "arn:aws:acm:eu:1:certificate_b", "arn:aws:acm:eu:1:certificate_c"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
