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
	"github.com/ovi-project/ovi/resource"
)

// waiting is a plan whose one decision is held back by these.
func waiting(blockers ...decider.Blocker) decider.Plan {
	ref := resource.Ref{Provider: "aws", Location: "1/us-east-1", Kind: "rds", Name: "db"}
	return decider.Plan{Decisions: []decider.Decision{{
		Ref: ref, Stack: "web", Difference: comparator.Unwanted, Action: decider.Notify, Proposed: decider.Delete, Message: "it is wanted no more",
		Blockers: blockers, Warnings: []decider.Warning{{Policy: "rule big", Text: "it is big"}},
	}}}
}

func TestWhatWaitsSaysUntilWhen(t *testing.T) {
	at := time.Date(2026, 11, 28, 21, 0, 0, 0, time.UTC)
	later := at.Add(time.Hour)
	for name, c := range map[string]struct {
		plan  decider.Plan
		text  string
		until string // of the record; "" is none
	}{
		"one waits":       {waiting(decider.Blocker{Policy: "window", Reason: "nights", Until: &at}), "delete waits until 2026-11-28 21:00 UTC", "2026-11-28T21:00:00Z"},
		"the latest":      {waiting(decider.Blocker{Policy: "window", Until: &later}, decider.Blocker{Policy: "rule r", Until: &at}), "delete waits until 2026-11-28 22:00 UTC", "2026-11-28T22:00:00Z"},
		"one says no too": {waiting(decider.Blocker{Policy: "window", Until: &at}, decider.Blocker{Policy: "blessed"}), "delete held back", ""},
		"only a no":       {waiting(decider.Blocker{Policy: "blessed"}), "delete held back", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var page bytes.Buffer
			if err := (render.PlanView{Plan: c.plan, Names: render.NewNames(), Verb: "Plan"}).Write(&page, render.Style{}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(page.String(), c.text) || !strings.Contains(page.String(), "warning of rule big: it is big") {
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

// A budget holds back many things for one reason, which is said once.
func TestAReasonOfManyIsSaidOnce(t *testing.T) {
	budget := decider.Blocker{Policy: "max-destroy", Reason: "3 of 4 would be destroyed"}
	plan := waiting(budget, decider.Blocker{Policy: "blessed", Reason: "ovi unbless db"})
	for _, name := range []string{"dc", "dd"} {
		next := plan.Decisions[0]
		next.Ref.Name, next.Blockers = name, []decider.Blocker{budget}
		plan.Decisions = append(plan.Decisions, next)
	}
	var page bytes.Buffer
	if err := (render.PlanView{Plan: plan, Names: render.NewNames(), Verb: "Plan"}).Write(&page, render.Style{}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"max-destroy: 3 of 4 would be destroyed": 1, "held back by max-destroy, as above": 2, "blessed: ovi unbless db": 1} {
		if got := strings.Count(page.String(), text); got != want {
			t.Errorf("%q stands there %d times, want %d:\n%s", text, got, want, page.String())
		}
	}
}
