package resource_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
)

// TestDiffOfAnExactKind: what is observed and not configured is removed, but for what cannot be
// configured or read back, and on an adopted resource.
func TestDiffOfAnExactKind(t *testing.T) {
	t.Parallel()
	exact := serverKind()
	exact.Exact = true
	observed := attrs(
		"address", "10.0.0.1", "script", "x", "size", "big", "env", attrs("A", "1"), "unknown", "x",
		"disk", attrs("size", 1, "kind", "ssd", "seed", "s"), "ports", []any{attrs("from", 1, "to", 2)},
	)
	paths := func(k resource.Kind, desired resource.Attrs, opt resource.DiffOptions) (out []string) {
		for _, c := range resource.Diff(desired, observed, k, opt) {
			out = append(out, fmt.Sprintf("%s removed=%v %s", c.Path, c.To == nil, c.Effect))
		}
		return out
	}
	for name, c := range map[string]struct {
		desired resource.Attrs
		opt     resource.DiffOptions
		want    []string
	}{
		"nothing configured":     {nil, resource.DiffOptions{}, []string{"disk removed=true restart", "env removed=true in_place", "ports removed=true in_place", "size removed=true restart"}},
		"a field of an object":   {attrs("disk", attrs("size", 1), "env", attrs("A", "1"), "ports", []any{attrs("from", 1, "to", 2)}, "size", "big"), resource.DiffOptions{}, []string{"disk.kind removed=true replace"}},
		"a field of an element":  {attrs("disk", attrs("size", 1, "kind", "ssd"), "env", attrs("A", "1"), "ports", []any{attrs("from", 1)}, "size", "big"), resource.DiffOptions{}, []string{"ports removed=false in_place"}},
		"ignored":                {nil, resource.DiffOptions{Ignore: []string{"disk", "env", "ports", "size"}}, nil},
		"an adopted resource":    {nil, resource.DiffOptions{Adopted: true}, nil},
		"all of it":              {attrs("disk", attrs("size", 1, "kind", "ssd"), "env", attrs("A", "1"), "ports", []any{attrs("from", 1, "to", 2)}, "size", "big"), resource.DiffOptions{}, nil},
		"what changes is beside": {attrs("size", "small"), resource.DiffOptions{Ignore: []string{"disk", "env", "ports"}}, []string{"size removed=false restart"}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, paths(exact, c.desired, c.opt)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
	if got := paths(serverKind(), nil, resource.DiffOptions{}); got != nil {
		t.Errorf("a kind that is not exact has changes: %v", got)
	}
}
