package engine_test

import (
	"fmt"
	"testing"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/local"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

// full is an engine over n resources that match their configuration, with a store in a file.
func full(t testing.TB, n int) (*engine.Engine, []resource.Intent, *ledger.Ledger) {
	t.Helper()
	l, err := local.Open(t.Context(), ledger.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	cloud := fake.New("fake")
	cloud.Fill("here", stack, n)
	claims := coordinator.New(l.Claims(), coordinator.Identity{Instance: l.Instance(), Run: l.Run()})
	t.Cleanup(func() {
		_ = claims.Close(t.Context())
		_ = l.Close()
	})
	in := resource.Intent{Stack: stack, Scopes: []resource.Scope{here}, Resources: make([]resource.Desired, n)}
	for i := range n {
		in.Resources[i] = fake.Desired(stack, "fake", "here", i)
	}
	return engine.New(engine.Config{Providers: provider.Set{"fake": cloud}, Ledger: l, Claims: claims}), []resource.Intent{in}, l
}

func BenchmarkPlanUnchanged(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e, in, _ := full(b, n)
			p, err := e.Plan(b.Context(), in, engine.PlanOptions{})
			if err != nil || !p.Plan.Empty() {
				b.Fatalf("%v: %v", brief(p), err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Plan(b.Context(), in, engine.PlanOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFirstPlan(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				e, in, _ := full(b, n)
				b.StartTimer()
				if _, err := e.Plan(b.Context(), in, engine.PlanOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPlanAllMissing(b *testing.B) {
	const n = 100_000
	e, in, _ := full(b, 0)
	in[0].Resources = make([]resource.Desired, n)
	for i := range n {
		in[0].Resources[i] = fake.Desired(stack, "fake", "here", i)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Plan(b.Context(), in, engine.PlanOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
