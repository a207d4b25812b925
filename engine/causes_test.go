package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
	"github.com/ovi-project/ovi/resource"
)

// failsFor is an error of a cause.
func failsFor(c provider.Cause) error {
	return &provider.Error{Cause: c, Op: "toy", Err: fmt.Errorf("for %s", c)}
}

// boxes are a number of boxes of one stack.
func boxes(n int) []resource.Intent {
	in := resource.Intent{Stack: stack}
	for i := range n {
		ref := webBox
		ref.Name = fmt.Sprintf("box-%d", i)
		in.Resources = append(in.Resources, resource.Desired{
			Ref: ref, Attrs: attrs("image", resource.String("web:1"), "size", resource.Int(int64(i))),
		})
	}
	return []resource.Intent{in}
}

// used are the attempts that the resources of an intent have used.
func (y *yard) used(in []resource.Intent) (used, other int) {
	y.t.Helper()
	tries, err := y.ledger.Attempts(y.t.Context())
	if err != nil {
		y.t.Fatal(err)
	}
	for i := range in[0].Resources {
		d := &in[0].Resources[i]
		a := tries[d.Ref].Of(d.Digest())
		used, other = used+a.Used(), other+a.Other
	}
	return used, other
}

// TestWhatPassesHealsWithoutAnOperator: each cause but the configuration lasts for an hour, with a restart in
// between. It costs no attempt of any resource, it is an alert that names who can resolve it, and it heals when it is gone.
func TestWhatPassesHealsWithoutAnOperator(t *testing.T) {
	for _, c := range provider.Causes() {
		if provider.HandlingOf(c).Counts {
			continue
		}
		t.Run(string(c), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				y, s := newStubborn(t)
				s.answers(failsFor(c))
				in := boxes(3)
				run := func(during time.Duration) *diary {
					var d diary
					stop := y.loops(stackOf(in), loop.RunOptions{Interval: time.Minute, Apply: true, Tell: d.tell})
					time.Sleep(during)
					_ = stop()
					return &d
				}
				run(30 * time.Minute)
				before, _ := s.count("0")
				y.stop()
				y.open(&crasher{}) // another process goes on with the pauses where this one was
				d := run(30 * time.Minute)
				calls, _ := s.count("0")
				used, other := y.used(in)
				if used > 0 || other < 3*8 {
					t.Errorf("%d attempts are used, and %d failures do not count", used, other)
				}
				if rate := calls - before; rate < 3*3 {
					t.Errorf("%d calls in half an hour", rate)
				}
				var stalled []string
				for _, a := range d.last().Alerts {
					if a.Type == loop.Stalled && a.Ref.Name == "box-2" {
						stalled = append(stalled, a.Text)
					}
				}
				h := provider.HandlingOf(c)
				if h.Alert < 50*time.Minute && (len(stalled) != 1 || !strings.Contains(stalled[0], "waits for "+h.Waits+" since 2000-01-01") || !strings.Contains(stalled[0], h.Remedy)) {
					t.Errorf("alerts: %q", stalled)
				}
				s.answers(nil)
				run(8 * time.Minute)
				y.settled(in)
				if got := recorded[event.Exhausted](y); len(got) > 0 {
					t.Errorf("exhausted: %+v", got)
				}
				y.replays()
				y.stop()
			})
		})
	}
}

// TestThePausesOfACauseAreBounded: for any history of causes, the pause before the next action is within the bound of the
// last cause, it follows from the record alone, and only what counts is ever blocked.
func TestThePausesOfACauseAreBounded(t *testing.T) {
	policy := decider.BackOff{}
	drawn.Check(t, func(r *rapid.T) {
		now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
		d := boxes(1)[0].Resources[0]
		a := decider.Attempts{
			Desired: d.Digest(), Failures: rapid.IntRange(0, 7).Draw(r, "failures"), Other: rapid.IntRange(1, 5000).Draw(r, "other"),
			Cause: rapid.SampledFrom(provider.Causes()).Draw(r, "cause"), Since: now.Add(-time.Hour), Last: now, Error: "toy: no",
		}
		if a.Cause == provider.Configuration {
			a.Failures, a.Other = a.Failures+1, 0
		}
		p := decider.Plan{Decisions: []decider.Decision{{Ref: d.Ref, Desired: &d, Action: decider.Create, Proposed: decider.Create}}}
		f := decider.Facts{Now: now, Attempts: func(resource.Ref, string) (decider.Attempts, bool) { return a, true }}
		blocked, err := policy.Review(p, f)
		if err != nil || blocked[0].Until == nil {
			r.Fatalf("%+v, %v", blocked, err)
		}
		pause := blocked[0].Until.Sub(now)
		h := provider.HandlingOf(a.Cause)
		if most := h.Pause; !h.Counts && (pause > most || pause < 15*time.Second || !strings.Contains(blocked[0].Reason, "waits for "+h.Waits) || blocked[0].Suggestion != h.Remedy) {
			r.Errorf("%s: %s, %+v", a.Cause, pause, blocked[0])
		}
		f.Now = now.Add(pause)
		if again, _ := policy.Review(p, f); len(again) > 0 {
			r.Errorf("still deferred after its pause: %+v", again)
		}
		if limit, _ := (decider.AttemptLimit{}).Review(p, f); len(limit) > 0 != (a.Failures >= decider.DefaultAttempts) {
			r.Errorf("%d failures of %s: %+v", a.Failures, a.Cause, limit)
		}
	})
}

// TestAnActionWaitsForItsCause: as long as the policy says, or as the timeout of the configuration says, whatever its
// size; what is not waited for is called once.
func TestAnActionWaitsForItsCause(t *testing.T) {
	for _, c := range []struct {
		name    string
		cause   provider.Cause
		lasts   time.Duration
		timeout time.Duration
		want    engine.Status
		took    time.Duration // at most
		says    string
	}{
		{"a principal that is known after 100 s", provider.Propagation, 100 * time.Second, 0, engine.Done, 2 * time.Minute, ""},
		{"one that is never known", provider.Propagation, time.Hour, 0, engine.Failed, 2 * time.Minute, ""},
		{"a longer timeout", provider.Propagation, 20 * time.Minute, 30 * time.Minute, engine.Done, 21 * time.Minute, ""},
		{"a shorter timeout", provider.Propagation, time.Hour, 20 * time.Second, engine.Failed, 20 * time.Second, ""},
		{"throttling", provider.Throttled, 4 * time.Minute, 0, engine.Done, 5 * time.Minute, ""},
		{"a quota", provider.Quota, time.Second, 0, engine.Failed, 0, ""},
		{"a right", provider.Denied, time.Second, time.Hour, engine.Failed, 0, ""},
		{"credentials", provider.Expired, time.Second, 0, engine.Failed, 0, ""},
		{"a mistake", provider.Configuration, time.Second, time.Hour, engine.Failed, 0, ""},
		{"an unknown cause", provider.Unclassified, time.Second, 0, engine.Failed, 0, ""},
		{"a name of another", provider.InUse, time.Second, 0, engine.Failed, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				y, s := newStubborn(t)
				s.answers(failsFor(c.cause))
				in := boxOf("web:1", 1, "")
				if c.timeout > 0 {
					in[0].Options.Timeouts = map[string]map[string]time.Duration{"box": {resource.TimeoutCreate: c.timeout}}
				}
				begun := time.Now()
				time.AfterFunc(c.lasts, func() { s.answers(nil) })
				r, err := y.engine.Apply(t.Context(), y.plan(in), engine.ApplyOptions{})
				if err != nil {
					t.Fatal(err)
				}
				o := r.Outcomes[0]
				if o.Status != c.want || time.Since(begun) > c.took || o.Status == engine.Failed && o.Cause != c.cause {
					t.Errorf("%s for %q after %s: %s", o.Status, o.Cause, time.Since(begun), o.Detail)
				}
				if calls, _ := s.count("1"); c.took == 0 && calls != 1 {
					t.Errorf("%d calls, want 1", calls)
				}
				y.stop()
			})
		})
	}
}

// TestAFailureOfAnUnknownCauseCounts: it may be the configuration, so that it is not tried without end.
func TestAFailureOfAnUnknownCauseCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, s := newStubborn(t)
		s.answers(errors.New("an error that no table knows"))
		in := boxOf("web:1", 1, "")
		var d diary
		stop := y.loops(stackOf(in), loop.RunOptions{Interval: time.Minute, Apply: true, Tell: d.tell})
		time.Sleep(12 * time.Hour)
		_ = stop()
		want := []event.Exhausted{{Ref: webBox, Desired: in[0].Resources[0].Digest(), Attempts: decider.DefaultAttempts}}
		if diff := cmp.Diff(want, recorded[event.Exhausted](y)); diff != "" {
			t.Errorf("exhausted (-want +got):\n%s", diff)
		}
		y.stop()
	})
}

// TestACauseThatChangesIsTheLastOne: a denial after throttling is shown as a denial, and what is healed is forgotten.
func TestACauseThatChangesIsTheLastOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, s := newStubborn(t)
		in := boxOf("web:1", 1, "")
		for _, c := range []provider.Cause{provider.Throttled, provider.Denied} {
			s.answers(failsFor(c))
			y.applyOnce(in)
		}
		tries, err := y.ledger.Attempts(context.WithoutCancel(t.Context()))
		a := tries[webBox].Last()
		if err != nil || a.Cause != provider.Denied || a.Other != 2 || a.Failures != 0 {
			t.Errorf("%+v, %v", a, err)
		}
		if text, next := a.Waiting(); !strings.HasPrefix(text, "waits for a right since 2000-01-01") || next != provider.HandlingOf(provider.Denied).Remedy {
			t.Errorf("%q, %q", text, next)
		}
		s.answers(failsFor(provider.Configuration))
		y.applyOnce(in)
		if tries, _ = y.ledger.Attempts(t.Context()); tries[webBox].Last().Waits() || tries[webBox].Last().Failures != 1 {
			t.Errorf("after a mistake: %+v", tries[webBox].Last())
		}
		y.stop()
	})
}
