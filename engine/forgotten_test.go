package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

// TestLaw10_ProofBeforeDestruction_ForgottenSinceThePlan: what an operator forgot between plan and
// apply is neither deleted nor set aside, and the message says what to do.
func TestLaw10_ProofBeforeDestruction_ForgottenSinceThePlan(t *testing.T) {
	for name, c := range map[string]struct {
		s    resource.Strategy
		in   []resource.Intent
		want []string
	}{
		"a delete":        {resource.Swap, []resource.Intent{{Stack: stack, Scopes: []resource.Scope{dockScope}}}, nil},
		"a destroy-first": {resource.DestroyFirst, boxed("box", "web:2", resource.DestroyFirst), nil},
		"a swap":          {resource.Swap, boxed("box", "web:2", resource.Swap), nil},
		"a start-first":   {resource.StartFirst, boxed("box", "web:2", resource.StartFirst), nil},
		"a create-first":  {resource.CreateFirst, boxed("pod", "web:2", resource.CreateFirst), nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				y := started(t, c.s, fate{})
				kind := kindFor(c.s)
				y.open(&crasher{})
				defer y.stop()
				p := y.plan(c.in)
				if _, err := y.engine.Forget(t.Context(), dockRef(kind, "web"), "", ann); err != nil {
					t.Fatal(err)
				}
				before := y.left(kind)
				r, err := y.engine.Apply(t.Context(), p, engine.ApplyOptions{})
				if err != nil {
					t.Fatal(err)
				}
				var o engine.Outcome
				for _, x := range r.Outcomes {
					if x.Ref == dockRef(kind, "web") {
						o = x
					}
				}
				next := "run `ovi plan`, or `ovi adopt " + kind + "/web --id " + before[0].ID + "` if it is yours"
				if o.Status != engine.Stale || !strings.Contains(o.Detail, "not proven any more") || !strings.Contains(o.Detail, next) {
					t.Errorf("%s: %s", o.Status, o.Detail)
				}
				if d := cmp.Diff(before, y.left(kind)); d != "" {
					t.Errorf("changed (-before +after):\n%s", d)
				}
				if got := y.told(dockRef(kind, "web")); got[len(got)-1] != "not started: stale" {
					t.Errorf("records: %v", got)
				}
			})
		})
	}
}

// TestAForgottenResourceIsNotDeletedAtTheEndOfItsReplacement: it was forgotten after the new one was
// created.
func TestAForgottenResourceIsNotDeletedAtTheEndOfItsReplacement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := started(t, resource.CreateFirst, fate{})
		y.open(&crasher{})
		defer y.stop()
		p := y.plan(boxed("pod", "web:2", resource.CreateFirst))
		y.boxes.Fault = func(verb string) error {
			if verb != "update" {
				return nil
			}
			y.boxes.Fault = nil
			_, err := y.engine.Forget(t.Context(), dockRef("pod", "web"), "", ann)
			return err
		}
		r, err := y.engine.Apply(t.Context(), p, engine.ApplyOptions{Parallelism: 1})
		if err != nil || r.Counts.Failed != 1 || y.images("pod") != "web:1 web:2" {
			t.Errorf("%+v, %v, left are %s", r.Outcomes, err, y.images("pod"))
		}
		y.apply(boxed("pod", "web:2", resource.CreateFirst)) // the end of the replacement
		y.settled(boxed("pod", "web:2", resource.CreateFirst))
	})
}

// TestForgetNeedsTheClaim: a run that is about to delete a resource has its claim, and what it has
// proven stays true until it ends.
func TestForgetNeedsTheClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.apply(wants(disk("d", 20)))
		forgotten := make(chan error, 1)
		b.cloud.Break(fake.Faults{Before: func(_ context.Context, c fake.Call) error {
			if c.Verb == fake.Delete {
				go func() {
					_, err := b.engine.Forget(t.Context(), ref("disk", "d"), "", ann)
					forgotten <- err
				}()
				time.Sleep(time.Second)
			}
			return nil
		}})
		b.apply(wants())
		var claimed *coordinator.ClaimedError
		if err := <-forgotten; !errors.As(err, &claimed) {
			t.Errorf("forgotten: %v", err)
		}
		if got := b.events(event.TypeDisowned); len(got) != 0 {
			t.Errorf("records: %v", got)
		}
	})
}
