package edge_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/source"
)

// TestFormerIDs asserts that the former id of a deployment is one on each of its nodes.
func TestFormerIDs(t *testing.T) {
	t.Parallel()
	src := write(t, t.TempDir(), map[string]string{
		"site.yaml": nodes + "removed: [{ref: old, keep: true}]\nmoved: [{from: data, to: db}, {from: gone, to: nowhere}]\n",
		"db.yaml":   "id: db\nversion: \"2\"\nimage: example/db\nnodes: [n1, n2]\n",
		"web.yaml":  "id: frontend\nversion: \"1\"\nimage: example/web\nnodes: {zone: b}\nwas: web\n",
	})
	intents, err := source.Load(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, d := range intents[0].Resources {
		if !d.Was.IsZero() {
			got[d.Ref.Location+" "+d.Ref.Name] = d.Was.Location + " " + d.Was.Name
		}
	}
	for _, m := range intents[0].Moved {
		got[m.To.Location+" "+m.To.Name] = m.From.Location + " " + m.From.Name
	}
	for _, r := range intents[0].Removed {
		got[r.From.Location+" "+r.From.Name] = "kept"
	}
	want := map[string]string{
		"berlin/n1 old": "kept", "berlin/n2 old": "kept", "berlin/n3 old": "kept",
		"berlin/n2 frontend": "berlin/n2 web", "berlin/n3 frontend": "berlin/n3 web",
		"berlin/n1 db": "berlin/n1 data", "berlin/n2 db": "berlin/n2 data",
		"berlin/n1 nowhere": "berlin/n1 gone", "berlin/n2 nowhere": "berlin/n2 gone", "berlin/n3 nowhere": "berlin/n3 gone",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestARemovedDeploymentIsNotConfigured asserts one error, whatever the number of nodes.
func TestARemovedDeploymentIsNotConfigured(t *testing.T) {
	t.Parallel()
	_, err := source.Load(t.Context(), write(t, t.TempDir(), map[string]string{
		"site.yaml": nodes + "removed: [{ref: db, keep: true}]\n", "db.yaml": db,
	}))
	if err == nil || strings.Count(err.Error(), "deployment/db is in removed, and is configured") != 1 {
		t.Error(err)
	}
}
