package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
)

// listing calls functions around the first listing of the claims.
type listing struct {
	engine.Claims
	before, after func()
}

// List implements engine.Claims.
func (l *listing) List(ctx context.Context) ([]engine.Claim, error) {
	before, after := l.before, l.after
	l.before, l.after = nil, nil
	if before != nil {
		before()
	}
	claims, err := l.Claims.List(ctx)
	if after != nil {
		after()
	}
	return claims, err
}

// paused is an apply whose create of a disk waits in the provider.
type paused struct {
	b        *bench
	release  chan struct{}
	finished chan struct{}
}

// startPaused starts an apply, and returns when its create was called.
func startPaused(b *bench, name string) *paused {
	b.t.Helper()
	p := &paused{b: b, release: make(chan struct{}), finished: make(chan struct{})}
	called := make(chan struct{})
	b.cloud.Break(fake.Faults{Before: func(_ context.Context, c fake.Call) error {
		if c.Verb == fake.Create && c.Ref.Name == name {
			close(called)
			<-p.release
		}
		return nil
	}})
	planned := b.plan(wants(disk(name, 20), disk("open", 20)))
	go func() {
		defer close(p.finished)
		if _, err := b.engine.Apply(b.t.Context(), planned, engine.ApplyOptions{}); err != nil {
			b.t.Error(err)
		}
	}()
	<-called
	return p
}

// end lets the create finish, and waits for the apply.
func (p *paused) end() {
	close(p.release)
	<-p.finished
	p.b.cloud.Break(fake.Faults{})
}

// TestActionsOfOtherRunsAreNotTakenAsEnded: whatever another run does between the reads of the
// claims and of the open actions, a plan neither recovers an action in progress nor blocks on one
// that has finished.
func TestActionsOfOtherRunsAreNotTakenAsEnded(t *testing.T) {
	for name, c := range map[string]struct {
		first, before, after func(start, end func())
	}{
		"it starts before the claims are listed":   {before: func(start, _ func()) { start() }},
		"it starts after the claims are listed":    {after: func(start, _ func()) { start() }},
		"it finishes before the claims are listed": {first: func(start, _ func()) { start() }, before: func(_, end func()) { end() }},
		"it finishes after the claims are listed":  {first: func(start, _ func()) { start() }, after: func(_, end func()) { end() }},
		"it starts and finishes in between":        {before: func(start, end func()) { start(); end() }},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			other := b.another(0)
			t.Cleanup(other.stop)
			var running *paused
			start := func() { running = startPaused(b, "a") }
			end := func() { running.end(); running = nil }
			run := func(do func(start, end func())) func() {
				return func() {
					if do != nil {
						do(start, end)
					}
				}
			}
			b.cloud.Break(fake.Faults{After: func(_ context.Context, c fake.Call) error {
				if c.Verb != fake.Create {
					return nil
				}
				return &provider.Error{Cause: provider.UnknownResult, Op: "create", Err: errors.New("no answer")}
			}})
			_, _ = b.engine.Apply(t.Context(), b.plan(wants(disk("open", 20))), engine.ApplyOptions{Tries: 1}) // otherwise there is nothing to list the claims for
			b.cloud.Break(fake.Faults{})
			run(c.first)()
			claims := &listing{Claims: other.claims, before: run(c.before), after: run(c.after)}
			e := engine.New(engine.Config{Providers: provider.Set{"fake": b.cloud}, Ledger: other.ledger, Claims: claims})
			want := wants(disk("a", 20), disk("open", 20))
			p, err := e.Plan(t.Context(), want, engine.PlanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if claims.before != nil {
				t.Fatal("the plan did not list the claims")
			}
			for _, r := range p.Recovered {
				if r.Ref.Name == "a" {
					t.Errorf("recovered %+v", r)
				}
			}
			if o, open := p.OpenActions()[ref("disk", "a")]; open {
				t.Errorf("without a result: %+v", o)
			}
			if running != nil {
				running.end()
			}
			other.settled(want)
		})
	}
}
