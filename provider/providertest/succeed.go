package providertest

import (
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// whatIsReplacedIsNoObstacle: the check of a replacement does not refuse it because of the resource that it replaces.
// While both resources of a create-first replacement exist, the observation has both, each under a valid name.
func whatIsReplacedIsNoObstacle(r *rig) {
	for _, s := range r.Samples {
		r.create(s)
		old, ok := r.find(s.Desired.Ref)
		if !ok {
			r.t.Fatalf("%s was created and is not observed", s.Desired.Ref)
		}
		d := r.resolved(r.checked(s.Desired))
		for i, strategy := range r.kind(d.Ref.Kind).Strategies(d, old) {
			q := r.request(d, "succeed-"+string(strategy)+"-"+key(d.Ref))
			q.Desired.Replace, q.Replaces = strategy, &old
			r.checkSuccessor(q)
			if i == 0 && strategy == resource.CreateFirst {
				r.createSuccessor(q)
			}
		}
	}
}

// checkSuccessor accepts a refusal for another reason than that the things of the old resource are in use.
func (r *rig) checkSuccessor(q provider.Request) {
	r.t.Helper()
	c, ok := r.Provider.(provider.Checker)
	if !ok {
		return
	}
	q.Have = *q.Replaces
	if err := c.Check(r.context(), q); provider.CauseOf(err) == provider.InUse {
		r.t.Errorf("the check refuses to replace %s %s, because of the old one: %v", q.Desired.Ref,
			q.Desired.Replace, err)
	}
}

func (r *rig) createSuccessor(q provider.Request) {
	r.t.Helper()
	old := *q.Replaces
	q.Replaces = nil
	made, err := r.Provider.Create(r.context(), q)
	if err != nil || made.ID == old.ID {
		r.t.Errorf("%s has the successor %s: %v", old.Ref, made.ID, err)
		return
	}
	r.ready()
	snap := r.observe()
	r.validNames(snap)
	for _, id := range []string{old.ID, made.ID} {
		if _, there := among(snap.Resources, old.Ref.Kind, id); !there {
			r.t.Errorf("%s is replaced create-first by %s, and %s is not observed", old.ID, made.ID, id)
		}
	}
	if err := r.delete(made); err != nil {
		r.t.Errorf("delete %s: %v", made.ID, err)
	}
}

// validNames: a ref with a slash in its name cannot be read back, so that the observer rejects the whole scope.
func (r *rig) validNames(snap resource.Snapshot) {
	r.t.Helper()
	for _, o := range snap.Resources {
		if o.Ref.Name == "" || strings.Contains(o.Ref.Name, "/") {
			r.t.Errorf("%s %s has the name %q, which is empty or has a slash", o.Ref.Kind, o.ID, o.Ref.Name)
		}
		if back, err := resource.ParseRef(o.Ref.String()); err != nil || back != o.Ref {
			r.t.Errorf("the ref of %s %s reads back as %s: %v", o.Ref.Kind, o.ID, back, err)
		}
	}
}
