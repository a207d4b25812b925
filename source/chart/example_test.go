package chart_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart"
)

// TestTheExampleIsRead: two of each, a pod and four containers, of which each depends on what it
// needs.
func TestTheExampleIsRead(t *testing.T) {
	intents, err := source.Load(context.Background(), chart.New([]string{"../../examples/shop"}, options(nil)))
	if err != nil {
		t.Fatal(err)
	}
	counts, needs := map[string]int{}, map[string][]string{}
	for _, d := range intents[0].Resources {
		counts[d.Ref.Kind]++
		for _, r := range d.DependsOn {
			if r.Kind == d.Ref.Kind || r.Kind == "pod" {
				needs[d.Ref.Name] = append(needs[d.Ref.Name], r.Name)
			}
		}
	}
	if diff := cmp.Diff(map[string]int{"network": 2, "volume": 2, "secret": 2, "pod": 1, "container": 4},
		counts); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string][]string{"api": {"db"}, "web": {"api"}, "worker": {"db", "jobs"}}, needs); diff != "" {
		t.Error(diff)
	}
}
