package providertest

import (
	"slices"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// aCheckWritesNothing, and accepts what can then be created.
func aCheckWritesNothing(r *rig) {
	checker, ok := r.Provider.(provider.Checker)
	if !ok {
		r.t.Skip("the provider is no Checker")
	}
	for _, s := range r.Samples {
		d := r.checked(s.Desired)
		before := r.observe().Resources
		if err := checker.Check(r.context(), r.request(r.resolved(d), "check-"+d.Ref.Name)); err != nil {
			r.t.Errorf("%s can be created, and its check says: %v", d.Ref, err)
		}
		r.same("checked", before)
		o := r.create(s)
		req := r.request(r.resolved(d), "check-again-"+d.Ref.Name)
		req.Have = o
		before = r.observe().Resources
		_ = checker.Check(r.context(), req) // that it exists may be an objection
		r.same("checked while "+o.ID+" exists", before)
	}
}

func (r *rig) same(when string, before []resource.Observed) {
	r.t.Helper()
	after := r.observe().Resources
	if !slices.EqualFunc(before, after, func(a, b resource.Observed) bool { return a.Equal(b) }) {
		r.t.Errorf("%s, %s became %s, or changed", when, idsOf(before), idsOf(after))
	}
}

// swappable returns the samples that can be set aside, and the provider that does it.
func (r *rig) swappable() ([]Sample, provider.Swapper) {
	r.t.Helper()
	swapper, ok := r.Provider.(provider.Swapper)
	if !ok {
		r.t.Skip("the provider is no Swapper")
	}
	var out []Sample
	for _, s := range r.Samples {
		if slices.ContainsFunc(r.kind(s.Desired.Ref.Kind).Strategies(r.checked(s.Desired), resource.Observed{}),
			resource.Strategy.SetsAside) {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		r.t.Errorf("the provider is a Swapper, and no kind can be swapped")
	}
	return out, swapper
}

// createNeeds creates the samples that one refers to, if they are not created yet.
func (r *rig) createNeeds(s Sample) {
	r.t.Helper()
	for _, ref := range s.Desired.Refs() {
		for _, other := range r.Samples {
			if _, created := r.ids[ref]; other.Desired.Ref == ref && !created {
				r.createNeeds(other)
				r.create(other)
			}
		}
	}
}

// aside sets a resource aside, twice, and creates its successor, which does not run.
func (r *rig) aside(s Sample, swapper provider.Swapper, old resource.Observed) (after, created resource.Observed,
	req provider.Request,
) {
	r.t.Helper()
	req = r.request(r.resolved(r.checked(s.Desired)), "swap-"+s.Desired.Ref.Name)
	set := req
	set.Have = old
	for range 2 {
		var err error
		if after, err = swapper.SetAside(r.context(), set); err != nil {
			r.t.Fatalf("set %s aside: %v", old.ID, err)
		}
	}
	if now, ok := r.byID(old.Ref.Kind, old.ID); !ok || now.Health != resource.Healthy || now.Ref == old.Ref {
		r.t.Errorf("%s %s, set aside, is %+v; want it running, with another name", old.Ref, old.ID, now)
	}
	req.Beside = &after
	created, err := r.Provider.Create(r.context(), req)
	if err != nil {
		r.t.Fatalf("create the successor of %s: %v", old.ID, err)
	}
	r.ready()
	if now, ok := r.byID(old.Ref.Kind, created.ID); !ok || created.ID == old.ID || now.Health != resource.Stopped ||
		now.Ref != old.Ref {
		r.t.Errorf("the successor of %s is %+v; want it stopped, with the name %s", old.ID, now, old.Ref)
	}
	return after, created, req
}

// switchOver stops the old resource and starts the new one, twice.
func (r *rig) switchOver(swapper provider.Swapper, req provider.Request, created resource.Observed) {
	r.t.Helper()
	req.Have = created
	for range 2 {
		if _, err := swapper.Switch(r.context(), req); err != nil {
			r.t.Fatalf("switch to %s: %v", created.ID, err)
		}
	}
	r.ready()
	r.is(created.Ref.Kind, created.ID, resource.Healthy)
	r.is(created.Ref.Kind, req.Beside.ID, resource.Stopped)
}

func (r *rig) is(kind, id string, want resource.Health) {
	r.t.Helper()
	if o, ok := r.byID(kind, id); !ok || o.Health != want {
		r.t.Errorf("%s is %+v, want it %s", id, o, want)
	}
}

func aSwapCanBeRepeated(r *rig) {
	samples, swapper := r.swappable()
	for _, s := range samples {
		r.createNeeds(s)
		old := r.create(s)
		after, created, req := r.aside(s, swapper, old)
		r.switchOver(swapper, req, created)
		if err := r.delete(after); err != nil {
			r.t.Errorf("delete %s: %v", old.ID, err)
		}
		r.is(created.Ref.Kind, created.ID, resource.Healthy)
		if o, ok := r.find(s.Desired.Ref); !ok || o.ID != created.ID || o.Ref != old.Ref {
			r.t.Errorf("after the swap %s is %+v", s.Desired.Ref, o)
		}
	}
}

// aSwapGoesBack, before the switch and after it.
func aSwapGoesBack(r *rig) {
	samples, swapper := r.swappable()
	for _, s := range samples {
		r.createNeeds(s)
		for _, switched := range []bool{false, true} {
			old := r.create(s)
			after, created, req := r.aside(s, swapper, old)
			if switched {
				r.switchOver(swapper, req, created)
			}
			if err := r.delete(created); err != nil {
				r.t.Errorf("delete %s: %v", created.ID, err)
			}
			back := r.request(req.Desired, "back-"+s.Desired.Ref.Name)
			back.Have = after
			for range 2 {
				if _, err := swapper.Restore(r.context(), back); err != nil {
					r.t.Fatalf("restore %s: %v", old.ID, err)
				}
			}
			r.ready()
			if o, ok := r.find(s.Desired.Ref); !ok || o.ID != old.ID || o.Ref != old.Ref || o.Health != resource.Healthy {
				r.t.Errorf("restored, %s is %+v; want %s running, under its name", s.Desired.Ref, o, old.ID)
			}
			if err := r.delete(old); err != nil {
				r.t.Errorf("delete %s: %v", old.ID, err)
			}
		}
	}
}
