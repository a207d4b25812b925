package decider_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

func named(name string) resource.Ref {
	return resource.Ref{Stack: "web", Provider: "aws", Location: "us-east-1", Kind: "ec2", Name: name}
}

// Members of a count are listed as users count, whatever the order in which they arrive.
func TestNaturalOrder(t *testing.T) {
	want := []resource.Ref{
		named("web"), named("web-"), named("web-0"), named("web-01"), named("web-1"), named("web-1-9"),
		named("web-1-10"), named("web-2"), named("web-10"), named("web-100000000000000000000000"), named("web-a2"),
		named("web-a10"),
	}
	got := slices.Clone(want)
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		r.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		slices.SortFunc(got, decider.CompareNatural)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	}
}

// A plan lists the members of a count in natural order, creates and deletes alike.
func TestAPlanIsInNaturalOrder(t *testing.T) {
	for _, s := range []scene{
		sceneOf([]resource.Desired{desired("a/disk/d-10", ""), desired("a/disk/d-9", ""), desired("a/disk/d-2", "")}),
		sceneOf(nil, ours("a/disk/d-10", "x", ""), ours("a/disk/d-2", "y", ""), ours("a/disk/d-9", "z", "")),
	} {
		var got []string
		for _, d := range s.plan(t, decider.Facts{}).Decisions {
			got = append(got, d.Ref.Name)
		}
		if d := cmp.Diff([]string{"d-2", "d-9", "d-10"}, got); d != "" {
			t.Error(d)
		}
	}
}

// The order is total: it contradicts itself for no three names, and two different names are never equal.
func TestNaturalOrderIsTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-b0-2-]{0,5}`)
		a, b, c := named(name.Draw(t, "a")), named(name.Draw(t, "b")), named(name.Draw(t, "c"))
		if ab, ba := decider.CompareNatural(a, b), decider.CompareNatural(b, a); ab != -ba || (ab == 0) != (a == b) {
			t.Fatal(fmt.Sprint(a, b, ab, ba))
		}
		if decider.CompareNatural(a, b) < 0 && decider.CompareNatural(b, c) < 0 && decider.CompareNatural(a, c) >= 0 {
			t.Fatal(a, b, c)
		}
	})
}
