package replace_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource"
)

func TestAFreshReplacementHasAllSteps(t *testing.T) {
	t.Parallel()
	for _, s := range strategies {
		r := replace.Replacement{Strategy: s, Old: "old"}
		got := r.Left(replace.Stage{Old: &resource.Observed{ID: "old", Health: resource.Healthy}})
		if d := cmp.Diff(replace.Steps(s), got); d != "" {
			t.Errorf("%s (-want +got):\n%s", s, d)
		}
	}
}

// TestWhatIsLeftOfAReplacement in progress or going back.
func TestWhatIsLeftOfAReplacement(t *testing.T) {
	t.Parallel()
	is := func(id string, h resource.Health) *resource.Observed { return &resource.Observed{ID: id, Health: h} }
	for name, c := range map[string]struct {
		r    replace.Replacement
		s    replace.Stage
		want []replace.Step
	}{
		"set aside":               {replace.Replacement{Strategy: resource.Swap}, replace.Stage{Old: is("old", resource.Healthy), Aside: true}, []replace.Step{replace.Create, replace.Switch, replace.Wait, replace.DeleteOld}},
		"created":                 {replace.Replacement{Strategy: resource.Swap}, replace.Stage{Old: is("old", resource.Healthy), New: is("new", resource.Stopped), Aside: true}, []replace.Step{replace.Switch, replace.Wait, replace.DeleteOld}},
		"in service":              {replace.Replacement{Strategy: resource.CreateFirst}, replace.Stage{Old: is("old", resource.Healthy), New: is("new", resource.Healthy)}, []replace.Step{replace.References, replace.DeleteOld}},
		"configured not to run":   {replace.Replacement{Strategy: resource.Swap, Stopped: true}, replace.Stage{Old: is("old", resource.Stopped)}, []replace.Step{replace.SetAside, replace.Create, replace.DeleteOld}},
		"it goes back":            {replace.Replacement{Strategy: resource.Swap, Reverting: true}, replace.Stage{Old: is("old", resource.Stopped), New: is("new", resource.Failing), Aside: true}, []replace.Step{replace.DeleteNew, replace.Restore, replace.Wait}},
		"nothing was changed":     {replace.Replacement{Strategy: resource.Swap, Reverting: true}, replace.Stage{Old: is("old", resource.Healthy)}, nil},
		"only its end is missing": {replace.Replacement{Strategy: resource.Swap}, replace.Stage{New: is("new", resource.Healthy)}, nil},
	} {
		c.r.Old = "old"
		if d := cmp.Diff(c.want, c.r.Left(c.s)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// TestWhatIsLeftEnds: from any stage, and the stage that is asked about does not change.
func TestWhatIsLeftEnds(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		draw := func(id string) *resource.Observed {
			if !rapid.Bool().Draw(t, id) {
				return nil
			}
			return &resource.Observed{ID: id, Health: rapid.SampledFrom([]resource.Health{resource.Healthy, resource.Pending, resource.Stopped, resource.Failing, resource.Unclear}).Draw(t, "health")}
		}
		r := replace.Replacement{Old: "old", Strategy: rapid.SampledFrom(strategies).Draw(t, "strategy"), Reverting: rapid.Bool().Draw(t, "reverting"), Stopped: rapid.Bool().Draw(t, "stopped")}
		s := replace.Stage{Old: draw("old"), New: draw("new"), Aside: rapid.Bool().Draw(t, "aside"), Moved: rapid.Bool().Draw(t, "moved"), Used: rapid.Bool().Draw(t, "used")}
		next := r.Next(s)
		left := r.Left(s)
		if len(left) > 10 || next.Ends() != (len(left) == 0) {
			t.Fatalf("%v are left, the next step is %s", left, next)
		}
		if again := r.Next(s); again != next {
			t.Fatalf("the stage has changed: the next step is %s, was %s", again, next)
		}
	})
}
