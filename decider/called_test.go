package decider_test

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// TestSuggestedCommandsNameOneResource: a suggestion has the name that the facts give, and says what comes first.
func TestSuggestedCommandsNameOneResource(t *testing.T) {
	ref := resource.Ref{Stack: "shop-prod", Provider: "x", Location: "h", Kind: "db", Name: "main"}
	facts := decider.Facts{
		Blessed: func(resource.Ref) bool { return true },
		Called:  func(r resource.Ref) string { return r.ShortInStack() },
	}
	plan := func(blessed bool) decider.Plan {
		return decider.Plan{Decisions: []decider.Decision{{
			Ref: ref, Difference: comparator.Drifted, Proposed: decider.Update, Observed: &resource.Observed{},
			Desired: &resource.Desired{Ref: ref, Blessed: blessed},
			Changes: []resource.Change{{Path: "size"}},
		}}}
	}
	for blessed, want := range map[bool]string{
		false: "run `ovi unbless shop-prod:db/main` to allow it",
		true:  "remove blessed: true from the configuration, and run `ovi unbless shop-prod:db/main` to allow it",
	} {
		out, err := decider.Blessed{}.Review(plan(blessed), facts)
		if err != nil || out[0].Suggestion != want {
			t.Errorf("%q %v, want %q", out[0].Suggestion, err, want)
		}
	}
	facts.Called = nil
	if out, _ := (decider.Blessed{}).Review(plan(false), facts); !strings.Contains(out[0].Suggestion, "`ovi unbless db/main`") {
		t.Errorf("%q", out[0].Suggestion)
	}
}
