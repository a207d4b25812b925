package chart_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFormerNames asserts what `metadata.was` and `moved` in Chart.yaml mean, with the namespace before the names.
func TestFormerNames(t *testing.T) {
	t.Parallel()
	head := "-- Chart.yaml --\nname: shop\nversion: 1.2.3\nmoved: "
	template := "\n-- templates/a.yaml --\napiVersion: cutepod/v1alpha0\nkind: CuteVolume\n" +
		"metadata: {name: store, was: data}\nspec: {hostPath: /srv, type: bind}\n---\n" +
		"apiVersion: cutepod/v1alpha0\nkind: CuteNetwork\nmetadata: {name: inner}\n"
	opts := options(files(head + "[{from: network/back, to: network/inner}]\nremoved: [{ref: volume/old, keep: true}]" + template))
	opts.Namespace = "test"
	in := mustLoad(t, opts)
	var got []string
	for _, d := range in.Resources {
		if !d.Was.IsZero() {
			got = append(got, d.Was.Short()+" "+d.Ref.Short()+" of "+d.Was.Stack)
		}
	}
	for _, m := range in.Moved {
		got = append(got, m.From.Short()+" "+m.To.Short()+" of "+m.From.Stack)
	}
	for _, r := range in.Removed {
		got = append(got, r.From.Short()+" of "+r.From.Stack)
	}
	want := []string{
		"volume/test-data volume/test-store of " + in.Stack, "network/test-back network/test-inner of " + in.Stack,
		"volume/test-old of " + in.Stack,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for moved, want := range map[string]string{
		"{}": "moved must be a list", "[a]": "must be a block of keys", "[{from: network/a}]": "has no to",
		"[{from: network/a, to: [b]}]": "to must be one value", "[{from: net/a, to: network/b}]": `unknown type "net"`,
		"[{from: network/a, to: network/b, at: x}]": `unknown key "at"`,
	} {
		_, err := load(options(files(head + moved + template)))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "Chart.yaml:3:") {
			t.Errorf("moved: %s: %v", moved, err)
		}
	}
}
