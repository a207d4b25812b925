package providertest

import (
	"context"
	"errors"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

func whatIsCreatedIsAsConfigured(r *rig) {
	answers := r.createAll()
	for i, s := range r.Samples {
		d := r.checked(s.Desired)
		o, ok := r.find(d.Ref)
		if !ok {
			r.t.Errorf("%s was created and is not observed", d.Ref)
			continue
		}
		for what, o := range map[string]resource.Observed{"the answer": answers[i], "what is observed": o} {
			if o.ID == "" || o.Ref.Kind != d.Ref.Kind || o.Ref.Scope() != d.Ref.Scope() {
				r.t.Errorf("%s: %s has another kind or scope, or no id: %+v", d.Ref, what, o)
			}
			if c := r.changes(d, o); len(c) > 0 {
				r.t.Errorf("%s: %s differs from the configuration: %s", d.Ref, what, describe(c))
			}
			// Of what the engine asks for, all is written.
			want := resource.Marks{Ref: d.Ref, Owner: owner, Key: key(d.Ref), Blessed: d.Blessed}
			if r.kind(d.Ref.Kind).Carrier != resource.NoMarks && o.Marks != want {
				r.t.Errorf("%s: %s carries the marks %+v, want %+v", d.Ref, what, o.Marks, want)
			}
			keepsSecrets(r, d, o)
		}
		if o.ID != answers[i].ID || o.UID != answers[i].UID {
			r.t.Errorf("%s: create answers id %s %s, observe %s %s", d.Ref, answers[i].ID, answers[i].UID, o.ID, o.UID)
		}
		if o.Health != resource.Healthy {
			r.t.Errorf("%s is %s: %s", d.Ref, o.Health, o.Message)
		}
	}
}

func oneKeyCreatesOneResource(r *rig) {
	for _, s := range r.Samples {
		first := r.create(s)
		second := r.create(s)
		if first.ID != second.ID {
			r.t.Errorf("%s: one key created %s and %s", s.Desired.Ref, first.ID, second.ID)
		}
		r.find(s.Desired.Ref) // fails if it exists twice
	}
}

func updateCanBeRepeated(r *rig) {
	r.createAll()
	for _, s := range r.Samples {
		if s.Then == nil {
			continue
		}
		desired := s.Desired
		for _, a := range s.Then {
			desired.Attrs = desired.Attrs.With(a.Name, a.Value)
		}
		d := r.checked(desired)
		have, _ := r.find(d.Ref)
		changes := r.changes(d, have)
		if len(changes) == 0 {
			r.t.Errorf("%s: the sample changes nothing", d.Ref)
		}
		if e := resource.Worst(changes); e == resource.Replace {
			r.t.Errorf("%s: the sample changes what is immutable: %s", d.Ref, describe(changes))
			continue
		}
		for _, again := range []string{"once", "twice"} {
			answer := r.update(d, have, changes, "update-"+d.Ref.Name)
			o, _ := r.find(d.Ref)
			if o.ID != have.ID || answer.ID != have.ID {
				r.t.Errorf("%s: updated %s, it is %s, and the answer names %s", d.Ref, again, o.ID, answer.ID)
			}
			if c := r.changes(d, o); len(c) > 0 {
				r.t.Errorf("%s: updated %s, it still differs: %s", d.Ref, again, describe(c))
			}
			if o.Marks != have.Marks {
				r.t.Errorf("%s: an update changed its marks from %+v to %+v", d.Ref, have.Marks, o.Marks)
			}
		}
	}
}

func whatIsDeletedIsGone(r *rig) {
	created := r.createAll()
	for i := len(created) - 1; i >= 0; i-- {
		ref := r.Samples[i].Desired.Ref
		for _, again := range []string{"once", "twice"} {
			if err := r.delete(created[i]); err != nil {
				r.t.Errorf("%s: deleted %s: %v", ref, again, err)
			}
		}
		r.ready()
		if o, there := r.find(ref); there {
			r.t.Errorf("%s is deleted and still exists as %s", ref, o.ID)
		}
	}
}

// soon is the time that a call may continue after its context has ended.
const soon = 5 * time.Second

func anEndedContextEndsCalls(r *rig) {
	first := r.Samples[0]
	have := r.create(first)
	ended, cancel := context.WithCancel(r.t.Context())
	cancel()
	d := r.checked(first.Desired)
	req := r.request(r.resolved(d), "ended")
	with := req
	with.Have = have
	calls := map[string]func() error{
		"observe": func() error {
			_, err := r.Provider.Observe(ended, provider.ObserveRequest{Scope: r.Scope})
			return err
		},
		"create": func() error { _, err := r.Provider.Create(ended, req); return err },
		"update": func() error { _, err := r.Provider.Update(ended, with); return err },
		"delete": func() error { return r.Provider.Delete(ended, with) },
	}
	if m, ok := r.Provider.(provider.Marker); ok && r.kind(d.Ref.Kind).Carrier == resource.Anytime {
		calls["mark"] = func() error { _, err := m.Mark(ended, with); return err }
	}
	for name, call := range calls {
		start := time.Now()
		err := call()
		switch {
		case err == nil && name != "update": // without changes an update may have nothing to ask for
			r.t.Errorf("%s succeeds with an ended context", name)
		case err != nil && !errors.Is(err, context.Canceled):
			r.t.Errorf("%s: the error does not tell that the context ended: %v", name, err)
		}
		if took := time.Since(start); took > soon {
			r.t.Errorf("%s went on for %v after its context had ended", name, took)
		}
	}
	if o, ok := r.find(d.Ref); !ok || o.ID != have.ID {
		r.t.Errorf("after calls with an ended context %s is %s, want %s alone", d.Ref, o.ID, have.ID)
	}
}
