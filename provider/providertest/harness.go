package providertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Harness is one provider on a system of its own. A hook that is nil cannot be done on that
// system: the cases that need it are skipped with that reason.
type Harness struct {
	Provider provider.Provider
	Scope    resource.Scope
	// Samples are configurations, at least one for each kind of the scope, in an order in which
	// they can be created. The suite sets their stack.
	Samples []Sample
	// Elsewhere are the kinds that do not exist in this scope.
	Elsewhere []string
	// Plain has the attributes that are called as a kind and are no names of its resources, such as
	// "cluster.subnet", and why.
	Plain map[string]string
	// Timeout bounds each call; 0 is 30 s.
	Timeout time.Duration

	// Unmanaged creates a resource without marks, outside ovi, and returns its id.
	Unmanaged func(t *testing.T) (id string)
	// FailKind makes the list of a kind fail, if only a page of it, until restore is called. An
	// empty kind in the answer says that this kind cannot be made to fail.
	FailKind func(t *testing.T, kind string) (restore func())
	// Lag makes lists omit what is created from now on, until restore is called.
	Lag func(t *testing.T) (restore func())
	// Strip removes the marks of a resource, outside ovi.
	Strip func(t *testing.T, o resource.Observed)
	// Recreate deletes a resource and creates one with the same name, and the same id where
	// the system allows that, by hand.
	Recreate func(t *testing.T, o resource.Observed)
	// Ready lets so much time pass, or so much happen, that what is Pending is healthy. Nil:
	// nothing stays Pending.
	Ready func(t *testing.T)
}

// Sample is a configuration as a source would give it, before Check; References in it name
// other samples.
type Sample struct {
	Desired resource.Desired
	// Then are attributes that can be changed on an existing resource, with their new values; nil: nothing
	// of the kind can be.
	Then resource.Attrs
	// Rivals are other configurations, of any kind and with all references to earlier samples, that the suite tries
	// to create next to this one: each either clashes by declaration and is refused, or is neither.
	Rivals []resource.Desired
}

const (
	stack = "providertest"
	owner = "ovi"
)

// tb is the part of a *testing.T that cases use.
type tb interface {
	Helper()
	Context() context.Context
	Cleanup(func())
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Skip(args ...any)
}

// rig is a harness in use: it creates samples and remembers their ids.
type rig struct {
	Harness
	t    tb         // where what a case finds is reported
	test *testing.T // of the hooks
	ids  map[resource.Ref]string
}

func newRig(t tb, test *testing.T, open func(*testing.T) Harness) *rig {
	t.Helper()
	h := open(test)
	if h.Timeout == 0 {
		h.Timeout = 30 * time.Second
	}
	h.Samples = slices.Clone(h.Samples)
	for i := range h.Samples {
		d := &h.Samples[i].Desired
		d.Ref = d.Ref.In(stack)
		d.Attrs, h.Samples[i].Then = inStack(d.Attrs), inStack(h.Samples[i].Then)
		h.Samples[i].Rivals = slices.Clone(h.Samples[i].Rivals)
		for k := range h.Samples[i].Rivals {
			x := &h.Samples[i].Rivals[k]
			x.Ref, x.Attrs = x.Ref.In(stack), inStack(x.Attrs)
		}
	}
	return &rig{Harness: h, t: t, test: test, ids: map[resource.Ref]string{}}
}

// inStack makes references to samples references to resources of the stack.
func inStack(a resource.Attrs) resource.Attrs {
	out, _ := resource.MapRefs(a, func(r resource.Reference) resource.Value {
		return resource.Reference{Ref: r.Ref.In(stack), Path: r.Path}
	}).(resource.Attrs)
	return out
}

func (r *rig) context() context.Context {
	ctx, cancel := context.WithTimeout(r.t.Context(), r.Timeout)
	r.t.Cleanup(cancel)
	return ctx
}

// need skips a case whose hook the harness lacks.
func (r *rig) need(has bool, hook string) {
	r.t.Helper()
	if !has {
		r.t.Skip("the harness has no " + hook)
	}
}

func (r *rig) ready() {
	if r.Ready != nil {
		r.Ready(r.test)
	}
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

// checked is a configuration in the form the comparator gets.
func (r *rig) checked(d resource.Desired) resource.Desired {
	r.t.Helper()
	attrs, problems := resource.Check(r.kind(d.Ref.Kind), d.Attrs)
	if len(problems) > 0 {
		r.t.Fatalf("the sample %s is invalid: %v", d.Ref, problems)
	}
	d.Attrs = attrs
	return d
}

// resolved is a configuration in the form a provider gets when it creates: ids for references,
// and the defaults that are set only at creation.
func (r *rig) resolved(d resource.Desired) resource.Desired {
	r.t.Helper()
	attrs := r.kind(d.Ref.Kind).ForCreate(d.Attrs)
	d.Attrs, _ = r.resolve(attrs).(resource.Attrs)
	return d
}

func (r *rig) resolve(v resource.Value) resource.Value {
	r.t.Helper()
	return resource.MapRefs(v, func(ref resource.Reference) resource.Value {
		id, ok := r.ids[ref.Ref]
		if !ok {
			r.t.Fatalf("a sample refers to %s, which is not an earlier sample", ref.Ref)
		}
		return resource.String(id)
	})
}

func (r *rig) request(d resource.Desired, key string) provider.Request {
	return provider.Request{Key: key, Token: 1, Owner: owner, Desired: d}
}

// create creates one sample and returns what the provider answered.
func (r *rig) create(s Sample) resource.Observed {
	r.t.Helper()
	d := r.checked(s.Desired)
	o, err := r.Provider.Create(r.context(), r.request(r.resolved(d), key(d.Ref)))
	if err != nil {
		r.t.Fatalf("create %s: %v", d.Ref, err)
	}
	if o.Health == resource.Pending && !r.kind(d.Ref.Kind).Async {
		r.t.Errorf("create %s returns while it is pending, and its kind is not Async", d.Ref)
	}
	r.ids[d.Ref] = o.ID
	r.ready()
	return o
}

// createAll creates all samples, in their order.
func (r *rig) createAll() []resource.Observed {
	r.t.Helper()
	out := make([]resource.Observed, 0, len(r.Samples))
	for _, s := range r.Samples {
		out = append(out, r.create(s))
	}
	return out
}

// delete deletes a resource; one whose delete is accepted is gone once the harness is ready.
func (r *rig) delete(o resource.Observed) error {
	err := r.Provider.Delete(r.context(), provider.Request{Key: "delete-" + o.ID, Token: 1, Owner: owner, Have: o})
	if errors.Is(err, provider.ErrAccepted) && r.kind(o.Ref.Kind).Async {
		r.ready()
		return nil
	}
	return err
}

func key(ref resource.Ref) string { return "key-" + ref.Kind + "-" + ref.Name }

func describe(changes []resource.Change) string {
	s := ""
	for i, c := range changes {
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprintf("%s: %s -> %s", c.Path, resource.AppendJSON(nil, c.From), resource.AppendJSON(nil, c.To))
	}
	return s
}
