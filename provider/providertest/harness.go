package providertest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Harness is one provider on a world of its own that is empty.
type Harness struct {
	Provider provider.Provider
	Scope    resource.Scope
	// Samples are wishes, at least one for each kind, in an order in which they can be made.
	Samples []Sample
	// Stranger puts a thing into the scope that carries no mark of ovi, and gives its id.
	// Nil: the test that needs it is skipped, and says so.
	Stranger func(t *testing.T) (id string)
	// FailPage makes a later page of what Observe lists fail, until mend is called. Nil: the
	// test that needs it is skipped, and says so.
	FailPage func(t *testing.T) (mend func())
	// Timeout bounds each call; 0 is 30 s.
	Timeout time.Duration
}

// Sample is a wish as a source would give it, before Check; References in it name other
// samples.
type Sample struct {
	Want resource.Desired
	// Then are attributes that can be changed on what exists, with their new values; nil:
	// nothing of the kind can be.
	Then resource.Attrs
}

const (
	stack = "providertest"
	owner = "ovi"
)

// rig is a harness in use: it makes samples and remembers their ids.
type rig struct {
	Harness
	t   *testing.T
	ids map[resource.Ref]string
}

func newRig(t *testing.T, open func(*testing.T) Harness) *rig {
	t.Helper()
	h := open(t)
	if h.Timeout == 0 {
		h.Timeout = 30 * time.Second
	}
	return &rig{Harness: h, t: t, ids: map[resource.Ref]string{}}
}

func (r *rig) context() context.Context {
	ctx, cancel := context.WithTimeout(r.t.Context(), r.Timeout)
	r.t.Cleanup(cancel)
	return ctx
}

func (r *rig) kind(name string) resource.Kind {
	r.t.Helper()
	for _, k := range r.Provider.Kinds() {
		if k.Name == name {
			return k
		}
	}
	r.t.Fatalf("the provider has no kind %s", name)
	return resource.Kind{}
}

// checked is a wish in the form the comparator sees.
func (r *rig) checked(d resource.Desired) resource.Desired {
	r.t.Helper()
	attrs, problems := resource.Check(r.kind(d.Ref.Kind), d.Attrs)
	if len(problems) > 0 {
		r.t.Fatalf("the sample %s is not a wish: %v", d.Ref, problems)
	}
	d.Attrs = attrs
	return d
}

// settled is a wish in the form a provider sees when it makes the thing: ids for references,
// and what is used only at creation filled in.
func (r *rig) settled(d resource.Desired) resource.Desired {
	r.t.Helper()
	attrs := r.kind(d.Ref.Kind).ForCreate(d.Attrs)
	d.Attrs, _ = r.settle(attrs).(resource.Attrs)
	return d
}

func (r *rig) settle(v resource.Value) resource.Value {
	r.t.Helper()
	return resource.MapRefs(v, func(ref resource.Reference) resource.Value {
		id, ok := r.ids[ref.Ref]
		if !ok {
			r.t.Fatalf("a sample refers to %s, which is no earlier sample", ref.Ref)
		}
		return resource.String(id)
	})
}

func (r *rig) request(d resource.Desired, key string) provider.Request {
	return provider.Request{Key: key, Token: 1, Stack: stack, Owner: owner, Desired: d}
}

// make makes one sample and gives what the provider answered.
func (r *rig) make(s Sample) resource.Observed {
	r.t.Helper()
	d := r.checked(s.Want)
	o, err := r.Provider.Create(r.context(), r.request(r.settled(d), key(d.Ref)))
	if err != nil {
		r.t.Fatalf("create %s: %v", d.Ref, err)
	}
	r.ids[d.Ref] = o.ID
	return o
}

// makeAll makes all samples, in their order.
func (r *rig) makeAll() []resource.Observed {
	r.t.Helper()
	out := make([]resource.Observed, 0, len(r.Samples))
	for _, s := range r.Samples {
		out = append(out, r.make(s))
	}
	return out
}

func key(ref resource.Ref) string { return "key-" + ref.Kind + "-" + ref.Name }

func (r *rig) observe() resource.Snapshot {
	r.t.Helper()
	snap, err := r.Provider.Observe(r.context(), provider.ObserveRequest{Scope: r.Scope})
	if err != nil {
		r.t.Fatalf("observe %s: %v", r.Scope, err)
	}
	return snap
}

// find gives the one thing that carries a ref and ovi's marks.
func (r *rig) find(ref resource.Ref) (resource.Observed, bool) {
	r.t.Helper()
	var found []resource.Observed
	for _, o := range r.observe().Resources {
		if o.Marks.Ref == ref {
			found = append(found, o)
		}
	}
	if len(found) > 1 {
		r.t.Fatalf("%s is there %d times: %s", ref, len(found), idsOf(found))
	}
	if len(found) == 0 {
		return resource.Observed{}, false
	}
	return found[0], true
}

func idsOf(resources []resource.Observed) (ids []string) {
	for _, o := range resources {
		ids = append(ids, o.ID)
	}
	return ids
}

// changes is what the comparator would say differs between a checked wish and a thing.
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

// update brings a thing to a wish as the engine would.
func (r *rig) update(d resource.Desired, have resource.Observed, changes []resource.Change, key string) resource.Observed {
	r.t.Helper()
	req := r.request(d, key)
	req.Desired.Attrs, _ = r.settle(d.Attrs).(resource.Attrs)
	req.Have = have
	for _, c := range changes {
		c.To = r.settle(c.To)
		req.Changes = append(req.Changes, c)
	}
	o, err := r.Provider.Update(r.context(), req)
	if err != nil {
		r.t.Fatalf("update %s by %s: %v", d.Ref, describe(changes), err)
	}
	return o
}

// mark writes ovi's marks as the engine would.
func (r *rig) mark(d resource.Desired, have resource.Observed) {
	r.t.Helper()
	marker, ok := r.Provider.(provider.Marker)
	if !ok {
		r.t.Skip("the provider cannot write marks on what exists")
	}
	req := r.request(d, key(d.Ref))
	req.Have, req.MarkKey = have, key(d.Ref)
	if _, err := marker.Mark(r.context(), req); err != nil {
		r.t.Fatalf("mark %s: %v", d.Ref, err)
	}
}

func describe(changes []resource.Change) string {
	s := ""
	for i, c := range changes {
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprintf("%s: %s → %s", c.Path, resource.AppendJSON(nil, c.From), resource.AppendJSON(nil, c.To))
	}
	return s
}
