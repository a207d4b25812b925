package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/toys/shelf"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/storage"
)

// interruptedAt is a dock whose replacement by an image crashed at a point around the effects of
// the provider.
func interruptedAt(t *testing.T, s resource.Strategy, image string, nth int) *dock {
	t.Helper()
	y := started(t, s, fate{image: image})
	y.try(&crasher{nth: nth, coarse: true}, boxed(kindFor(s), image, s))
	if !y.m.dead {
		t.Fatalf("there is no point %d", nth)
	}
	y.open(&crasher{})
	t.Cleanup(y.stop)
	return y
}

// images are those of the resources of a kind that are left.
func (y *dock) images(kind string) string {
	var out []string
	for _, o := range y.left(kind) {
		out = append(out, shelf.Text(o.Attrs, "image"))
	}
	return strings.Join(out, " ")
}

// decided is the decision of the next plan on the box or pod, made with the strictest limits.
func (y *dock) decided(in []resource.Intent) decider.Decision {
	y.t.Helper()
	p, err := y.engine.Plan(y.t.Context(), in, engine.PlanOptions{MaxDestroy: rules.Budget{Set: true}, SkipDestructive: true})
	if err != nil {
		y.t.Fatal(err)
	}
	for _, d := range p.Plan.Decisions {
		if d.Ref.Name == "web" {
			return d
		}
	}
	y.t.Fatalf("no decision: %v", brief(p))
	return decider.Decision{}
}

// replaceTable is what the next plan does after a crash between or within the steps of a replacement.
// engine/crashes.md has the same rows.
var replaceTable = []struct {
	strategy, after, before string
	next                    string // what the next plan does
	image                   string // that replaces web:1
	nth                     int    // the point around the effects of the provider at which the apply crashes
	action                  decider.Action
	steps                   string // that are left
	left                    string // the image that one more apply leaves
}{
	{"destroy-first", "`delete`", "`create`", "the binding has ended: the resource is missing, and is created", "web:2", 2, decider.Create, "[]", "web:2"},
	{"create-first", "`ReplaceStarted`", "`create`", "the old one differs: the replace is planned again, with the same key", "web:2", 1, decider.Replace, "[create wait references delete_old]", "web:2"},
	{"create-first", "`create`", "`references`", "both are bound: what refers to the old one is updated", "web:2", 2, decider.Replace, "[references delete_old]", "web:2"},
	{"create-first", "`references`", "`delete_old`", "the old one is deleted; there is no way back", "web:2", 7, decider.Replace, "[references delete_old]", "web:2"},
	{"create-first", "`delete_old`", "`ReplaceFinished`", "only the end is recorded", "web:2", 8, decider.Update, "[]", "web:2"},
	{"create-first", "`create` of one that fails", "`ReplaceReverted`", "it goes back: the new one is deleted", "crash", 2, decider.Revert, "[delete_new]", "web:1"},
	{"swap", "`ReplaceStarted`", "`set_aside`", "the old one differs: the replace is planned again, with the same key", "web:2", 1, decider.Replace, "[set_aside create switch wait delete_old]", "web:2"},
	{"swap", "`set_aside`", "`create`", "the old one runs under another name: the new one is created", "web:2", 2, decider.Replace, "[create switch wait delete_old]", "web:2"},
	{"swap", "`create`", "`switch`", "the new one is stopped: it is switched to", "web:2", 4, decider.Replace, "[switch wait delete_old]", "web:2"},
	{"swap", "`switch` stops the old one", "`switch` starts the new one", "both are stopped: it is switched to the new one", "web:2", 6, decider.Replace, "[switch wait delete_old]", "web:2"},
	{"swap", "`switch`", "`wait`", "the old one is deleted once the new one is healthy", "slow", 8, decider.Replace, "[wait delete_old]", "slow"},
	{"swap", "`switch` to one that fails", "`ReplaceReverted`", "it goes back: the new one is deleted, the old one restored", "crash", 8, decider.Revert, "[delete_new restore wait]", "web:1"},
	{"swap", "`ReplaceReverted`", "`delete_new`", "it goes back", "crash", 9, decider.Revert, "[delete_new restore wait]", "web:1"},
	{"swap", "`delete_new`", "`restore`", "it goes back: the old one is restored", "crash", 10, decider.Revert, "[restore wait]", "web:1"},
	{"swap", "`restore` gives the name back", "`restore` starts the old one", "it goes back: the old one is restored", "crash", 12, decider.Revert, "[restore wait]", "web:1"},
	{"swap", "`restore`", "`ReplaceFinished`", "only the end is recorded", "crash", 14, decider.Revert, "[]", "web:1"},
	{"swap", "`delete_old`", "`ReplaceFinished`", "only the end is recorded", "web:2", 10, decider.Update, "[]", "web:2"},
	{"start-first", "`switch` starts the new one", "`switch` stops the old one", "both run: the old one is deleted once the new one is healthy", "web:2", 6, decider.Replace, "[delete_old]", "web:2"},
}

// TestLaw2_RecordBeforeAct_ReplaceTable crashes at each row of the table.
func TestLaw2_RecordBeforeAct_ReplaceTable(t *testing.T) {
	for _, row := range replaceTable {
		t.Run(row.strategy+" after "+row.after, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := resource.Strategy(row.strategy)
				y := interruptedAt(t, s, row.image, row.nth)
				in := boxed(kindFor(s), row.image, s)
				if d := y.decided(in); d.Proposed != row.action || fmt.Sprint(d.Steps) != row.steps {
					t.Errorf("planned %s (%s) %q with %v", d.Proposed, d.Reason, d.Message, d.Steps)
				}
				y.apply(in)
				y.whole(kindFor(s), row.left)
			})
		})
	}
}

// TestAReplacementInProgressFollowsItsConfiguration: it goes on or goes back as what is configured
// now requires. To go back counts in no budget.
func TestAReplacementInProgressFollowsItsConfiguration(t *testing.T) {
	const back, on = decider.ReasonReverts, decider.ReasonResumes
	for name, c := range map[string]struct {
		s             resource.Strategy
		image         string
		nth           int
		then          string // configured afterwards
		action        decider.Action
		reason        decider.Reason
		message, left string
	}{
		"the same":                    {resource.Swap, "web:2", 4, "web:2", decider.Replace, on, "the replacement of box-1 by box-2 was interrupted", "web:2"},
		"set aside":                   {resource.Swap, "web:2", 2, "web:2", decider.Replace, decider.ReasonImmutable, "image cannot be changed in place", "web:2"},
		"set aside, another image":    {resource.Swap, "web:2", 2, "web:4", decider.Replace, decider.ReasonImmutable, "image cannot be changed in place", "web:4"},
		"set aside, the old image":    {resource.Swap, "web:2", 2, "web:1", decider.Revert, back, "the replacement of box-1 was interrupted; box-1 is restored", "web:1"},
		"created, the old image":      {resource.Swap, "web:2", 4, "web:1", decider.Revert, back, "box-2 was to replace box-1, and the configuration has changed since", "web:1"},
		"switched, another image":     {resource.Swap, "web:2", 8, "web:4", decider.Revert, back, "box-2 was to replace box-1, and the configuration has changed since", "web:1"},
		"failing":                     {resource.Swap, "crash", 8, "crash", decider.Revert, back, "box-2, which was to replace box-1, is failing: exited with 1", "web:1"},
		"going back":                  {resource.Swap, "crash", 10, "crash", decider.Revert, back, "the replacement of box-1 was interrupted; box-1 is restored", "web:1"},
		"the old one is deleted":      {resource.Swap, "web:2", 10, "web:2", decider.Update, on, "box-2 replaced box-1, and the end of the replacement is not recorded", "web:2"},
		"pod created, the old image":  {resource.CreateFirst, "web:2", 2, "web:1", decider.Revert, back, "pod-4 was to replace pod-1, and the configuration has changed since", "web:1"},
		"pod used, the old image":     {resource.CreateFirst, "web:2", 4, "web:1", decider.Replace, on, "the replacement of pod-1 by pod-4 was interrupted", "web:2"},
		"nothing done, the old image": {resource.CreateFirst, "web:2", 1, "web:1", decider.Revert, back, "the replacement of pod-1 was interrupted before it changed anything", "web:1"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				y := interruptedAt(t, c.s, c.image, c.nth)
				in := boxed(kindFor(c.s), c.then, c.s)
				d := y.decided(in)
				if d.Proposed != c.action || d.Reason != c.reason || d.Message != c.message {
					t.Errorf("planned %s (%s) %q", d.Proposed, d.Reason, d.Message)
				}
				if (d.Action == decider.Notify) != d.Proposed.Destroys() {
					t.Errorf("with the strictest limits it is %s: %+v", d.Action, d.Blockers)
				}
				if r := y.apply(in); r.Counts.Failed != 0 {
					t.Errorf("counts %+v, %+v", r.Counts, r.Outcomes)
				}
				y.whole(kindFor(c.s), c.left)
				y.apply(in)
				y.whole(kindFor(c.s), map[bool]string{true: "web:1", false: c.then}[c.then == "crash"])
			})
		})
	}
}

// TestAReplacementInProgressEndsWithItsConfiguration: both resources are deleted.
func TestAReplacementInProgressEndsWithItsConfiguration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := interruptedAt(t, resource.Swap, "web:2", 4)
		none := []resource.Intent{{Stack: stack, Scopes: []resource.Scope{dockScope}}}
		deny := errors.New("deletion protection is on")
		y.boxes.Fault = func(verb string) error {
			if verb == "delete" {
				return &provider.Error{Cause: provider.Denied, Err: deny}
			}
			return nil
		}
		if r := y.apply(none); r.Counts.Failed != 1 || !errors.Is(r.Outcomes[0].Err, deny) || y.images("box") != "web:2 web:1" {
			t.Errorf("%+v, left are %s", r.Outcomes, y.images("box"))
		}
		y.boxes.Fault = nil
		if r := y.apply(none); r.Counts.Delete != 1 || r.Counts.Failed != 0 || y.images("box") != "" {
			t.Errorf("%+v, left are %s", r.Outcomes, y.images("box"))
		}
		y.settled(none)
		if open, err := y.ledger.Replacements(t.Context(), storage.Now); err != nil || len(open) > 0 {
			t.Errorf("in progress: %+v, %v", open, err)
		}
		y.replays()
	})
}

// TestAReplacementThatIsReferredToDoesNotGoBack, and says what to do.
func TestAReplacementThatIsReferredToDoesNotGoBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := interruptedAt(t, resource.CreateFirst, "web:2", 7) // before pod-1 is deleted
		in := boxed("pod", "web:2", resource.CreateFirst)
		set := func(h resource.Health) {
			_ = y.boxes.Shelf.Do(t.Context(), func() error { y.boxes.Shelf.ByID(dockRef("pod", ""), "pod-4").Health = h; return nil })
		}
		set(resource.Failing)
		if d := y.decided(in); d.Message != "the replacement of pod-1 by pod-4 cannot go back, because other resources refer to pod-4 already" {
			t.Errorf("the plan says %q", d.Message)
		}
		r := y.apply(in)
		want := "pod-4 is failing, and there is no way back, because other resources refer to it already; pod-1 is kept: repair pod-4, or run `ovi forget web:pod/web --id pod-1` to manage pod-4 alone"
		if r.Counts.Failed != 1 || r.Outcomes[0].Detail != want || y.images("pod") != "web:1 web:2" {
			t.Errorf("%+v, left are %s", r.Outcomes, y.images("pod"))
		}
		set(resource.Healthy)
		y.apply(in)
		y.whole("pod", "web:2")
	})
}

// TestAForgottenOldResourceStays, and the new one is managed alone.
func TestAForgottenOldResourceStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := interruptedAt(t, resource.CreateFirst, "web:2", 7)
		in := boxed("pod", "web:2", resource.CreateFirst)
		if e, err := y.engine.Forget(t.Context(), dockRef("pod", "web"), "pod-1", ann); err != nil || e.Type() != event.TypeDisowned {
			t.Fatalf("%+v, %v", e, err)
		}
		y.apply(in)
		y.settled(in)
		if open, err := y.ledger.Replacements(t.Context(), storage.Now); err != nil || len(open) > 0 || y.images("pod") != "web:1 web:2" {
			t.Errorf("left are %s, in progress: %+v, %v", y.images("pod"), open, err)
		}
	})
}

// TestWaitingHasADeadline: what is not healthy by then counts as failed.
func TestWaitingHasADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, s := range keepOld {
			y := started(t, s, fate{image: "stuck"})
			at := time.Now()
			y.try(&crasher{}, boxed(kindFor(s), "stuck", s))
			if took := time.Since(at); took < 10*time.Minute || took > 12*time.Minute {
				t.Errorf("%s: it took %s", s, took)
			}
			y.open(&crasher{})
			y.whole(kindFor(s), "web:1")
			if told := strings.Join(y.told(dockRef(kindFor(s), "web")), "\n"); !strings.Contains(told, "is still pending at the deadline") {
				t.Errorf("%s: the records:\n%s", s, told)
			}
			y.stop()
		}
	})
}

// TestAnInterruptedWaitIsResumed: the first Ctrl-C ends the wait, and the next apply goes on.
func TestAnInterruptedWaitIsResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := started(t, resource.Swap, fate{image: "slow"})
		y.open(&crasher{})
		defer y.stop()
		in := boxed("box", "slow", resource.Swap)
		p := y.plan(in)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r, err := y.engine.Apply(ctx, p, engine.ApplyOptions{})
		if err != nil || r.Outcomes[0].Status != engine.Uncertain || r.Outcomes[0].Detail != "the apply was interrupted while box-2 was pending; the next apply goes on with the replacement" {
			t.Fatalf("%+v, %v", r, err)
		}
		y.apply(in)
		y.whole("box", "slow")
	})
}

// TestAnObservationThatFailsStopsAReplacement where it is: nothing is concluded from it.
func TestAnObservationThatFailsStopsAReplacement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := started(t, resource.Swap, fate{image: "web:2"})
		y.open(&crasher{})
		defer y.stop()
		in := boxed("box", "web:2", resource.Swap)
		p := y.plan(in)
		blind := errors.New("no route to host")
		y.boxes.Fault = func(verb string) error {
			if verb == "create" {
				y.unseen = blind
			}
			return nil
		}
		r, err := y.engine.Apply(t.Context(), p, engine.ApplyOptions{Tries: 3})
		if err != nil || r.Counts.Failed != 1 || !errors.Is(r.Outcomes[0].Err, blind) {
			t.Fatalf("%+v, %v", r, err)
		}
		y.unseen, y.boxes.Fault = nil, nil
		y.apply(in)
		y.whole("box", "web:2")
	})
}

// TestAnOldResourceThatVanishesMeanwhile was deleted outside ovi: the new one stays.
func TestAnOldResourceThatVanishesMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, nth := range []int{2, 4, 8} {
			y := interruptedAt(t, resource.Swap, "web:2", nth)
			_ = y.boxes.Shelf.Do(t.Context(), func() error { y.boxes.Shelf.Remove(dockRef("box", ""), "box-1"); return nil })
			in := boxed("box", "web:2", resource.Swap)
			y.apply(in)
			y.apply(in) // it may be restarted first
			y.whole("box", "web:2")
			y.settled(in)
		}
	})
}
