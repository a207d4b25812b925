package providertest

import (
	"slices"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

func tagsComeAndGo(r *rig) {
	r.createAll()
	for _, s := range r.Samples {
		k := r.kind(s.Desired.Ref.Kind)
		if k.NoTags || k.Carrier != resource.Anytime { // tags change as marks do
			continue
		}
		d := r.checked(s.Desired)
		d.Tags = resource.Tags{{Key: "added", Value: "by the suite: a/b=c"}}
		have, _ := r.find(d.Ref)
		r.update(d, have, r.changes(d, have), "tags-"+d.Ref.Name)
		o, _ := r.find(d.Ref)
		if !o.Tags.Equal(d.Tags) {
			r.t.Errorf("%s: its tags are %v, want %v", d.Ref, o.Tags, d.Tags)
		}
		if o.Marks != have.Marks {
			r.t.Errorf("%s: a change of tags changed its marks to %+v", d.Ref, o.Marks)
		}
	}
}

// marksAreThereFromTheFirstMoment observes while resources are created: a crash at any moment
// leaves none without marks.
func marksAreThereFromTheFirstMoment(r *rig) {
	for _, s := range r.Samples {
		k := r.kind(s.Desired.Ref.Kind)
		var seen []resource.Observed
		done, ended := make(chan struct{}), make(chan struct{})
		ctx := r.context()
		go func() {
			defer close(ended)
			for {
				snap, err := r.Provider.Observe(ctx, provider.ObserveRequest{Scope: r.Scope})
				if err == nil {
					seen = append(seen, snap.Resources...)
				}
				select {
				case <-done:
					return
				case <-time.After(time.Millisecond):
				}
			}
		}()
		created := r.create(s)
		close(done)
		<-ended
		for _, o := range seen {
			if o.ID == created.ID && o.Ref.Kind == k.Name && k.Carrier != resource.NoMarks && o.Marks.Ref != s.Desired.Ref {
				r.t.Errorf("%s: before its create ended, %s carried the marks %+v", s.Desired.Ref, o.ID, o.Marks)
				break
			}
		}
	}
}

func aBlessingIsAMark(r *rig) {
	for i := range r.Samples {
		s := r.Samples[i]
		s.Desired.Blessed = i%2 == 0 // some are created so, some get it later
		o := r.create(s)
		if r.kind(s.Desired.Ref.Kind).Carrier != resource.NoMarks && o.Marks.Blessed != s.Desired.Blessed {
			r.t.Errorf("%s: created with blessed %v, answered %v", s.Desired.Ref, s.Desired.Blessed, o.Marks.Blessed)
		}
	}
	for _, s := range r.markable() {
		have, _ := r.find(s.Desired.Ref)
		for _, on := range []bool{true, false} {
			d := r.checked(s.Desired)
			d.Blessed = on
			r.mark(d, have)
			after, _ := r.find(d.Ref)
			if after.Marks.Blessed != on || after.Marks.Ref.Stack != stack || !after.Attrs.Equal(have.Attrs) {
				r.t.Errorf("%s: marked with blessed %v and nothing else, it became %+v", d.Ref, on, after)
			}
		}
	}
}

// lostMarksCanBeRepaired, done twice, with all else as it was.
func lostMarksCanBeRepaired(r *rig) {
	r.need(r.Strip != nil, "Strip")
	r.createAll()
	for _, s := range r.markable() {
		before, _ := r.find(s.Desired.Ref)
		r.Strip(r.test, before)
		stripped, ok := r.byID(before.Ref.Kind, before.ID)
		if !ok || !stripped.Marks.IsZero() {
			r.t.Errorf("%s: without marks it is observed as %+v", s.Desired.Ref, stripped)
			continue
		}
		for range 2 {
			r.mark(r.checked(s.Desired), stripped)
		}
		after, _ := r.find(s.Desired.Ref)
		if after.Marks != before.Marks || after.ID != before.ID || !after.Attrs.Equal(before.Attrs) ||
			!after.Tags.Equal(before.Tags) {
			r.t.Errorf("%s was %+v, and with its marks repaired is %+v", s.Desired.Ref, before, after)
		}
	}
}

func unmanagedResourcesStayAsTheyAre(r *rig) {
	r.need(r.Unmanaged != nil, "Unmanaged")
	id := r.Unmanaged(r.test)
	before := r.unmanaged(id)
	created := r.createAll()
	for i := len(created) - 1; i >= 0; i-- {
		if err := r.delete(created[i]); err != nil {
			r.t.Errorf("delete %s: %v", created[i].Ref, err)
		}
	}
	if after := r.unmanaged(id); !after.Equal(before) {
		r.t.Errorf("the unmanaged resource was %+v and is %+v", before, after)
	}
}

func anUnmanagedResourceCanBeAdopted(r *rig) {
	r.need(r.Unmanaged != nil, "Unmanaged")
	have := r.unmanaged(r.Unmanaged(r.test))
	if r.kind(have.Ref.Kind).Carrier != resource.Anytime {
		r.t.Skip("marks of this kind are fixed at creation")
	}
	ref := have.Ref.In(stack)
	ref.Name = "adopted" // any name will do
	r.mark(resource.Desired{Ref: ref}, have)
	o, ok := r.find(ref)
	want := resource.Marks{Ref: ref, Owner: owner, Key: key(ref)}
	if !ok || o.ID != have.ID || o.Marks != want {
		r.t.Errorf("adopted, %s carries the marks %+v, want %+v", o.ID, o.Marks, want)
	}
	if o.Attested && !have.Attested {
		r.t.Errorf("%s attests marks that were written after its creation", o.ID)
	}
	if !o.Attrs.Equal(have.Attrs) || !o.Tags.Equal(have.Tags) {
		r.t.Errorf("adopting changed more than the marks: %+v became %+v", have, o)
	}
}

// unmanaged returns the observation of a resource without marks.
func (r *rig) unmanaged(id string) resource.Observed {
	r.t.Helper()
	all := r.observe().Resources
	i := slices.IndexFunc(all, func(o resource.Observed) bool { return o.ID == id })
	if i < 0 {
		r.t.Fatalf("the unmanaged resource %s is not observed", id)
	}
	if !all[i].Marks.IsZero() {
		r.t.Errorf("the unmanaged resource carries marks: %+v", all[i])
	}
	return all[i]
}
