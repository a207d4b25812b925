package main

import (
	"flag"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage/mem"
)

// TestAnExcludedThingMayGo: the loop goes on when its record is opened again and what
// --exclude named is gone; what never named anything is refused each time.
func TestAnExcludedThingMayGo(t *testing.T) {
	t.Parallel()
	l, err := ledger.Open(t.Context(), ledger.Config{Dir: t.TempDir(), Store: mem.New(), User: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	here := resource.Scope{Provider: "aws", Place: "000000000000/us-east-1"}
	look := func(objects ...resource.Observed) {
		w := resource.World{Seen: map[resource.Scope]resource.Snapshot{here: {Scope: here, Objects: objects}}}
		if _, err := l.RecordWorld(t.Context(), w, ledger.LookOptions{Since: -1}); err != nil {
			t.Fatal(err)
		}
	}
	keeping := func(exclude string) *keeper {
		set := flag.NewFlagSet("run", flag.ContinueOnError)
		set.Var(cli.NewStringSlice(), "target", "")
		set.Var(cli.NewStringSlice(exclude), "exclude", "")
		k := &keeper{call: &call{Context: t.Context(), cli: cli.NewContext(nil, set, nil)}}
		k.options.Plan.Excludes = []string{exclude}
		return k
	}
	right, wrong := keeping("ec2/old"), keeping("ec2/odl")
	look(resource.Observed{Ref: resource.Ref{Provider: "aws", Place: here.Place, Kind: "ec2", Name: "old"}, ID: "i-1"})
	if err := right.namesSomething(&line{ledger: l}); err != nil {
		t.Fatal(err)
	}
	look()
	if err := right.namesSomething(&line{ledger: l}); err != nil {
		t.Errorf("the record was opened again, and the thing is gone: %v", err)
	}
	if err := wrong.namesSomething(&line{ledger: l}); err == nil {
		t.Error("a name of nothing passes")
	}
}
