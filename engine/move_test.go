package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

// TestAMovedResourceKeepsItsOrigin: however often it is moved, a delete names the record that created
// it, also after the store is rebuilt.
func TestAMovedResourceKeepsItsOrigin(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("one", 20)))
	created, err := b.ledger.Binding(t.Context(), ref("disk", "one"))
	if err != nil {
		t.Fatal(err)
	}
	for _, names := range [][2]string{{"one", "two"}, {"two", "three"}} {
		if err := b.engine.Move(t.Context(), ref("disk", names[0]), ref("disk", names[1]), ann); err != nil {
			t.Fatal(err)
		}
	}
	p := b.plan(wants())
	d, _ := decisionOn(p, ref("disk", "three"))
	if d.Origin == nil || d.Origin.Record != created.Seq || !d.Origin.At.Equal(created.At) {
		t.Errorf("the delete names %+v, want record %d", d.Origin, created.Seq)
	}
	b.replays()
}

// TestNamesAreCheckedBeforeAMove: by the rule of the kind, and for what has the name already.
func TestNamesAreCheckedBeforeAMove(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("a", 20), disk("b", 20)))
	for name, c := range map[string]struct {
		to   resource.Ref
		want string
	}{
		"a name the kind does not allow": {ref("disk", "a/b"), "invalid name"},
		"no name":                        {ref("disk", ""), "the name is empty"},
		"a name that is taken":           {ref("disk", "b"), "is recorded under the new name"},
		"another kind":                   {ref("network", "a"), "the kind and the location cannot change"},
	} {
		if err := b.engine.Move(t.Context(), ref("disk", "a"), c.to, ann); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := b.events(event.TypeMoved); len(got) != 0 {
		t.Errorf("records: %v", got)
	}
}

// TestAMoveNeedsTheClaimsOfBothNames: while a run creates what has the new name, nothing is moved
// there.
func TestAMoveNeedsTheClaimsOfBothNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.apply(wants(disk("a", 20)))
		moved := make(chan error, 1)
		b.cloud.Break(fake.Faults{Before: func(_ context.Context, c fake.Call) error {
			if c.Verb == fake.Create {
				go func() { moved <- b.engine.Move(t.Context(), ref("disk", "a"), ref("disk", "b"), ann) }()
				time.Sleep(time.Second)
			}
			return nil
		}})
		b.apply(wants(disk("a", 20), disk("b", 20)))
		var claimed *coordinator.ClaimedError
		if err := <-moved; !errors.As(err, &claimed) && !strings.Contains(err.Error(), "is recorded under the new name") {
			t.Errorf("moved: %v", err)
		}
		b.settled(wants(disk("a", 20), disk("b", 20)))
	})
}

// TestExchangedNames: the resources keep their IDs, and the history of a name says when another
// resource got it.
func TestExchangedNames(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("a", 20), disk("b", 30)))
	first, err := b.ledger.Binding(t.Context(), ref("disk", "a"))
	if err != nil {
		t.Fatal(err)
	}
	for _, names := range [][2]string{{"a", "x"}, {"b", "a"}, {"x", "b"}} {
		if err := b.engine.Move(t.Context(), ref("disk", names[0]), ref("disk", names[1]), ann); err != nil {
			t.Fatal(err)
		}
	}
	b.settled(wants(disk("a", 30), disk("b", 20)))
	if now, err := b.ledger.Binding(t.Context(), ref("disk", "b")); err != nil || now.ID != first.ID {
		t.Errorf("b is %s, want %s: %v", now.ID, first.ID, err)
	}
	moments, err := history.New(b.ledger.Reader()).History(t.Context(), ref("disk", "x"))
	if err != nil {
		t.Fatal(err)
	}
	moves := 0
	for _, m := range moments {
		for _, r := range m.Records {
			if _, ok := r.Event.(event.Moved); ok {
				moves++
			}
		}
	}
	if moves != 2 {
		t.Errorf("the history of x has %d moves", moves)
	}
	b.replays()
}

// exchanged applies two disks, exchanges their names, and returns their former IDs.
func exchanged(t *testing.T, b *bench) (idA, idB string) {
	t.Helper()
	b.apply(wants(disk("a", 20), disk("b", 30)))
	for name, id := range map[string]*string{"a": &idA, "b": &idB} {
		bound, err := b.ledger.Binding(t.Context(), ref("disk", name))
		if err != nil {
			t.Fatal(err)
		}
		*id = bound.ID
	}
	if err := b.engine.Bless(t.Context(), ref("disk", "a"), ann); err != nil {
		t.Fatal(err)
	}
	if err := b.engine.Exchange(t.Context(), ref("disk", "a"), ref("disk", "b"), ann); err != nil {
		t.Fatal(err)
	}
	return idA, idB
}

// TestTwoResourcesExchangeTheirNames asserts one event that moves all facts of both, and that neither the unedited nor
// the edited configuration deletes, creates or changes anything.
func TestTwoResourcesExchangeTheirNames(t *testing.T) {
	b := newBench(t)
	idA, idB := exchanged(t, b)
	if got := b.events(event.TypeMoved); len(got) != 1 {
		t.Errorf("events: %v", got)
	}
	for range 2 {
		res := b.apply(wants(disk("a", 20), disk("b", 30)))
		if len(res.Outcomes) != 0 || res.Counts.Conflict != 2 {
			t.Errorf("the unedited configuration: %+v %+v", res.Outcomes, res.Counts)
		}
	}
	b.settled(wants(disk("a", 30), disk("b", 20)))
	for name, id := range map[string]string{"a": idB, "b": idA} {
		now, err := b.ledger.Binding(t.Context(), ref("disk", name))
		if err != nil || now.ID != id {
			t.Errorf("disk/%s is %s, want %s: %v", name, now.ID, id, err)
		}
		if _, err := b.ledger.Proof(t.Context(), ref("disk", name), id); err != nil {
			t.Error(err)
		}
		if o, err := b.ledger.Resource(t.Context(), ref("disk", name), 0); err != nil || o.ID != id {
			t.Errorf("disk/%s is recorded as %s: %v", name, o.ID, err)
		}
	}
	if all, err := b.ledger.Blessings(t.Context()); err != nil || len(all) != 1 || all[0].Ref != ref("disk", "b") {
		t.Errorf("blessed: %+v %v", all, err)
	}
	b.replays()

	// What is edited further is an ordinary update; exchanged back, the first configuration is right again.
	if res := b.apply(wants(disk("a", 35), disk("b", 20))); res.Counts.Update != 1 || res.Counts.Conflict != 0 {
		t.Errorf("edited: %+v", res.Counts)
	}
	if err := b.engine.Exchange(t.Context(), ref("disk", "b"), ref("disk", "a"), ann); err != nil {
		t.Fatal(err)
	}
	b.settled(wants(disk("a", 20), disk("b", 35)))
	b.replays()
}

// TestAnExchangeNeedsTwoBoundResources that nothing is done to.
func TestAnExchangeNeedsTwoBoundResources(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("a", 20), network("n")))
	for _, other := range []resource.Ref{ref("disk", "none"), ref("network", "n"), ref("disk", "a")} {
		if err := b.engine.Exchange(t.Context(), ref("disk", "a"), other, ann); err == nil {
			t.Errorf("exchanged with %s", other)
		}
	}
	if got := b.events(event.TypeMoved); len(got) != 0 {
		t.Errorf("records: %v", got)
	}
}

// TestAForgottenResourceIsNotManagedAtOnce, before anything is observed again; and only what exists
// can be dismissed.
func TestAForgottenResourceIsNotManagedAtOnce(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("d", 20), disk("e", 20)))
	other, _, _ := b.cloud.Find(ref("disk", "e"))
	for id, want := range map[string]string{"i-123": "does not exist", other.ID: "is disk/e of stack"} {
		if _, err := b.engine.Forget(t.Context(), ref("disk", "d"), id, ann); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("forget %s: %v", id, err)
		}
	}
	if got := b.events(event.TypeDismissed, event.TypeDisowned); len(got) != 0 {
		t.Errorf("records: %v", got)
	}
	if _, err := b.engine.Forget(t.Context(), ref("disk", "d"), "", ann); err != nil {
		t.Fatal(err)
	}
	o, err := b.ledger.Resource(t.Context(), ref("disk", "d"), 0)
	if err != nil || o.Managed() || o.Ownership != resource.Former {
		t.Errorf("recorded as %s: %v", o.Ownership, err)
	}
	b.replays()
	if _, err := b.engine.Adopt(t.Context(), wants(disk("d", 20)), engine.Adoption{OperatorAction: ann, Ref: ref("disk", "d"), ID: o.ID}); err != nil {
		t.Fatal(err)
	}
	b.settled(wants(disk("d", 20), disk("e", 20)))
	if _, err := b.ledger.Binding(t.Context(), ref("disk", "none")); !errors.Is(err, ledger.ErrNotFound) {
		t.Error(err)
	}
}
