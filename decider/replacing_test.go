package decider_test

import (
	"fmt"
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// boxKinds is a schema of boxes that can be swapped and of jobs that cannot.
func boxKinds(_, kind string) (resource.Kind, bool) {
	k := resource.Kind{Name: kind}
	if kind == "box" {
		k.Replace = func(resource.Desired, resource.Observed) []resource.Strategy {
			return []resource.Strategy{resource.Swap, resource.StartFirst, resource.DestroyFirst}
		}
	}
	return k, true
}

func differs(kind string, s resource.Strategy) comparator.Difference {
	ref := resource.Ref{Stack: "web", Provider: "box", Location: "here", Kind: kind, Name: "web"}
	return comparator.Difference{
		Type: comparator.Drifted, Ref: ref, Desired: &resource.Desired{Ref: ref, Replace: s},
		Observed: &resource.Observed{Ref: ref, ID: "1", Ownership: resource.Proven, Health: resource.Healthy},
		Changes:  []resource.Change{{Path: "image", Effect: resource.Replace}},
	}
}

func decide(t *testing.T, d comparator.Difference, policies ...decider.Policy) decider.Decision {
	t.Helper()
	p, err := decider.Decide(comparator.Result{Differences: []comparator.Difference{d}, Owned: map[string]int{"web": 1}}, boxKinds, decider.Facts{}, policies...)
	if err != nil || len(p.Decisions) != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	return p.Decisions[0]
}

// TestAStrategyIsChosen: the configured one if the kind can, else its default; and the plan says if
// it is another.
func TestAStrategyIsChosen(t *testing.T) {
	for _, c := range []struct {
		kind     string
		in, want resource.Strategy
		warning  string
	}{
		{"box", "", resource.Swap, ""},
		{"box", resource.StartFirst, resource.StartFirst, ""},
		{"box", resource.DestroyFirst, resource.DestroyFirst, ""},
		{"box", resource.CreateFirst, resource.Swap, "create-first is not possible for it; swap is used"},
		{"job", "", resource.DestroyFirst, ""},
		{"job", resource.Swap, resource.DestroyFirst, "swap is not possible for it; destroy-first is used"},
	} {
		d := decide(t, differs(c.kind, c.in))
		text := ""
		for _, w := range d.Warnings {
			text += w.Text
		}
		if d.Strategy != c.want || text != c.warning || len(d.Steps) == 0 {
			t.Errorf("%s with %q: %s, warning %q, steps %v", c.kind, c.in, d.Strategy, text, d.Steps)
		}
	}
}

// TestARevertIsNoDestruction: it deletes only what it created, so no budget and no back-off counts it.
func TestARevertIsNoDestruction(t *testing.T) {
	d := differs("box", resource.Swap)
	d.New = &resource.Observed{Ref: d.Ref, ID: "2", Ownership: resource.Proven, Health: resource.Failing, Role: resource.RoleNew, Message: "exited with 1"}
	d.Replacing, d.Reverts = &comparator.Replacing{Old: "1", Strategy: resource.Swap}, true
	d.Observed.Role, d.Observed.Natural = resource.RoleOld, "web-old"
	got := decide(t, d, decider.SkipDestructive{Everywhere: true}, decider.MaxDestroy{Limit: rules.Budget{Set: true}}, decider.BackOff{}, decider.AttemptLimit{})
	if got.Action != decider.Revert || got.Desired != nil || len(got.Blockers) > 0 || fmt.Sprint(got.Steps) != "[delete_new restore wait]" {
		t.Errorf("decided %s with %v, blocked by %+v", got.Action, got.Steps, got.Blockers)
	}
	if want := "2, which was to replace 1, is failing: exited with 1"; got.Message != want {
		t.Errorf("message %q, want %q", got.Message, want)
	}
	d.Reverts = false
	if got := decide(t, d, decider.MaxDestroy{Limit: rules.Budget{Set: true}}); got.Proposed != decider.Replace || got.Action != decider.Notify {
		t.Errorf("a replacement that goes on destroys: %+v", got)
	}
}
