package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
)

// TestWhatUsersCallByAConfiguredNameIsAdopted: not what has no such name, shares it, or belongs to another system.
func TestWhatUsersCallByAConfiguredNameIsAdopted(t *testing.T) {
	b := newBench(t)
	for id, x := range map[string]struct{ called, owner string }{
		"id-1": {called: "data"}, "id-2": {called: "twin"}, "id-3": {called: "twin"}, "id-4": {called: "other"},
		"id-5": {called: "owned", owner: "another system"}, "id-6": {called: "id-6"}, "id-7": {called: ""},
	} {
		o := resource.Observed{Ref: ref("disk", id).Bare(), ID: id, Health: resource.Healthy, Attrs: attrs("size", resource.Int(20)), OwnedBy: x.owner}
		o.Tags = resource.TagsOf(map[string]string{"called": x.called})
		b.cloud.Put(o)
	}
	want := wants(disk("data", 20), disk("twin", 20), disk("owned", 20))
	called := func(o *resource.Observed) string { name, _ := o.Tags.Get("called"); return name }
	list := func(force bool) (got []string, found []resource.Observed) {
		all, unread, err := b.engine.Called(t.Context(), want, force, called)
		if err != nil || len(unread) > 0 {
			t.Fatal(unread, err)
		}
		for _, n := range all {
			if n.Refused != nil {
				got = append(got, n.ID+": "+n.Refused.Error())
				continue
			}
			got = append(got, n.ID+" is "+n.Ref.Short())
			found = append(found, n.Observed)
		}
		return got, found
	}
	got, _ := list(false)
	if d := cmp.Diff([]string{
		"id-1 is disk/data", "id-2: 2 resources are called disk/twin", "id-3: 2 resources are called disk/twin",
		"id-4: the configuration has no disk called other", "id-5: id-5 is managed by another system, which would revert ovi's changes",
		"id-6: it has no name",
	}, got); d != "" {
		t.Errorf("without force (-want +got):\n%s", d)
	}
	got, found := list(true)
	if got[4] != "id-5 is disk/owned" {
		t.Errorf("with force: %v", got)
	}
	if n, err := b.engine.AdoptAll(t.Context(), want, found, ann, false); n != 1 || err == nil {
		t.Errorf("an adoption without force adopted %d: %v", n, err)
	}
	if n, err := b.engine.AdoptAll(t.Context(), want, found[1:], ann, true); n != 1 || err != nil {
		t.Errorf("an adoption with force adopted %d: %v", n, err)
	}
}
