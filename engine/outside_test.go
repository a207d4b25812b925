package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
)

// TestAPlanSaysWhatWasChangedOutside: of two changes of one resource, the one that goes back to what was
// applied is noted; the one that the configuration made is not.
func TestAPlanSaysWhatWasChangedOutside(t *testing.T) {
	b := newBench(t)
	w := wants(server("a", "main"), network("main"))
	b.apply(w)
	a, _, err := b.cloud.Find(ref("server", "a"))
	if err != nil {
		t.Fatal(err)
	}
	a.Attrs = a.Attrs.With("size", resource.String("large"))
	b.cloud.Put(a)
	next := wants(server("a", "main"), network("main"))
	for i := range next[0].Resources {
		if d := &next[0].Resources[i]; d.Ref.Kind == "server" {
			d.Attrs = d.Attrs.With("running", resource.Bool(false))
		}
	}
	p := b.plan(next)
	notes := map[string]string{}
	for _, d := range p.Plan.Decisions {
		for _, c := range d.Changes {
			notes[d.Ref.Name+"."+c.Path] = c.Note
		}
	}
	if diff := cmp.Diff(map[string]string{"a.size": "outside ovi", "a.running": ""}, notes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
