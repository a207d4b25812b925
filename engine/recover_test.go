package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
)

// TestARecoveryDoesNotForgetWhatWasCreatedMeanwhile: an observation recovers an open create, while
// another instance creates a disk that the observation is too old to list. The disk stays on record,
// so that an instance which helps with that record does not create it again.
func TestARecoveryDoesNotForgetWhatWasCreatedMeanwhile(t *testing.T) {
	b := newBench(t)
	other := b.another(0)
	t.Cleanup(other.stop)
	created := other.plan(wants(disk("d", 20)))
	b.cloud.Break(fake.Faults{After: func(_ context.Context, c fake.Call) error {
		if c.Verb != fake.Create {
			return nil
		}
		return &provider.Error{Cause: provider.UnknownResult, Op: "create", Err: errors.New("no answer")}
	}})
	_, _ = b.engine.Apply(t.Context(), b.plan(wants(disk("open", 20))), engine.ApplyOptions{Tries: 1})

	want := wants(disk("open", 20), disk("d", 20))
	meanwhile := false
	b.cloud.Break(fake.Faults{After: func(_ context.Context, c fake.Call) error {
		if c.Verb == fake.Observe && !meanwhile {
			meanwhile = true
			b.cloud.Break(fake.Faults{})
			if _, err := other.engine.Apply(t.Context(), created, engine.ApplyOptions{}); err != nil {
				t.Error(err)
			}
		}
		return nil
	}})
	p := b.plan(want)
	if !meanwhile || len(p.Recovered) != 1 {
		t.Fatalf("created meanwhile: %v; recovered %+v: the test shows nothing", meanwhile, p.Recovered)
	}
	if have, err := b.ledger.Resource(t.Context(), disk("d", 20).Ref, 0); err != nil || !have.Managed() {
		t.Errorf("on record: %+v, %v", have, err)
	}
	helps, err := other.engine.Plan(t.Context(), want, engine.PlanOptions{MaxAge: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*engine.Planned{p, helps} {
		if _, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{Tries: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if all := b.cloud.Resources(here); len(all) != 2 {
		t.Errorf("%d resources exist, want 2: %+v", len(all), all)
	}
	if got := b.events(event.TypeLost); len(got) != 0 {
		t.Errorf("taken for deleted: %v", got)
	}
	b.settled(want)
}
