package engine_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

// overTwo is a stack with a server of one provider whose environment has the address of a server of another
// one.
func overTwo() []resource.Intent {
	far := ref("server", "db")
	far.Provider = "other"
	in := wants(network("main"), server("web", "main"))
	web := &in[0].Resources[1]
	web.Attrs = web.Attrs.With("env", attrs("DB", resource.Text{resource.String("DB="), resource.Reference{Ref: far, Path: "address"}}))
	web.DependsOn = []resource.Ref{far}
	in[0].Resources = append(in[0].Resources, resource.Desired{Ref: far, Attrs: attrs("size", resource.String("small"), "running", resource.Bool(true), "root", attrs("size", resource.Int(8)))})
	in[0].Scopes = append(in[0].Scopes, far.Scope())
	sortByRef(in[0].Resources)
	return in
}

// TestASavedPlanOfTwoProviders has all that both need: what one gets from the other is known after
// apply, and there after one apply of the file.
func TestASavedPlanOfTwoProviders(t *testing.T) {
	b := newBench(t)
	other := fake.New("other")
	b.engine = engine.New(engine.Config{Providers: provider.Set{"fake": b.cloud, "other": other}, Ledger: b.ledger, Claims: b.claims})
	p := b.plan(overTwo())
	d, ok := decisionOn(p, ref("server", "web"))
	if known := slices.ContainsFunc(d.Changes, func(c resource.Change) bool { return c.Path == "env" && !c.KnownAfterApply }); !ok || known {
		t.Errorf("the address is known before the other server exists: %+v", d.Changes)
	}
	var file bytes.Buffer
	if err := p.Save(&file); err != nil {
		t.Fatal(err)
	}
	saved, err := engine.Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.engine.Apply(t.Context(), b.refresh(saved, overTwo()), engine.ApplyOptions{})
	if err != nil || r.Counts.Create != 3 || r.Counts.Failed != 0 {
		t.Fatalf("%+v, %v", r.Outcomes, err)
	}
	b.settled(overTwo())
	there := other.Resources(resource.Scope{Provider: "other", Location: "here"})
	if len(there) != 1 {
		t.Fatalf("the other provider has %+v", there)
	}
	web, _, _ := b.cloud.Find(ref("server", "web"))
	env, _ := web.Attrs.Get("env")
	at, _ := there[0].Attrs.Get("address")
	if v, _ := env.(resource.Attrs).Get("DB"); v != "DB="+at.(resource.String) {
		t.Errorf("applied %v, the address is %v", v, at)
	}
}
