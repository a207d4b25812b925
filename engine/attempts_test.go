package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/toys/box"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

var (
	errNever = &provider.Error{Cause: provider.Configuration, Op: "toy", Err: errors.New("no such size")}
	errLater = &provider.Error{Cause: provider.Unreachable, Op: "toy", Err: errors.New("busy")}
)

// stubborn is a box provider that answers each attempt of a configuration as the test sets.
type stubborn struct {
	*box.Provider
	mu     sync.Mutex // for a test whose loop runs
	answer error      // nil: the call is made
	calls  int
	tried  map[string]int // attempts by configuration that did not end in a transient error
}

func (s *stubborn) try(r provider.Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	size, _ := r.Desired.Attrs.Get("size")
	if !provider.Passes(s.answer) {
		s.tried[fmt.Sprint(size)]++
	}
	return s.answer
}

// answers sets the answer from now on.
func (s *stubborn) answers(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = err
}

// count returns the calls so far, and those of one size that did not end in a transient error.
func (s *stubborn) count(size string) (calls, tried int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls, s.tried[size]
}

func (s *stubborn) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	if err := s.try(r); err != nil {
		return resource.Observed{}, err
	}
	return s.Provider.Create(ctx, r)
}

func (s *stubborn) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	if err := s.try(r); err != nil {
		return resource.Observed{}, err
	}
	return s.Provider.Update(ctx, r)
}

func newStubborn(t *testing.T) (*yard, *stubborn) {
	s := &stubborn{Provider: box.New(), tried: map[string]int{}, answer: errNever}
	return newYard(t, provider.Set{"box": s}), s
}

func (y *yard) applyOnce(in []resource.Intent) {
	y.t.Helper()
	if _, err := y.engine.Apply(y.t.Context(), y.plan(in), engine.ApplyOptions{Tries: 1}); err != nil {
		y.t.Fatal(err)
	}
}

// TestTheAttemptsOfAConfigurationAreLimited: when they are used up, that is recorded once, and blocks
// the configuration in every process, until an operator allows more or it changes.
func TestTheAttemptsOfAConfigurationAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, s := newStubborn(t)
		bad, other := boxOf("web:1", 1, ""), boxOf("web:1", 2, "")
		for range 12 {
			y.applyOnce(bad)
		}
		y.stop()
		y.open(&crasher{})
		for range 3 {
			y.applyOnce(bad)
		}
		d, _ := decisionOn(y.plan(bad), webBox)
		if len(d.Blockers) != 1 || d.Blockers[0].Policy != "attempts" || d.Blockers[0].Reason != "8 attempts of "+bad[0].Resources[0].Digest()[:6]+" failed; last error: toy: no such size" {
			t.Errorf("blocked by %+v", d.Blockers)
		}
		if diff := cmp.Diff([]string{"exhausted box/web"}, y.events(event.TypeExhausted)); s.tried["1"] != 8 || diff != "" {
			t.Errorf("%d attempts, want 8; recorded (-want +got):\n%s", s.tried["1"], diff)
		}
		other[0].Rules.Attempts = rules.Attempts{Count: 3}
		for range 5 {
			y.applyOnce(other)
		}
		y.applyOnce(bad) // another one in between does not reset the count
		if s.tried["2"] != 3 || s.tried["1"] != 8 {
			t.Errorf("attempts: %v, want 3 of the other configuration", s.tried)
		}
		if err := y.engine.Retry(t.Context(), webBox, engine.OperatorAction{Who: "ann"}); err != nil {
			t.Error(err)
		}
		y.applyOnce(bad)
		if s.tried["1"] != 9 {
			t.Errorf("%d attempts after the operator allowed more, want 9", s.tried["1"])
		}
		s.answers(nil)
		y.apply(bad)
		y.settled(bad)
		tries, err := y.ledger.Attempts(t.Context())
		if err != nil || tries[webBox].Of(bad[0].Resources[0].Digest()).Used() != 0 {
			t.Errorf("after it succeeded: %+v, %v", tries, err)
		}
		y.replays()
		y.stop()
	})
}

// TestARunThatIsEndedBlocksNothing: 20 runs in a row that are killed in the middle of an action leave it to the
// next one. What ends every run is stopped in the end, as what fails.
func TestARunThatIsEndedBlocksNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, s := newStubborn(t)
		box := boxOf("web:1", 1, "")
		s.answers(nil)
		blocked := func() bool {
			d, _ := decisionOn(y.plan(box), webBox)
			return len(d.Blockers) > 0
		}
		killed := func(times int) {
			for range times {
				y.crashAt("before call", box)
			}
		}
		killed(20)
		if blocked() {
			t.Fatal("after 20 runs that were killed it is blocked")
		}
		s.answers(errNever)
		y.applyOnce(box)
		killed(7)
		if blocked() {
			t.Error("after 27 runs that were killed and one failure it is blocked")
		}
		killed(1)
		d, _ := decisionOn(y.plan(box), webBox)
		if len(d.Blockers) != 1 || d.Blockers[0].Reason != "29 attempts of "+box[0].Resources[0].Digest()[:6]+" failed; last error: the run ended before it recorded a result" {
			t.Errorf("blocked by %+v", d.Blockers)
		}
		y.crashAt("before call", box) // it is blocked: nothing starts
		s.answers(nil)
		if err := y.engine.Retry(t.Context(), webBox, engine.OperatorAction{Who: "ann"}); err != nil {
			t.Error(err)
		}
		y.apply(box)
		y.settled(box)
		y.replays()
		y.stop()
	})
}

// TestTransientErrorsAreStalledAndDoNotCount: the loop tries again all the time, with pauses; after
// ten minutes it reports that.
func TestTransientErrorsAreStalledAndDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, s := newStubborn(t)
		s.answers(errLater)
		var d diary
		stop := y.loops(stackOf(boxOf("web:1", 1, "")), loop.RunOptions{Interval: 2 * time.Minute, Apply: true, Tell: d.tell, Do: engine.ApplyOptions{Tries: 1}})
		alerts := func() (out []loop.AlertType) {
			for _, a := range d.last().Alerts {
				out = append(out, a.Type)
			}
			return out
		}
		time.Sleep(9 * time.Minute)
		if got := alerts(); len(got) != 0 {
			t.Errorf("alerts after 9 minutes: %v", got)
		}
		time.Sleep(4 * time.Minute) // the first cycle after ten minutes
		if diff := cmp.Diff([]loop.AlertType{loop.Stalled}, alerts()); diff != "" {
			t.Errorf("alerts (-want +got):\n%s", diff)
		}
		early, _ := s.count("1")
		time.Sleep(5 * time.Hour)
		if calls, _ := s.count("1"); early > 8 || calls < early+4 {
			t.Errorf("%d calls, then %d in five hours: it is not tried with pauses, or not any more", early, calls-early)
		}
		s.answers(errNever)
		time.Sleep(9 * time.Hour)
		if diff := cmp.Diff([]loop.AlertType{loop.Exhausted}, alerts()); diff != "" {
			t.Errorf("alerts (-want +got):\n%s", diff)
		}
		if _, tried := s.count("1"); tried != 8 {
			t.Errorf("%d attempts, want 8", tried)
		}
		if text := d.last().Alerts[0].Text; !strings.Contains(text, "8 attempts of") || !strings.Contains(text, "no such size") {
			t.Errorf("the alert: %s", text)
		}
		_ = stop()
		y.stop()
	})
}

// round is one step of a history of attempts.
type round struct {
	what   string // "apply", "crash", "retry" or "change"
	answer error  // of the provider
	step   string // of a crash
	size   int64  // of a change
}

func drawRounds(r *rapid.T) (out []round) {
	steps := []string{
		"before claim", "after claim", "before log started", "after store started", "before call", "after call", "after log finished",
		"before store finished", "after store finished", "before release",
	}
	for range rapid.IntRange(5, 25).Draw(r, "rounds") {
		out = append(out, round{
			what:   rapid.SampledFrom([]string{"apply", "apply", "apply", "apply", "crash", "crash", "crash", "retry", "change"}).Draw(r, "what"),
			answer: rapid.SampledFrom([]error{errNever, errNever, errNever, errLater, nil}).Draw(r, "answer"),
			step:   rapid.SampledFrom(steps).Draw(r, "step"),
			size:   rapid.Int64Range(1, 3).Draw(r, "size"),
		})
	}
	return out
}

// TestNeverMoreAttemptsThanAllowed: whatever fails for good, for a while, or in a crash at any step,
// no configuration is tried more often than the rules allow since it last succeeded, or an operator
// allowed more; those that a crash ended, four times as often. What is blocked was tried as often.
func TestNeverMoreAttemptsThanAllowed(t *testing.T) {
	drawn.Check(t, func(r *rapid.T) {
		allowed, rounds := rapid.IntRange(1, 4).Draw(r, "allowed"), drawRounds(r)
		var wrong []string
		synctest.Test(t, func(t *testing.T) {
			y, s := newStubborn(t)
			size, started, ended := int64(1), map[string]int{}, map[string]int{}
			for _, x := range rounds {
				s.answers(x.answer)
				in := boxOf("web:1", size, "")
				in[0].Rules.Attempts = rules.Attempts{Count: allowed}
				mine := fmt.Sprint(resource.Int(size))
				switch x.what {
				case "change":
					size = x.size
					continue
				case "retry":
					if y.engine.Retry(t.Context(), webBox, engine.OperatorAction{Who: "ann"}) == nil {
						clear(s.tried)
						clear(started)
						clear(ended)
					}
				case "crash":
					started[mine]++
					before := s.tried[mine]
					y.crashAt(x.step, in)
					ended[mine] += s.tried[mine] - before
				default:
					started[mine]++
					y.applyOnce(in)
				}
				p := y.plan(in)
				if len(p.Plan.Decisions) == 0 { // it has the configuration
					delete(s.tried, mine)
					delete(started, mine)
					delete(ended, mine)
				}
				for size, n := range s.tried {
					if n-ended[size] > allowed || n > decider.LostForOne*allowed {
						wrong = append(wrong, fmt.Sprintf("%d attempts of size %s, %d are allowed", n, size, allowed))
					}
				}
				if d, _ := decisionOn(p, webBox); d.Stopped(decider.AttemptLimit{}) && started[mine] < allowed {
					wrong = append(wrong, fmt.Sprintf("blocked by %+v after %d attempts", d.Blockers, started[mine]))
				}
			}
			y.replays()
			y.stop()
		})
		for _, w := range wrong {
			r.Error(w)
		}
	})
}

// TestTheLastGoodConfigurationIsRecorded: what a resource was healthy with, whether the action itself
// found that, an observation after it, or the recovery of a crash.
func TestTheLastGoodConfigurationIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, b := newBoxes(t)
		states := map[int64]resource.State{4: resource.StateStopped}
		good := func(want int64) {
			t.Helper()
			all, err := y.ledger.LastGood(t.Context(), 0)
			got := all[webBox]
			digest := ""
			if want > 0 {
				digest = boxOf("web:1", want, states[want])[0].Resources[0].Digest()
			}
			if err != nil || got.Desired != digest || want > 0 && !got.Applied.Attrs.Equal(boxOf("web:1", want, "")[0].Resources[0].Attrs) {
				t.Errorf("last good: %+v, %v; want size %d", got, err, want)
			}
		}
		fails := func() { byHand(t, &b.Shelf, webBox, func(o *resource.Observed) { o.Health = resource.Failing }) }
		in := boxOf("web:1", 1, "")
		y.apply(in)
		good(1)
		fails()
		in = boxOf("web:1", 2, "")
		y.apply(in)
		good(1) // it fails with the new one
		byHand(t, &b.Shelf, webBox, func(o *resource.Observed) { o.Health = resource.Healthy })
		y.plan(in)
		good(2) // and no longer
		in = boxOf("web:1", 3, "")
		if steps := y.crashAt("after call", in); !contains(steps, "call") {
			t.Fatalf("steps: %v", steps)
		}
		y.plan(in)
		good(3)
		in = boxOf("web:1", 4, resource.StateStopped)
		y.apply(in)
		good(4) // stopped, as configured
		fails()
		y.apply(boxOf("web:1", 5, ""))
		good(4)
		y.apply([]resource.Intent{{Stack: stack, Scopes: []resource.Scope{webBox.Scope()}}})
		good(0)
		y.replays()
		y.stop()
	})
}
