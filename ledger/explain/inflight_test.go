package explain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/explain"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/resource"
)

// TestADecisionThatWaitedForItsFlightIsDone: the last plan was made while another run created the resource. Once that has
// ended, nothing waits any more.
func TestADecisionThatWaitedForItsFlightIsDone(t *testing.T) {
	small := res("small")
	waits := missing
	waits.Ref, waits.Action = web, decider.Notify
	waits.Blockers = []decider.Blocker{{Policy: decider.BlockedByFlight, Reason: "its create has been running since then", First: web}}
	api, other := web, waits
	api.Name = "api"
	other.Blockers = []decider.Blocker{{Policy: decider.BlockedByFlight, Reason: "it depends on api", First: api}}
	begin := func() *told {
		return new(told).add("run1", read(), plan("p1", event.ForApply, missing), yes("p1"), started("p1", decider.Create, decider.ReasonMissing, ""))
	}
	by := explain.Explainer{Now: start.Add(time.Hour), Value: func(resource.Value) string { return "" }, Ref: resource.Ref.String}
	done := begin().add("run2", read(), plan("p2", event.ForPlan, waits)).add("run1", ended("p1", decider.Create, event.Done, "")).last(&small, &waits)
	if s := by.Explain(done); s.State != explain.Matches {
		t.Errorf("%s: %s", s.State, s.Headline)
	}
	still := begin().add("run2", read(), plan("p2", event.ForPlan, other)).last(nil, &other)
	if s := by.Explain(still); s.State != explain.Pending || !strings.Contains(s.Headline, "waits: it depends on api") {
		t.Errorf("%s: %s", s.State, s.Headline)
	}
}

// TestWhatAnActionInFlightChangesIsNotMadeOutside: an observation in the middle of an update finds its effect, and one
// after its end finds what others did.
func TestWhatAnActionInFlightChangesIsNotMadeOutside(t *testing.T) {
	small, large := res("small"), res("large")
	update := started("p2", decider.Update, decider.ReasonChanged, drifted.Message)
	base := func() *told {
		return created().add("run2", look(small), read(), plan("p2", event.ForApply, drifted), yes("p2"), update)
	}
	for name, c := range map[string]struct {
		h       history.ResourceHistory
		outside bool
	}{
		"in flight":      {base().add("run2", look(large)).last(&large, nil), false},
		"unknown result": {base().add("run2", ended("p2", decider.Update, event.Uncertain, "no answer"), look(large)).last(&large, nil), false},
		"after its end":  {base().add("run2", ended("p2", decider.Update, event.Done, ""), look(large)).last(&large, nil), true},
	} {
		by := explain.Explainer{
			Now:   start.Add(time.Hour),
			Value: func(v resource.Value) string { return string(resource.AppendJSON(nil, v)) },
			Ref:   resource.Ref.String,
		}
		all := text(by.Explain(c.h))
		if got := strings.Contains(all, "outside ovi"); got != c.outside {
			t.Errorf("%s: made outside: %v, want %v\n%s", name, got, c.outside, all)
		}
	}
}
