package render_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/planview"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// waiting is a plan whose one decision is blocked by these.
func waiting(blockers ...decider.Blocker) decider.Plan {
	ref := resource.Ref{Stack: "web", Provider: "aws", Location: "1/us-east-1", Kind: "rds", Name: "db"}
	return decider.Plan{Decisions: []decider.Decision{{
		Ref: ref, Difference: comparator.Unwanted, Action: decider.Notify, Proposed: decider.Delete, Message: "not in the configuration",
		Blockers: blockers, Warnings: []decider.Warning{{Policy: "rule big", Text: "it is big"}},
	}}}
}

func TestADeferredDecisionSaysUntilWhen(t *testing.T) {
	at := time.Date(2026, 11, 28, 21, 0, 0, 0, time.UTC)
	later := at.Add(time.Hour)
	for name, c := range map[string]struct {
		plan  decider.Plan
		text  string
		until string // of the record; "" is none
	}{
		"one waits":      {waiting(decider.Blocker{Policy: "window", Reason: "nights", Until: &at}), "delete deferred until 2026-11-28 21:00 UTC", "2026-11-28T21:00:00Z"},
		"the latest":     {waiting(decider.Blocker{Policy: "window", Until: &later}, decider.Blocker{Policy: "rule r", Until: &at}), "delete deferred until 2026-11-28 22:00 UTC", "2026-11-28T22:00:00Z"},
		"one blocks too": {waiting(decider.Blocker{Policy: "window", Until: &at}, decider.Blocker{Policy: "blessed"}), "Also blocked by blessed", ""},
		"only a block":   {waiting(decider.Blocker{Policy: "blessed"}), "delete blocked by blessed", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var page bytes.Buffer
			if err := (planview.View{Plan: c.plan, Names: render.NewNames(), Verb: "Plan"}).Write(&page, term.Style{}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(page.String(), c.text) || !strings.Contains(page.String(), "Warning by rule big: it is big") {
				t.Errorf("the page:\n%s", page.String())
			}
			b, err := json.Marshal(render.Planned(c.plan, render.NewNames())[0])
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Until    string
				Blockers []struct{ Until string }
				Warnings []struct{ Policy, Text string }
			}
			if err := json.Unmarshal(b, &got); err != nil {
				t.Fatal(err)
			}
			if got.Until != c.until || len(got.Warnings) != 1 || got.Warnings[0].Text != "it is big" {
				t.Errorf("the record: %s", b)
			}
		})
	}
}

// TestAReasonOfManyIsWrittenOnce: a budget blocks many resources for one reason.
func TestAReasonOfManyIsWrittenOnce(t *testing.T) {
	budget := decider.Blocker{Policy: "max_destroy", Reason: "3 of 4 would be destroyed."}
	plan := waiting(budget, decider.Blocker{Policy: "blessed", Reason: "It is protected."})
	for _, name := range []string{"dc", "dd"} {
		next := plan.Decisions[0]
		next.Ref.Name, next.Blockers = name, []decider.Blocker{budget}
		plan.Decisions = append(plan.Decisions, next)
	}
	var page bytes.Buffer
	if err := (planview.View{Plan: plan, Names: render.NewNames(), Verb: "Plan"}).Write(&page, term.Style{}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"3 of 4 would be destroyed.": 1, "delete blocked by max_destroy": 3, "Also blocked by blessed": 1, "It is protected.": 1} {
		if got := strings.Count(page.String(), text); got != want {
			t.Errorf("%q is written %d times, want %d:\n%s", text, got, want, page.String())
		}
	}
}
