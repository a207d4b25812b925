package decider_test

import (
	"testing"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

// A plan keeps which creates of one block have equal secrets; their digests, which are bound, are different.
func TestCreatesWithEqualSecretsAreAlike(t *testing.T) {
	var all []resource.Desired
	for _, x := range []struct{ name, secret string }{{"d-0", "s1"}, {"d-1", "s1"}, {"d-2", "s2"}, {"d-3", ""}} {
		d := desired("a/disk/"+x.name, "")
		d.At = position.Position{File: "ovi.yaml", Line: 3, Column: 5}
		d.Attrs = resource.NewAttrs(resource.Attr{
			Name: "key", Value: resource.NewSecret(x.secret, resource.Digest("d:"+x.name)),
		})
		all = append(all, d)
	}
	var got []string
	for _, d := range sceneOf(all).plan(t, decider.Facts{}).Decisions {
		got = append(got, d.Alike.Name)
	}
	for i, want := range []string{"d-0", "d-0", "d-2", ""} {
		if got[i] != want {
			t.Errorf("decision %d is alike %q, want %q", i, got[i], want)
		}
	}
}
