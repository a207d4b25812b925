package engine_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// records is a provider of a system that keeps no marks, and knows its resources by what they are: a DNS
// record has a name of its own, which is not that of the configuration.
type records struct {
	mu  sync.Mutex
	all map[string]resource.Observed // by ID
}

func (*records) Kinds() []resource.Kind {
	return []resource.Kind{{
		Provider: "records", Name: "record", Doc: "A record.", NoTags: true, Carrier: resource.NoMarks, ByAttrs: true,
		Attrs: []resource.Attribute{
			{Name: "domain", Type: resource.TString, Required: true, Effect: resource.Replace, Doc: "Its name.", Example: "www"},
			{Name: "value", Type: resource.TString, Required: true, Doc: "Its value.", Example: "1"},
		},
	}}
}

func (p *records) Observe(_ context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := resource.Snapshot{Scope: r.Scope, At: time.Now()}
	for _, o := range p.all {
		out.Resources = append(out.Resources, o)
	}
	return out, nil
}

func (p *records) Create(_ context.Context, r provider.Request) (resource.Observed, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v, _ := r.Desired.Attrs.Get("domain")
	id := "id-" + string(v.(resource.String))
	if _, there := p.all[id]; there {
		return resource.Observed{}, &provider.Error{Cause: provider.InUse, Op: "create", Err: context.DeadlineExceeded}
	}
	o := resource.Observed{Ref: r.Desired.Ref.Bare(), ID: id, Attrs: r.Desired.Attrs, Health: resource.Healthy}
	o.Ref.Name = id
	p.all[id] = o
	return o, nil
}

func (*records) Update(context.Context, provider.Request) (resource.Observed, error) {
	return resource.Observed{}, provider.ErrReplace
}

func (p *records) Delete(_ context.Context, r provider.Request) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, r.Have.ID)
	return nil
}

// TestWhatHasNoMarksIsRecognizedByItsAttributes: a process ends after a resource without marks was created,
// before that was recorded. Another one finds it, owns it, and creates no second one; a record with another
// value is not taken for it.
func TestWhatHasNoMarksIsRecognizedByItsAttributes(t *testing.T) {
	for _, changed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) { recognizes(t, changed) })
	}
}

func recognizes(t *testing.T, changed bool) {
	p := &records{all: map[string]resource.Observed{}}
	y := newYard(t, provider.Set{"records": p})
	ref := resource.Ref{Stack: stack, Provider: "records", Location: "here", Kind: "record", Name: "web"}
	in := []resource.Intent{{Stack: stack, Scopes: []resource.Scope{ref.Scope()}, Resources: []resource.Desired{
		{Ref: ref, Attrs: attrs("domain", resource.String("www"), "value", resource.String("1"))},
	}}}
	y.crashAt("after call", in)
	if len(p.all) != 1 {
		t.Fatalf("%d exist: the test shows nothing", len(p.all))
	}
	if changed {
		o := p.all["id-www"]
		o.Attrs = attrs("domain", resource.String("www"), "value", resource.String("2"))
		p.all["id-www"] = o
	}
	_, _ = y.engine.Apply(t.Context(), y.plan(in), engine.ApplyOptions{Tries: 1})
	have, err := y.ledger.Resource(t.Context(), ref, 0)
	if owned := err == nil && have.Managed() && have.ID == "id-www"; owned == changed {
		t.Errorf("changed %v: owned %v, %v", changed, owned, err)
	}
	y.stop()
}
