package comparator_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

// manyServers makes n configured resources with their observed ones; of every hundredth the size
// differs. Each has ten attributes, one of them a reference, and six tags. Values and tags share
// no memory; names of attributes do, because they are the schema's.
func manyServers(n int) comparator.Input {
	scope := resource.Scope{Provider: "fake", Location: "here"}
	net := resource.Ref{Stack: "web", Provider: "fake", Location: "here", Kind: "network", Name: "main"}
	var configured []resource.Desired
	var resources []resource.Observed
	configured = append(configured, resource.Desired{Ref: net})
	resources = append(resources, resource.Observed{Ref: net, ID: "net-1", Ownership: resource.Proven, Marks: resource.Marks{Ref: net}})
	for i := range n - 1 {
		r := resource.Ref{Stack: "web", Provider: "fake", Location: "here", Kind: "server", Name: fmt.Sprintf("web-%07d", i)}
		at := func(network resource.Value, size string) resource.Attrs {
			out := resource.Attrs{{Name: "network", Value: network}, {Name: "size", Value: resource.String(size)}}
			for k, name := range [...]string{"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"} {
				out = append(out, resource.Attr{Name: name, Value: resource.String(fmt.Sprintf("value %d of %d", k, i))})
			}
			return out
		}
		tags := func() (out resource.Tags) {
			for k := range 6 {
				out = append(out, resource.Tag{Key: fmt.Sprintf("tag%d", k), Value: fmt.Sprintf("%d-%d", k, i)})
			}
			return out
		}
		size := "small"
		if i%100 == 0 {
			size = "large"
		}
		configured = append(configured, resource.Desired{Ref: r, Attrs: at(resource.Reference{Ref: net}, "small"), Tags: tags(), DependsOn: []resource.Ref{net}})
		resources = append(resources, resource.Observed{Ref: r, ID: fmt.Sprintf("i-%d", i), Ownership: resource.Proven, Marks: resource.Marks{Ref: r}, Attrs: at(resource.String("net-1"), size), Tags: tags()})
	}
	return comparator.Input{
		Intents: []resource.Intent{{Stack: "web", Resources: configured}},
		Live:    resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{scope: {Scope: scope, Resources: resources}}},
		Kinds:   kindLookup,
	}
}

func BenchmarkCompare(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			in := manyServers(n)
			runtime.GC()
			b.ReportAllocs()
			for b.Loop() {
				res, err := comparator.Compare(in)
				if err != nil || len(res.Differences) != (n+98)/100 {
					b.Fatalf("%d differences, %v", len(res.Differences), err)
				}
			}
		})
	}
}

// BenchmarkBind binds n resources, all of them proven: of a provider whose natural names are the
// recorded names, and of one whose natural names are IDs, in another order.
func BenchmarkBind(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		for natural, name := range map[string]func(i int) string{
			"names": func(i int) string { return fmt.Sprintf("web-%07d", i) },
			"ids":   func(i int) string { return fmt.Sprintf("i-%08x", uint32(i)*2654435761) },
		} {
			b.Run(fmt.Sprintf("%d/%s", n, natural), func(b *testing.B) {
				s, bindings := manyBound(n, name)
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					fresh := s
					fresh.Resources = slices.Clone(s.Resources)
					b.StartTimer()
					comparator.Bind(fresh, comparator.Evidence{Bindings: bindings, Owner: "ovi", Kinds: bindKinds})
					if !fresh.Resources[0].Managed() || !fresh.Resources[n-1].Managed() {
						b.Fatal("not bound")
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/resource")
			})
		}
	}
}

// manyBound makes n resources with their bindings, both sorted by ref.
func manyBound(n int, natural func(i int) string) (resource.Snapshot, []resource.Binding) {
	var s resource.Snapshot
	s.Scope = here
	bindings := make([]resource.Binding, n)
	for i := range n {
		id := fmt.Sprintf("i-%08x", uint32(i)*2654435761)
		r := named("server", fmt.Sprintf("web-%07d", i)).In("web")
		o := resource.Observed{Ref: named("server", natural(i)), ID: id, Marks: resource.Marks{Ref: r, Owner: "ovi", Key: "k"}}
		s.Resources = append(s.Resources, o)
		bindings[i] = resource.Binding{Ref: r, ID: id, Key: "k", Generation: 1, Seq: uint64(i)}
	}
	slices.SortFunc(s.Resources, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
	return s, bindings
}

// The allocations grow with the number of differences, not of resources.
func TestUnchangedResourcesCostNoAllocations(t *testing.T) {
	in := manyServers(3)
	big := manyServers(3_000)
	for _, x := range []*comparator.Input{&in, &big} {
		resources := x.Live.Scopes[resource.Scope{Provider: "fake", Location: "here"}].Resources
		for i := range resources {
			if _, ok := resources[i].Attrs.Get("size"); ok {
				resources[i].Attrs = resources[i].Attrs.With("size", resource.String("small"))
			}
		}
	}
	count := func(in comparator.Input) float64 {
		return testing.AllocsPerRun(10, func() {
			if res, err := comparator.Compare(in); err != nil || len(res.Differences) > 0 {
				t.Fatalf("%v, %v", res, err)
			}
		})
	}
	if small, large := count(in), count(big); large > small {
		t.Errorf("%v allocations for 3 resources, %v for 3,000", small, large)
	}
}
