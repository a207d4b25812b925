package providertest

import (
	"context"
	"errors"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

func tagsComeAndGo(r *rig) {
	r.makeAll()
	for _, s := range r.Samples {
		if r.kind(s.Want.Ref.Kind).NoTags {
			continue
		}
		d := r.checked(s.Want)
		d.Tags = resource.Tags{{Key: "added", Value: "by the suite: a/b=c"}}
		have, _ := r.find(d.Ref)
		r.update(d, have, r.changes(d, have), "tags-"+d.Ref.Name)
		o, _ := r.find(d.Ref)
		if !o.Tags.Equal(d.Tags) {
			r.t.Errorf("%s: its tags are %v, want %v", d.Ref, o.Tags, d.Tags)
		}
		if o.Marks.Stack != stack {
			r.t.Errorf("%s: changing tags took ovi's marks off", d.Ref)
		}
	}
}

func blessing(r *rig) {
	for i, s := range r.Samples {
		s.Want.Blessed = i%2 == 0 // some are made so, some get it later
		if o := r.make(s); o.Marks.Blessed != s.Want.Blessed {
			r.t.Errorf("%s: made with blessed %v, answered %v", s.Want.Ref, s.Want.Blessed, o.Marks.Blessed)
		}
	}
	for _, s := range r.Samples {
		have, _ := r.find(s.Want.Ref)
		for _, on := range []bool{true, false} {
			d := r.checked(s.Want)
			d.Blessed = on
			r.mark(d, have)
			after, _ := r.find(d.Ref)
			if after.Marks.Blessed != on || after.Marks.Stack != stack || !after.Attrs.Equal(have.Attrs) {
				r.t.Errorf("%s: marked with blessed %v and nothing else, it became %+v", d.Ref, on, after)
			}
		}
	}
}

func whatIsDeletedIsGone(r *rig) {
	made := r.makeAll()
	for i := len(made) - 1; i >= 0; i-- {
		for _, again := range []string{"once", "twice"} {
			req := provider.Request{Key: "delete-" + made[i].Ref.Name, Token: 1, Stack: stack, Owner: owner, Have: made[i]}
			if err := r.Provider.Delete(r.context(), req); err != nil {
				r.t.Errorf("%s: deleted %s: %v", made[i].Ref, again, err)
			}
		}
		if o, there := r.find(made[i].Ref); there {
			r.t.Errorf("%s is deleted and still there as %s", made[i].Ref, o.ID)
		}
	}
}

// soon is how long a call may go on after its context has ended.
const soon = 5 * time.Second

func anEndedContextEndsCalls(r *rig) {
	ended, cancel := context.WithCancel(r.t.Context())
	cancel()
	d := r.checked(r.Samples[0].Want)
	calls := map[string]func() error{
		"observe": func() error { _, err := r.Provider.Observe(ended, provider.ObserveRequest{Scope: r.Scope}); return err },
		"create": func() error {
			_, err := r.Provider.Create(ended, r.request(r.settled(d), "ended"))
			return err
		},
	}
	for name, call := range calls {
		start := time.Now()
		if err := call(); err == nil {
			r.t.Errorf("%s succeeds with an ended context", name)
		} else if !errors.Is(err, context.Canceled) {
			r.t.Errorf("%s: the error hides that the context ended: %v", name, err)
		}
		if took := time.Since(start); took > soon {
			r.t.Errorf("%s went on for %v after its context had ended", name, took)
		}
	}
	if o, there := r.find(d.Ref); there {
		r.t.Errorf("%s was made after the context had ended, as %s", d.Ref, o.ID)
	}
}

func strangersAreLetBe(r *rig) {
	if r.Stranger == nil {
		r.t.Skip("the harness can't put a stranger into the world")
	}
	id := r.Stranger(r.t)
	before := r.stranger(id)
	made := r.makeAll()
	for i := len(made) - 1; i >= 0; i-- {
		if err := r.Provider.Delete(r.context(), provider.Request{Key: "delete", Stack: stack, Owner: owner, Have: made[i]}); err != nil {
			r.t.Errorf("delete %s: %v", made[i].Ref, err)
		}
	}
	if after := r.stranger(id); !after.Equal(before) {
		r.t.Errorf("the stranger was %+v and is %+v", before, after)
	}
}

func aStrangerCanBeAdopted(r *rig) {
	if r.Stranger == nil {
		r.t.Skip("the harness can't put a stranger into the world")
	}
	id := r.Stranger(r.t)
	have := r.stranger(id)
	ref := have.Ref
	ref.Name = "adopted" // any name will do
	r.mark(resource.Desired{Ref: ref}, have)
	o, ok := r.find(ref)
	if !ok || o.ID != id || o.Marks.Stack != stack || o.Marks.Owner != owner {
		r.t.Errorf("adopted, it carries the marks %+v", o)
	}
	if !o.Attrs.Equal(have.Attrs) || !o.Tags.Equal(have.Tags) {
		r.t.Errorf("adopting changed more than the marks: %+v became %+v", have, o)
	}
}

// stranger gives what is observed of a thing without marks.
func (r *rig) stranger(id string) resource.Observed {
	r.t.Helper()
	for _, o := range r.observe().Resources {
		if o.ID != id {
			continue
		}
		if !o.Marks.IsZero() {
			r.t.Errorf("the stranger is taken for one of ours: %+v", o)
		}
		return o
	}
	r.t.Fatalf("the stranger %s is not observed", id)
	return resource.Observed{}
}

func aFailedPageIsAFailedLook(r *rig) {
	if r.FailPage == nil {
		r.t.Skip("the harness can't make a page fail")
	}
	r.makeAll()
	mend := r.FailPage(r.t)
	snap, err := r.Provider.Observe(r.context(), provider.ObserveRequest{Scope: r.Scope})
	if err == nil && len(snap.Unreachable) == 0 {
		r.t.Errorf("a page failed, and observe gives %d things as if they were all", len(snap.Resources))
	}
	if err != nil && len(snap.Resources) > 0 {
		r.t.Errorf("beside its error observe gives %d things", len(snap.Resources))
	}
	mend()
	r.observe()
}
