package providertest

import "github.com/ovi-project/ovi/resource"

// statesFollowTheConfiguration: a resource of a kind with a state is created stopped if it is
// configured so, and an update starts and stops it; each may be repeated.
func statesFollowTheConfiguration(r *rig) {
	tried := false
	for _, s := range r.Samples {
		if r.kind(s.Desired.Ref.Kind).State == "" {
			r.create(s)
			continue
		}
		tried = true
		s.Desired.State = resource.StateStopped
		r.create(s)
		r.hasState(s.Desired, resource.Stopped)
		for _, state := range []resource.State{resource.StateRunning, resource.StateStopped} {
			s.Desired.State = state
			r.changeState(s.Desired)
		}
	}
	r.need(tried, "sample of a kind with a state")
}

// changeState changes only the state, twice.
func (r *rig) changeState(d resource.Desired) {
	r.t.Helper()
	d = r.checked(d)
	have, _ := r.find(d.Ref)
	change, differs := resource.DiffState(d.State, &have, false)
	if !differs {
		r.t.Errorf("%s is %s, and is configured as %s", d.Ref, have.Health, d.State)
		return
	}
	want := map[resource.State]resource.Health{
		resource.StateRunning: resource.Healthy,
		resource.StateStopped: resource.Stopped,
	}[d.State]
	for range 2 {
		if o := r.update(d, have, []resource.Change{change}, "state-"+string(d.State)); o.ID != have.ID {
			r.t.Errorf("%s: changing its state answers with %s, it is %s", d.Ref, o.ID, have.ID)
		}
		r.hasState(d, want)
	}
}

func (r *rig) hasState(d resource.Desired, want resource.Health) {
	r.t.Helper()
	o, ok := r.find(d.Ref)
	if !ok || o.Health != want {
		r.t.Errorf("%s is configured as %s, and is %q (%s)", d.Ref, d.State, o.Health, o.Message)
	}
	if c := r.changes(r.checked(d), o); ok && len(c) > 0 {
		r.t.Errorf("%s: its state was changed, and so was %s", d.Ref, describe(c))
	}
}
