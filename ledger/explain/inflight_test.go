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
