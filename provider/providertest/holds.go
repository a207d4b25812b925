package providertest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// holdsAreDeclared: each kind says what its resources exclude others from, or that they exclude none, to the
// engine and to users alike.
func holdsAreDeclared(r *rig) {
	for _, k := range r.Provider.Kinds() {
		if k.Holds == nil {
			r.t.Errorf("kind %s declares neither what its resources hold nor that they hold nothing", k.Name)
		}
	}
	for _, s := range r.Samples {
		d := r.checked(s.Desired)
		k := r.kind(d.Ref.Kind)
		if held := k.HeldAs(d.Ref.Bare(), d.Attrs, d.State); len(held) > 0 && k.HoldsDoc == "" {
			r.t.Errorf("%s holds %v, and the documentation of its kind does not mention that", d.Ref, held)
		}
	}
}

// whatClashesIsDeclared creates another resource next to each sample: with its attributes under another name,
// with its name in another stack, and its rivals. The system refuses the second one exactly if the
// kinds declare that both clash.
func whatClashesIsDeclared(r *rig) {
	for _, s := range r.Samples {
		r.create(s)
		renamed, elsewhere := s.Desired, s.Desired
		renamed.Ref = r.otherName(s.Desired.Ref)
		elsewhere.Ref = s.Desired.Ref.In(stack + "2")
		for i, rival := range append([]resource.Desired{renamed, elsewhere}, s.Rivals...) {
			r.second(s, rival, fmt.Sprintf("second-%d-%s", i, key(s.Desired.Ref)))
		}
	}
}

// otherName is a name for another resource of a kind.
func (r *rig) otherName(ref resource.Ref) resource.Ref {
	k := r.kind(ref.Kind)
	for _, end := range []string{"2", "-2", "b"} {
		name := ref.Name + end
		if fits, err := regexp.MatchString("^("+k.NamePattern+")$", name); err == nil && (fits || k.NamePattern == "") {
			ref.Name = name
			return ref
		}
	}
	r.t.Fatalf("the sample %s has a name that has no similar one", ref)
	return ref
}

// second tries to create a resource next to a sample, and deletes it again.
func (r *rig) second(s Sample, rival resource.Desired, key string) {
	r.t.Helper()
	first, ok := r.find(s.Desired.Ref)
	if !ok {
		r.t.Fatalf("%s was created and is not observed", s.Desired.Ref)
	}
	d := r.resolved(r.checked(rival))
	needs, has := r.kind(d.Ref.Kind).HeldAs(d.Ref.Bare(), d.Attrs, d.State), r.kind(first.Ref.Kind).HeldBy(&first)
	clash, want := clashes(needs, has), r.resolved(r.checked(s.Desired))
	if alike := clashes(needs, r.kind(want.Ref.Kind).HeldAs(want.Ref.Bare(), want.Attrs, want.State)); alike != clash {
		r.t.Errorf("%s and %s clash as configured: %t, and as observed: %t", s.Desired.Ref, d.Ref, alike, clash)
	}
	if clash && d.Ref.Stack == s.Desired.Ref.Stack {
		if err := checkVacated(r.context(), r.Provider, r.request(d, key), needs, has, first.ID); err != nil {
			r.t.Errorf("the check refuses %s because of %s, which gives its things up before: %v", d.Ref, first.Ref, err)
		}
	}
	made, err := r.Provider.Create(r.context(), r.request(d, key))
	if err == nil {
		r.ready()
	}
	refused := err != nil || made.ID == first.ID
	if now, there := r.byID(d.Ref.Kind, made.ID); err == nil && there && now.Health == resource.Failing {
		refused = true
	}
	switch {
	case refused && !clash:
		r.t.Errorf("%s cannot exist next to %s (%v), and their kinds declare no clash", d.Ref, s.Desired.Ref, err)
	case !refused && clash:
		r.t.Errorf("%s exists next to %s, and their kinds declare that they clash", d.Ref, s.Desired.Ref)
	}
	if err != nil || made.ID == first.ID {
		r.removeRest(d, first)
		return
	}
	if err := r.delete(made); err != nil && !errors.Is(err, provider.ErrAccepted) {
		r.t.Errorf("delete %s: %v", d.Ref, err)
	}
}

// removeRest deletes what a create that failed late has left.
func (r *rig) removeRest(d resource.Desired, first resource.Observed) {
	for _, o := range r.observe().Resources {
		if o.Marks.Ref == d.Ref && o.ID != first.ID {
			if err := r.delete(o); err != nil {
				r.t.Errorf("delete what the refused create of %s left: %v", d.Ref, err)
			}
		}
	}
}

func clashes(a, b []resource.Hold) bool {
	return slices.ContainsFunc(a, func(h resource.Hold) bool { return slices.ContainsFunc(b, h.Clashes) })
}

// aRenameChangesMarksAlone gives each sample another name, as the engine does: what exists keeps its ID and its
// natural name, nothing of it differs, and it is updated and deleted under the new name.
func aRenameChangesMarksAlone(r *rig) {
	r.createAll()
	for i := len(r.Samples) - 1; i >= 0; i-- {
		r.rename(r.Samples[i])
	}
}

func (r *rig) rename(s Sample) {
	r.t.Helper()
	was, k := s.Desired.Ref, r.kind(s.Desired.Ref.Kind)
	have, ok := r.find(was)
	if !ok {
		r.t.Fatalf("%s was created and is not observed", was)
	}
	count := r.count(was.Kind)
	d := s.Desired
	d.Ref = r.otherName(was)
	d = r.checked(d)
	now := func(when string) resource.Observed {
		o, there := r.byID(was.Kind, have.ID)
		if !there {
			r.t.Fatalf("%s is gone %s", was, when)
		}
		if n := r.count(was.Kind); n != count {
			r.t.Errorf("there are %d of %s %s, and were %d", n, was.Kind, when, count)
		}
		o.Bind(resource.Proven, d.Ref.Stack, d.Ref.Name)
		recorded, err := resource.ParseObserved(o.AppendJSON(nil)) // a plan may be from the record
		if err != nil {
			r.t.Fatalf("%s: %v", was, err)
		}
		return recorded
	}
	have = now("before it was renamed")
	natural := have.NaturalRef()
	if c := r.changes(d, have); len(c) > 0 {
		r.t.Errorf("%s differs under the name %s: %s", was, d.Ref.Name, describe(c))
	}
	if k.Carrier == resource.Anytime {
		r.mark(d, have)
		have = now("after its marks were written")
		if have.NaturalRef() != natural {
			r.t.Errorf("%s has the natural name %s after its marks were written, want %s", was, have.NaturalRef(), natural)
		}
		if have.Marks.Ref != d.Ref {
			r.t.Errorf("%s carries the name %s after its marks were written, want %s", was, have.Marks.Ref, d.Ref)
		}
		if c := r.changes(d, have); len(c) > 0 {
			r.t.Errorf("%s differs after its marks were written: %s", was, describe(c))
		}
	}
	if s.Then != nil {
		next := d
		for _, a := range s.Then {
			next.Attrs = next.Attrs.With(a.Name, a.Value)
		}
		next = r.checked(next)
		if answer := r.update(next, have, r.changes(next, have), "update-"+d.Ref.Name); answer.ID != have.ID {
			r.t.Errorf("the update of %s under the name %s answers %s, want %s", was, d.Ref.Name, answer.ID, have.ID)
		}
		have = now("after its update")
		if c := r.changes(next, have); len(c) > 0 {
			r.t.Errorf("%s differs after its update under the name %s: %s", was, d.Ref.Name, describe(c))
		}
	}
	if err := r.delete(have); err != nil {
		r.t.Errorf("delete %s under the name %s: %v", was, d.Ref.Name, err)
	}
	r.ready()
	if _, there := r.byID(was.Kind, have.ID); there {
		r.t.Errorf("%s was deleted under the name %s, and still exists", was, d.Ref.Name)
	}
}

func (r *rig) count(kind string) (n int) {
	r.t.Helper()
	for _, o := range r.observe().Resources {
		if o.Ref.Kind == kind {
			n++
		}
	}
	return n
}
