package reconcile

import (
	"testing"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
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
	here := resource.Scope{Provider: "aws", Location: "000000000000/us-east-1"}
	obs := func(objects ...resource.Observed) {
		w := resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{here: {Scope: here, Resources: objects}}}
		if _, err := l.RecordObservation(t.Context(), w, ledger.ObservationOptions{Since: -1}); err != nil {
			t.Fatal(err)
		}
	}
	keeping := func(exclude string) *runner {
		return &runner{
			Call:  &command.Call{Context: t.Context()},
			given: runOptions{targets: command.Targets{Excluded: []string{exclude}}},
		}
	}
	right, wrong := keeping("ec2/old"), keeping("ec2/odl")
	obs(resource.Observed{Ref: resource.Ref{Stack: "web", Provider: "aws", Location: here.Location, Kind: "ec2", Name: "old"}, ID: "i-1"})
	if err := right.namesSomething(&session.Session{Ledger: l}); err != nil {
		t.Fatal(err)
	}
	obs()
	if err := right.namesSomething(&session.Session{Ledger: l}); err != nil {
		t.Errorf("the record was opened again, and the thing is gone: %v", err)
	}
	if err := wrong.namesSomething(&session.Session{Ledger: l}); err == nil {
		t.Error("a name of nothing passes")
	}
}
