package engine_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

// TestWhatExistsUnderConfiguredNamesIsAdoptedAtOnce: what is managed, what has another name and what could not be
// listed is not among it.
func TestWhatExistsUnderConfiguredNamesIsAdoptedAtOnce(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("mine", 20)))
	for _, name := range []string{"hand", "gone", "other"} {
		b.cloud.Put(resource.Observed{Ref: ref("disk", name).Bare(), ID: "id-" + name, Health: resource.Healthy, Attrs: attrs("size", resource.Int(20))})
	}
	want := wants(disk("mine", 20), disk("hand", 20), disk("new", 20))
	all, err := b.engine.Existing(t.Context(), want, []resource.Ref{ref("disk", "gone")})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, o := range all {
		names = append(names, o.Ref.String()+" "+o.ID)
	}
	if d := cmp.Diff([]string{ref("disk", "gone").String() + " id-gone", ref("disk", "hand").String() + " id-hand"}, names); d != "" {
		t.Errorf("existing (-want +got):\n%s", d)
	}
	if n, err := b.engine.AdoptAll(t.Context(), want, all, ann, false); n != 2 || err != nil {
		t.Fatalf("adopted %d: %v", n, err)
	}
	if d := cmp.Diff([]string{"delete disk/gone", "create disk/new", "notify disk/other"}, brief(b.plan(want))); d != "" {
		t.Errorf("plan after (-want +got):\n%s", d)
	}
	down := errors.New("no list")
	b.cloud.Break(fake.Faults{List: func(string) error { return down }})
	if _, err := b.engine.Existing(t.Context(), want, nil); !errors.Is(err, down) {
		t.Errorf("a list that fails: %v", err)
	}
}
