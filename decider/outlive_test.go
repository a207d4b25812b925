package decider_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// TestWhatOutlivesIsDeletedAfter: a disk depends on its server, and a server that ends detaches its
// disks; a network of the server is deleted after it, as ever.
func TestWhatOutlivesIsDeletedAfter(t *testing.T) {
	t.Parallel()
	ref := func(kind, name string) resource.Ref {
		return resource.Ref{Stack: "shop", Provider: "fake", Location: "here", Kind: kind, Name: name}
	}
	disk, server, network := ref("disk", "data"), ref("server", "web"), ref("network", "main")
	depends := map[resource.Ref][]resource.Ref{disk: {server}, server: {network}}
	for name, c := range map[string]struct {
		outlives []string
		want     []string
	}{
		"a disk as any other":  {nil, []string{"data", "web", "main"}},
		"a disk that outlives": {[]string{"server"}, []string{"web", "data main"}},
	} {
		var found comparator.Result
		for _, r := range []resource.Ref{disk, network, server} {
			found.Differences = append(found.Differences, comparator.Difference{
				Type: comparator.Unwanted, Ref: r, Observed: &resource.Observed{Ref: r, ID: r.Name, Ownership: resource.Proven},
			})
		}
		p, err := decider.Decide(found, func(_, kind string) (resource.Kind, bool) {
			k := resource.Kind{Name: kind}
			if kind == "disk" {
				k.Outlives = c.outlives
			}
			return k, true
		}, decider.Facts{LastDependsOn: func(r resource.Ref) []resource.Ref { return depends[r] }})
		if err != nil {
			t.Fatal(err)
		}
		var rounds []string
		round := map[int]int{}
		for i, s := range decider.Steps(p) {
			for _, a := range s.After {
				round[i] = max(round[i], round[a]+1)
			}
			n := p.Decisions[s.Decision].Ref.Name
			if round[i] == len(rounds) {
				rounds = append(rounds, n)
			} else {
				rounds[round[i]] += " " + n
			}
		}
		if d := cmp.Diff(c.want, rounds); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}
