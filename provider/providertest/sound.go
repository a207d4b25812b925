package providertest

import (
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/resource"
)

func kindsAreSound(r *rig) {
	seen := map[string]bool{}
	for _, k := range r.Provider.Kinds() {
		if seen[k.Name] {
			r.t.Errorf("duplicate kind %s", k.Name)
		}
		seen[k.Name] = true
		if k.Provider != r.Scope.Provider {
			r.t.Errorf("kind %s names the provider %q", k.Name, k.Provider)
		}
		if strings.TrimSpace(k.Doc) == "" {
			r.t.Errorf("kind %s is not documented", k.Name)
		}
		if _, err := resource.NewChecker(k); err != nil {
			r.t.Error(err)
		}
		attributesAreSound(r, k.Name, k.Attrs)
		sampled := func(s Sample) bool { return s.Desired.Ref.Kind == k.Name }
		if !slices.ContainsFunc(r.Samples, sampled) && !slices.Contains(r.Elsewhere, k.Name) {
			r.t.Errorf("no sample of kind %s", k.Name)
		}
	}
}

func attributesAreSound(r *rig, path string, attrs []resource.Attribute) {
	seen := map[string]bool{}
	for _, a := range attrs {
		p := path + "." + a.Name
		if seen[a.Name] || a.Name == "" {
			r.t.Errorf("%s is a duplicate or has no name", p)
		}
		seen[a.Name] = true
		if strings.TrimSpace(a.Doc) == "" {
			r.t.Errorf("%s is not documented", p)
		}
		if (a.Type == resource.TList || a.Type == resource.TSet) && a.Elem == nil {
			r.t.Errorf("%s is a list without Elem", p)
		}
		if a.Required && a.Default != nil {
			r.t.Errorf("%s is required and has a default", p)
		}
		attributesAreSound(r, p, a.Fields)
	}
}

// namesAreReferences: an attribute with the name of a kind refers to a resource of that kind.
func namesAreReferences(r *rig) {
	for _, k := range r.Provider.Kinds() {
		r.names(k.Name, k.Attrs)
	}
}

func (r *rig) names(path string, attrs []resource.Attribute) {
	for i := range attrs {
		a := &attrs[i]
		p, end := path+"."+a.Name, a
		for end.Elem != nil {
			end = end.Elem
		}
		kind := r.kindCalled(a.Name)
		if kind != "" && end.Type == resource.TString && !a.Computed && end.RefKind == "" && r.Plain[p] == "" {
			r.t.Errorf("%s is called as the kind %s and is no reference to it, and the harness has no reason for that", p, kind)
		}
		if end.Parent != "" && !slices.ContainsFunc(r.kind(end.RefKind).Attrs, func(x resource.Attribute) bool {
			return x.Name == end.Parent && x.Effect == resource.Replace
		}) {
			r.t.Errorf("%s names the parent %s: kind %s has no such attribute that cannot change", p, end.Parent,
				end.RefKind)
		}
		r.names(p, end.Fields)
	}
}

// kindCalled returns the kind that an attribute is called as: subnet, subnets, peer_subnet.
func (r *rig) kindCalled(attr string) string {
	for _, k := range r.Provider.Kinds() {
		if one := strings.TrimSuffix(attr, "s"); one == k.Name || attr == k.Name || strings.HasSuffix(one, "_"+k.Name) {
			return k.Name
		}
	}
	return ""
}

func aSnapshotIsInOrder(r *rig) {
	before := time.Now()
	r.createAll()
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
	if snap.Complete != nil && !slices.IsSorted(snap.Complete) {
		r.t.Errorf("the complete kinds are not sorted: %v", snap.Complete)
	}
	r.validNames(snap)
	for _, o := range snap.Resources {
		if o.Ref.Scope() != r.Scope || o.Health == "" || o.ID == "" {
			r.t.Errorf("%+v: its ref is of another scope, or its health or id is empty", o)
		}
		back, err := resource.ParseObserved(o.AppendJSON(nil))
		if err != nil || !back.Equal(o) {
			r.t.Errorf("%s does not come back from the record: %v", o.Ref, err)
		}
	}
}

// aSnapshotBelongsToItsReader: the caller binds it in place, which the next observation must not
// show.
func aSnapshotBelongsToItsReader(r *rig) {
	r.createAll()
	first := r.observe()
	was := slices.Clone(first.Resources)
	clear(first.Resources)
	now := r.observe().Resources
	for i := range min(len(was), len(now)) {
		if now[i].ID != was[i].ID || !now[i].Equal(was[i]) {
			r.t.Errorf("%s %s is another after the caller changed the snapshot: %s %s", was[i].Ref, was[i].ID, now[i].Ref,
				now[i].ID)
		}
	}
	if len(now) != len(was) {
		r.t.Errorf("%d resources, and %d after the caller changed the snapshot", len(was), len(now))
	}
}

// providersReportEvidenceOnly: whose a resource is follows from the record, of which a
// provider knows nothing.
func providersReportEvidenceOnly(r *rig) {
	all := r.createAll()
	for _, o := range append(all, r.observe().Resources...) {
		if o.Ownership != "" || o.Ref.Stack != "" || o.Natural != "" || o.Role != "" || o.Adopted {
			r.t.Errorf("%s: the provider concludes ownership %q, stack %q, name %q, role %q", o.Ref, o.Ownership, o.Ref.Stack,
				o.Natural, o.Role)
		}
	}
}

// keepsSecrets looks for the plain text of the configuration's secrets in what is recorded of
// a resource.
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
