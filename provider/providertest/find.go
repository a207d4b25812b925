package providertest

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

func (r *rig) observe() resource.Snapshot {
	return r.observeOf(provider.ObserveRequest{Scope: r.Scope})
}

func (r *rig) observeOf(q provider.ObserveRequest) resource.Snapshot {
	r.t.Helper()
	snap, err := r.Provider.Observe(r.context(), q)
	if err != nil {
		r.t.Fatalf("observe %s: %v", r.Scope, err)
	}
	return snap
}

// find returns the one resource that was created for a sample: by its marks where its kind
// carries any, else by its id.
func (r *rig) find(ref resource.Ref) (resource.Observed, bool) {
	r.t.Helper()
	var found []resource.Observed
	marked := r.kind(ref.Kind).Carrier != resource.NoMarks
	for _, o := range r.observe().Resources {
		if marked && o.Marks.Ref == ref || !marked && o.Ref.Kind == ref.Kind && o.ID == r.ids[ref] {
			found = append(found, o)
		}
	}
	if len(found) > 1 {
		r.t.Fatalf("%s exists %d times: %s", ref, len(found), idsOf(found))
	}
	if len(found) == 0 {
		return resource.Observed{}, false
	}
	return found[0], true
}

// byID returns the observation of an id.
func (r *rig) byID(kind, id string) (resource.Observed, bool) {
	r.t.Helper()
	return among(r.observe().Resources, kind, id)
}

func among(resources []resource.Observed, kind, id string) (resource.Observed, bool) {
	for _, o := range resources {
		if o.Ref.Kind == kind && o.ID == id {
			return o, true
		}
	}
	return resource.Observed{}, false
}

func idsOf(resources []resource.Observed) (ids []string) {
	for _, o := range resources {
		ids = append(ids, o.ID)
	}
	return ids
}

// changes returns the comparator's differences between a checked configuration and a resource.
func (r *rig) changes(d resource.Desired, o resource.Observed) []resource.Change {
	k := r.kind(d.Ref.Kind)
	out := resource.Diff(d.Attrs, o.Attrs, k, resource.DiffOptions{
		Resolve: func(ref resource.Reference) (resource.Value, bool) {
			id, ok := r.ids[ref.Ref]
			return resource.String(id), ok
		},
	})
	if !k.NoTags {
		out = append(out, resource.DiffTags(d.Tags, o.Tags, o.Tags, nil)...)
	}
	return out
}

// update brings a resource to a configuration as the engine would.
func (r *rig) update(d resource.Desired, have resource.Observed, changes []resource.Change,
	key string,
) resource.Observed {
	r.t.Helper()
	req := r.request(d, key)
	req.Desired.Attrs, _ = r.resolve(d.Attrs).(resource.Attrs)
	req.Have = have
	for _, c := range changes {
		c.To = r.resolve(c.To)
		req.Changes = append(req.Changes, c)
	}
	o, err := r.Provider.Update(r.context(), req)
	if err != nil {
		r.t.Fatalf("update %s by %s: %v", d.Ref, describe(changes), err)
	}
	r.ready()
	return o
}

// mark writes the marks as the engine would.
func (r *rig) mark(d resource.Desired, have resource.Observed) {
	r.t.Helper()
	marker, ok := r.Provider.(provider.Marker)
	if !ok {
		r.t.Fatalf("marks can be written on a %s at any time, and the provider is no Marker", d.Ref.Kind)
	}
	req := r.request(d, "mark-"+d.Ref.Name)
	req.Have, req.MarkKey = have, key(d.Ref)
	if _, err := marker.Mark(r.context(), req); err != nil {
		r.t.Fatalf("mark %s: %v", d.Ref, err)
	}
}

// markable are the samples whose marks can be written at any time.
func (r *rig) markable() (out []Sample) {
	for _, s := range r.Samples {
		if r.kind(s.Desired.Ref.Kind).Carrier == resource.Anytime {
			out = append(out, s)
		}
	}
	return out
}

// finder reports what a case finds to its caller only.
type finder struct {
	*testing.T
	found   []string
	skipped bool
}

func (f *finder) Error(args ...any) { f.found = append(f.found, fmt.Sprint(args...)) }

func (f *finder) Errorf(format string, args ...any) {
	f.found = append(f.found, fmt.Sprintf(format, args...))
}

func (f *finder) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	runtime.Goexit()
}

func (f *finder) Skip(...any) {
	f.skipped = true
	runtime.Goexit()
}
