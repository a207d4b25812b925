package replace_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource"
)

var healths = []resource.Health{resource.Healthy, resource.Pending, resource.Stopped, resource.Failing, resource.Unclear}

func drawReplacement(t *rapid.T) replace.Replacement {
	return replace.Replacement{
		Strategy: rapid.SampledFrom(strategies).Draw(t, "strategy"), Old: "old", Key: ours,
		Stopped: rapid.Bool().Draw(t, "stopped"), Reverting: rapid.Bool().Draw(t, "reverting"),
		Deadline: start.Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, "deadline")) * time.Minute),
	}
}

func drawStage(t *rapid.T) replace.Stage {
	draw := func(id string) *resource.Observed {
		if !rapid.Bool().Draw(t, id+" exists") {
			return nil
		}
		return &resource.Observed{ID: id, Health: rapid.SampledFrom(healths).Draw(t, id+" health")}
	}
	return replace.Stage{
		Old: draw("old"), New: draw("new"), Aside: rapid.Bool().Draw(t, "aside"),
		Moved: rapid.Bool().Draw(t, "moved"), Used: rapid.Bool().Draw(t, "used"), Now: start,
	}
}

// TestWhatAStepMayDo holds every step to what it may do at any stage, also one that another
// hand made.
func TestWhatAStepMayDo(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		r, s := drawReplacement(t), drawStage(t)
		step := r.Next(s)
		healthy := s.New != nil && (s.New.Health == resource.Healthy || r.Stopped && s.New.Health == resource.Stopped)
		keeps := r.Strategy != resource.DestroyFirst
		must := func(ok bool, text string) {
			if !ok {
				t.Errorf("%s: %s", step, text)
			}
		}
		switch step {
		case replace.DeleteOld:
			must(s.Old != nil, "there is no old resource")
			must(!keeps || healthy, "the old resource goes before the new one is healthy")
			must(r.Strategy != resource.CreateFirst || s.Moved, "something refers to the old resource")
		case replace.DeleteNew:
			must(s.New != nil && r.Reverting && keeps, "only a revert deletes the new resource")
			must(s.Old != nil && !s.Used, "the new resource is all there is, or is in use")
		case replace.Create:
			must(s.New == nil, "it exists")
			must(s.Old == nil || s.Aside || r.Strategy == resource.CreateFirst, "the old resource has the name")
		case replace.Revert:
			must(!r.Reverting && keeps && r.Failed(s), "nothing to go back from")
		case replace.SetAside:
			must(s.Old != nil && s.New == nil && !s.Aside && r.Strategy.SetsAside(), "nothing to set aside")
		case replace.Switch:
			must(s.New != nil && r.Strategy.SetsAside() && !healthy, "nothing to start")
		case replace.Restore:
			must(r.Reverting && s.New == nil && s.Old != nil && r.Strategy.SetsAside(), "nothing to restore")
		case replace.References:
			must(healthy && r.Strategy == resource.CreateFirst && !s.Moved, "nothing to wait for")
		case replace.Done:
			must(healthy && s.Old == nil, "it is not done")
		case replace.Reverted:
			must(r.Reverting && s.New == nil, "it is not back")
		case replace.Wait:
			must(s.Now.Before(r.Deadline), "it waits past its deadline")
		case replace.GiveUp:
			must(!healthy && (s.Old == nil || s.Used || !keeps), "it could go back")
		}
		if s.New != nil && healthy && r.Failed(s) {
			t.Error("what is healthy has not failed")
		}
		must(r.Checks(s) == (step == replace.SetAside || step == replace.DeleteOld && s.New == nil), "the check")
	})
}

// TestMeddlingComesToAnEnd deletes the old resource, or makes the new one fail, by another
// hand at any point, among crashes: the replacement still ends, and not with two resources.
func TestMeddlingComesToAnEnd(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		w := newWorld(rapid.SampledFrom(strategies).Draw(t, "strategy"), good)
		w.crashes = rapid.SliceOfN(rapid.IntRange(1, 25), 0, 3).Draw(t, "crashes")
		slices.Sort(w.crashes)
		meddle := rapid.SampledFrom([]func(){
			func() { w.delete("old") },
			func() { w.outcome = unhealthy },
			func() { w.outcome = hangs },
			func() { w.outcome = refused },
			func() { w.delete("old"); w.outcome = unhealthy },
		}).Draw(t, "meddling")
		at := rapid.IntRange(1, 20).Draw(t, "point")
		w.crashes = append(w.crashes, at)
		for range 10 {
			err := w.apply()
			if w.points == at {
				meddle()
			}
			if err == nil && w.ended != "" {
				break
			}
			if err != nil && !errors.Is(err, errCrash) {
				t.Fatal(err)
			}
		}
		if w.ended == "" {
			t.Fatalf("no end: %+v", w.record)
		}
		if w.ended != replace.GiveUp && w.find("old") != nil && w.created() != nil {
			t.Errorf("%s with two resources", w.ended)
		}
		if w.made > 1 {
			t.Errorf("%d created", w.made)
		}
	})
}

// TestNothingGoesBackOnceTheNewResourceIsInUse: a new resource that fails after the first
// reference moved stays, and so does the old one, until an operator or the next plan acts.
func TestNothingGoesBackOnceTheNewResourceIsInUse(t *testing.T) {
	t.Parallel()
	w := newWorld(resource.CreateFirst, good)
	for at := 1; at < 50 && w.users[0] == "old"; at++ {
		w = newWorld(resource.CreateFirst, good, at)
		_ = w.apply()
	}
	if w.users[0] == "old" || w.users[1] != "old" {
		t.Fatalf("the model does not move one reference before the other: %v", w.users)
	}
	w.outcome, w.crashes = unhealthy, nil
	if err := w.apply(); err != nil || w.ended != replace.GiveUp || w.find("old") == nil || w.created() == nil {
		t.Errorf("%s, %v; want both resources and an open replacement", w.ended, err)
	}
	w.outcome = good
	if err := w.apply(); err != nil || w.ended != replace.Done || w.find("old") != nil {
		t.Errorf("%s, %v; want it done once the new resource is healthy", w.ended, err)
	}
}

// TestStepsAreThoseOfTheRun: what plans show is what an apply does.
func TestStepsAreThoseOfTheRun(t *testing.T) {
	t.Parallel()
	for _, s := range strategies {
		w := newWorld(s, good)
		var did []replace.Step
		for range 50 {
			stage := w.observe()
			step := w.record.Next(stage)
			if len(did) == 0 || did[len(did)-1] != step {
				did = append(did, step)
			}
			if err := w.do(step, stage); err != nil {
				t.Fatal(err)
			}
			if step == replace.Done {
				break
			}
		}
		if diff := cmp.Diff(append(replace.Steps(s), replace.Done), did); diff != "" {
			t.Errorf("%s (-shown +done):\n%s", s, diff)
		}
		for _, step := range did {
			if step.Destroys() != (step == replace.DeleteOld) || step.Ends() != (step == replace.Done) {
				t.Errorf("%s: destroys %v, ends %v", step, step.Destroys(), step.Ends())
			}
		}
	}
}

// TestStages is one row a rule that the runs of the model do not need to end well.
func TestStages(t *testing.T) {
	t.Parallel()
	is := func(id string, h resource.Health) *resource.Observed { return &resource.Observed{ID: id, Health: h} }
	swap := replace.Replacement{Strategy: resource.Swap, Old: "old", Deadline: start.Add(time.Minute)}
	back, late := swap, swap
	back.Reverting = true
	late.Deadline = start
	first := swap
	first.Strategy = resource.CreateFirst
	for name, c := range map[string]struct {
		r      replace.Replacement
		s      replace.Stage
		want   replace.Step
		failed bool
	}{
		"a failing resource does not wait for the deadline": {
			swap,
			replace.Stage{Old: is("old", resource.Stopped), New: is("new", resource.Failing), Aside: true},
			replace.Revert, true,
		},
		"one whose health is unknown waits": {
			swap,
			replace.Stage{Old: is("old", resource.Stopped), New: is("new", resource.Unclear), Aside: true},
			replace.Wait, false,
		},
		"and fails at the deadline": {
			late,
			replace.Stage{Old: is("old", resource.Stopped), New: is("new", resource.Unclear), Aside: true},
			replace.Revert, true,
		},
		"an old resource that may be going keeps the new one": {
			back,
			replace.Stage{Old: is("old", resource.Pending), New: is("new", resource.Failing), Aside: true},
			replace.Wait, false,
		},
		"a restored resource that starts is not back yet": {
			back,
			replace.Stage{Old: is("old", resource.Pending)},
			replace.Wait, false,
		},
		"one that was failing before is back": {
			back,
			replace.Stage{Old: is("old", resource.Failing)},
			replace.Reverted, false,
		},
		"without an old resource the new one stays": {
			back,
			replace.Stage{New: is("new", resource.Failing)},
			replace.GiveUp, false,
		},
		"the old resource is not taken for the new one": {
			back,
			replace.Stage{Old: is("old", resource.Healthy), New: is("old", resource.Healthy)},
			replace.Reverted, false,
		},
		"a new resource without an old one is started": {
			swap,
			replace.Stage{New: is("new", resource.Stopped)},
			replace.Switch, false,
		},
		"references move before the old resource goes": {
			first,
			replace.Stage{Old: is("old", resource.Healthy), New: is("new", resource.Healthy), Used: true},
			replace.References, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.s.Now = start
			if got := c.r.Next(c.s); got != c.want || c.r.Failed(c.s) != c.failed {
				t.Errorf("%s, failed %v; want %s, %v", got, c.r.Failed(c.s), c.want, c.failed)
			}
		})
	}
}
