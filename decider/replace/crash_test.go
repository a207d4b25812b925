package replace_test

import (
	"errors"
	"testing"

	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/resource"
)

var strategies = []resource.Strategy{resource.DestroyFirst, resource.CreateFirst, resource.Swap, resource.StartFirst}

// finish applies until the replacement ends; each apply after the first follows a crash.
func (w *world) finish(t *testing.T) {
	t.Helper()
	for range len(w.crashes) + 1 {
		err := w.apply()
		if err == nil {
			return
		}
		if !errors.Is(err, errCrash) {
			t.Errorf("%s, %s, crashes at %v: %v", w.strategy, w.outcome, w.crashes, err)
			return
		}
	}
}

// judge says what must be true at the end.
func (w *world) judge(t *testing.T) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s, %s, crashes at %v: "+format, append([]any{w.strategy, w.outcome, w.crashes}, args...)...)
	}
	for _, b := range w.broken {
		fail("%s", b)
	}
	old, made := w.find("old"), w.created()
	if w.made > 1 {
		fail("%d created", w.made)
	}
	switch back := w.strategy.KeepsOld(); {
	case w.outcome == good || w.outcome == stopped:
		if w.ended != replace.Done || old != nil || made == nil || made.runs != (w.outcome == good) || made.name != "web" {
			fail("%s with old %+v, new %+v; want the new one alone", w.ended, old, made)
		}
	case back:
		if w.ended != replace.Reverted || made != nil || old == nil || !old.runs || old.name != "web" {
			fail("%s with old %+v, new %+v; want the old one alone, back", w.ended, old, made)
		}
	default:
		if w.ended != replace.GiveUp || old != nil || (made == nil) != (w.outcome == refused) {
			fail("%s with old %+v, new %+v; want what was created, and an open replacement", w.ended, old, made)
		}
	}
}

// TestEveryPairOfCrashesConverges crashes at every point of the first apply, then at every
// point of the apply after it, and lets the third end what is left.
func TestEveryPairOfCrashesConverges(t *testing.T) {
	t.Parallel()
	runs := 0
	for _, s := range strategies {
		for _, o := range []outcome{good, stopped, unhealthy, hangs, refused} {
			last := 0
			for first := 1; first == 1 || first <= last; first++ {
				for second := first; second == first || second <= last; second++ {
					w := newWorld(s, o, first, second)
					w.finish(t)
					w.judge(t)
					if last, runs = max(last, w.points), runs+1; t.Failed() {
						return
					}
				}
			}
		}
	}
	if runs < 4000 {
		t.Errorf("only %d runs: the model has lost points to crash at", runs)
	}
}

// TestARefusedCreateIsDoneOnceItIsAllowed: a destroy-first replacement has nothing to go back
// to, so it stays open and the next apply creates.
func TestARefusedCreateIsDoneOnceItIsAllowed(t *testing.T) {
	t.Parallel()
	w := newWorld(resource.DestroyFirst, refused)
	w.finish(t)
	w.outcome = good
	w.finish(t)
	w.judge(t)
}
