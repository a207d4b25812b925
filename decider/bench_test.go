package decider_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// crowd makes n servers on one network; the size of every hundredth differs. Each has ten
// attributes, one of them a reference, and six tags. Values and tags share no memory.
func crowd(n int) scene {
	net := parse("a/network/main")
	w := configured{{Ref: net}}
	resources := []resource.Observed{{Ref: net, ID: "n-1", Ownership: resource.Proven, Marks: resource.Marks{Ref: net}}}
	for i := range n - 1 {
		ref := parse(fmt.Sprintf("a/server/web-%07d", i))
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
		w = append(w, resource.Desired{Ref: ref, Attrs: at(resource.Reference{Ref: net}, "small"), Tags: tags(), DependsOn: []resource.Ref{net}})
		resources = append(resources, resource.Observed{Ref: ref, ID: fmt.Sprintf("i-%d", i), Ownership: resource.Proven, Marks: resource.Marks{Ref: ref}, Attrs: at(resource.String("n-1"), size), Tags: tags()})
	}
	return sceneOf(w, resources...)
}

// BenchmarkCompareAndDecide is the pure part of a plan in which 1 % of the resources differ. The
// goal is 100,000 in 60 ms on one core (-cpu 1), with allocations that grow with the differences.
func BenchmarkCompareAndDecide(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := crowd(n)
			in := comparator.Input{Intents: s.intents, Live: s.liveState, Kinds: kinds}
			policies := []decider.Policy{decider.Blessed{}, decider.SkipDestructive{}, decider.MaxDestroy{}, decider.BackOff{}, decider.Unreachable{}}
			runtime.GC()
			b.ReportAllocs()
			start := cpuTime()
			defer func() {
				b.ReportMetric(float64((cpuTime()-start).Microseconds())/1000/float64(b.N), "cpu-ms/op")
			}()
			for b.Loop() {
				r, err := comparator.Compare(in)
				if err != nil {
					b.Fatal(err)
				}
				p, err := decider.Decide(r, kinds, decider.Facts{}, policies...)
				if err != nil || len(p.Decisions) != (n+98)/100 {
					b.Fatalf("%d decisions, %v", len(p.Decisions), err)
				}
			}
		})
	}
}

// BenchmarkDecideEverythingNew makes a plan that creates every resource.
func BenchmarkDecideEverythingNew(b *testing.B) {
	s := crowd(10_000)
	s.liveState = sceneOf(nil).liveState
	r := s.compare(b)
	b.ReportAllocs()
	for b.Loop() {
		if p, err := decider.Decide(r, kinds, decider.Facts{}, decider.Blessed{}); err != nil || len(decider.Steps(p)) != 10_000 {
			b.Fatal(err)
		}
	}
}
