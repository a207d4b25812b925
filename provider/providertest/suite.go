package providertest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/resource"
)

// Run holds a provider to the contract of package provider. open gives it on an empty world,
// once for each subtest; the subtests run one after the other.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(*rig)
	}{
		{"KindsAreSound", kindsAreSound},
		{"WhatIsMadeIsAsWished", whatIsMadeIsAsConfiguredAs},
		{"ASnapshotIsInOrder", aSnapshotIsInOrder},
		{"OneKeyMakesOneThing", oneKeyMakesOneResource},
		{"UpdateBringsTheWishAndCanBeRepeated", updateCanBeRepeated},
		{"TagsComeAndGo", tagsComeAndGo},
		{"ABlessingIsAMarkOnTheThing", blessing},
		{"WhatIsDeletedIsGone", whatIsDeletedIsGone},
		{"AnEndedContextEndsCalls", anEndedContextEndsCalls},
		{"StrangersAreLetBe", strangersAreLetBe},
		{"AStrangerCanBeAdopted", aStrangerCanBeAdopted},
		{"AFailedPageIsAFailedLook", aFailedPageIsAFailedLook},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(newRig(t, open)) })
	}
}

func kindsAreSound(r *rig) {
	seen := map[string]bool{}
	for _, k := range r.Provider.Kinds() {
		if seen[k.Name] {
			r.t.Errorf("kind %s stands twice", k.Name)
		}
		seen[k.Name] = true
		if k.Provider != r.Scope.Provider {
			r.t.Errorf("kind %s says it is of provider %q", k.Name, k.Provider)
		}
		if strings.TrimSpace(k.Doc) == "" {
			r.t.Errorf("kind %s is not documented", k.Name)
		}
		if _, err := resource.NewChecker(k); err != nil {
			r.t.Error(err)
		}
		attributesAreSound(r, k.Name, k.Attrs)
		if !slices.ContainsFunc(r.Samples, func(s Sample) bool { return s.Want.Ref.Kind == k.Name }) {
			r.t.Errorf("no sample of kind %s", k.Name)
		}
	}
}

func attributesAreSound(r *rig, path string, attrs []resource.Attribute) {
	seen := map[string]bool{}
	for _, a := range attrs {
		p := path + "." + a.Name
		if seen[a.Name] || a.Name == "" {
			r.t.Errorf("%s stands twice or has no name", p)
		}
		seen[a.Name] = true
		if strings.TrimSpace(a.Doc) == "" {
			r.t.Errorf("%s is not documented", p)
		}
		if (a.Type == resource.TList || a.Type == resource.TSet) && a.Elem == nil {
			r.t.Errorf("%s is a list of nothing in particular: it needs Elem", p)
		}
		if a.Required && a.Default != nil {
			r.t.Errorf("%s is required and has a default", p)
		}
		attributesAreSound(r, p, a.Fields)
	}
}

func whatIsMadeIsAsConfiguredAs(r *rig) {
	answers := r.makeAll()
	for i, s := range r.Samples {
		d := r.checked(s.Want)
		o, ok := r.find(d.Ref)
		if !ok {
			r.t.Errorf("%s was made and is not observed", d.Ref)
			continue
		}
		for what, o := range map[string]resource.Observed{"the answer": answers[i], "what is observed": o} {
			if o.ID == "" || o.Marks.Ref != d.Ref || o.Marks.Stack != stack || o.Marks.Owner != owner {
				r.t.Errorf("%s: %s lacks marks: %+v", d.Ref, what, o)
			}
			if c := r.changes(d, o); len(c) > 0 {
				r.t.Errorf("%s: %s differs from the wish: %s", d.Ref, what, describe(c))
			}
			keepsSecrets(r, d, o)
		}
		if o.ID != answers[i].ID {
			r.t.Errorf("%s: create says id %s, observe says %s", d.Ref, answers[i].ID, o.ID)
		}
	}
}

// keepsSecrets looks for the plain text of the wish's secrets in what is recorded of a thing.
func keepsSecrets(r *rig, d resource.Desired, o resource.Observed) {
	recorded := string(o.AppendJSON(nil))
	var visit func(v resource.Value)
	visit = func(v resource.Value) {
		switch v := v.(type) {
		case resource.Secret:
			if plain := v.Reveal(); plain != "" && strings.Contains(recorded, plain) {
				r.t.Errorf("%s: the record of it shows a secret", d.Ref)
			}
		case resource.List:
			for _, e := range v {
				visit(e)
			}
		case resource.Attrs:
			for _, a := range v {
				visit(a.Value)
			}
		}
	}
	visit(d.Attrs)
}

func aSnapshotIsInOrder(r *rig) {
	before := time.Now()
	r.makeAll()
	snap := r.observe()
	if snap.Scope != r.Scope {
		r.t.Errorf("the snapshot is of %s", snap.Scope)
	}
	if snap.At.IsZero() || snap.At.Before(before.Add(-time.Minute)) {
		r.t.Errorf("the snapshot is of %v", snap.At)
	}
	if !slices.IsSortedFunc(snap.Resources, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) }) {
		r.t.Error("the snapshot is not sorted by ref")
	}
	for _, o := range snap.Resources {
		if o.Ref.Scope() != r.Scope || o.Health == "" {
			r.t.Errorf("%+v: its ref is of another scope, or its health is not said", o)
		}
		back, err := resource.ParseObserved(o.AppendJSON(nil))
		if err != nil || !back.Equal(o) {
			r.t.Errorf("%s does not come back from the record: %v", o.Ref, err)
		}
	}
}

func oneKeyMakesOneResource(r *rig) {
	for _, s := range r.Samples {
		first := r.make(s)
		second := r.make(s)
		if first.ID != second.ID {
			r.t.Errorf("%s: one key made %s and %s", s.Want.Ref, first.ID, second.ID)
		}
		r.find(s.Want.Ref) // fails if it is there twice
	}
}

func updateCanBeRepeated(r *rig) {
	r.makeAll()
	for _, s := range r.Samples {
		if s.Then == nil {
			continue
		}
		desired := s.Want
		for _, a := range s.Then {
			desired.Attrs = desired.Attrs.With(a.Name, a.Value)
		}
		d := r.checked(desired)
		have, _ := r.find(d.Ref)
		changes := r.changes(d, have)
		if len(changes) == 0 {
			r.t.Errorf("%s: what the sample changes makes no difference", d.Ref)
		}
		if e := resource.Worst(changes); e == resource.Replace {
			r.t.Errorf("%s: the sample changes what can't be changed: %s", d.Ref, describe(changes))
			continue
		}
		for _, again := range []string{"once", "twice"} {
			answer := r.update(d, have, changes, "update-"+d.Ref.Name)
			o, _ := r.find(d.Ref)
			if o.ID != have.ID || answer.ID != have.ID {
				r.t.Errorf("%s: updated %s, it is now %s, and the answer speaks of %s", d.Ref, again, o.ID, answer.ID)
			}
			if c := r.changes(d, o); len(c) > 0 {
				r.t.Errorf("%s: updated %s, it still differs: %s", d.Ref, again, describe(c))
			}
		}
	}
}
