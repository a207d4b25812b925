package engine_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source"
)

// under sets the rules of an intent.
func under(r rules.Rules, in []resource.Intent) []resource.Intent {
	in[0].Rules = r
	return in
}

func rule(name, when, effect string) rules.Expression {
	return rules.Expression{Name: name, When: when, Effect: effect, At: position.Position{File: "ovi.yaml", Line: 3}, WhenAt: position.Position{File: "ovi.yaml", Line: 4, Column: 11}}
}

func TestARuleBlocksInItsStackOnly(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("d", 20)))
	deny := rules.Rules{Expressions: []rules.Expression{rule("keep", `decision.action == "delete"`, "deny")}}
	p := b.plan(under(deny, wants()))
	if diff := cmp.Diff([]string{"notify disk/d (delete blocked by rule keep)"}, brief(p)); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	other := append(wants(), resource.Intent{Stack: "other", Rules: deny})
	if diff := cmp.Diff([]string{"delete disk/d"}, brief(b.plan(other))); diff != "" {
		t.Errorf("with the rule of another stack (-want +got):\n%s", diff)
	}
	everywhere, err := b.engine.Plan(t.Context(), wants(), engine.PlanOptions{Rules: deny})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"notify disk/d (delete blocked by rule keep)"}, brief(everywhere)); diff != "" {
		t.Errorf("with a rule for every stack (-want +got):\n%s", diff)
	}
}

func TestAnInvalidRuleStopsThePlanBeforeItObserves(t *testing.T) {
	b := newBench(t)
	_, err := b.engine.Plan(t.Context(), under(rules.Rules{Expressions: []rules.Expression{rule("bad", `decision.acton == "delete"`, "deny")}}, wants()), engine.PlanOptions{})
	var all source.Problems
	if !errors.As(err, &all) || all[0].At.Line != 4 || !strings.Contains(err.Error(), "acton") {
		t.Fatalf("error %v", err)
	}
	if got := b.events(); len(got) != 0 {
		t.Errorf("recorded: %v", got)
	}
}

func TestWarningsAreRecordedAndBlockNothing(t *testing.T) {
	b := newBench(t)
	p := b.plan(under(rules.Rules{Expressions: []rules.Expression{rule("loud", `decision.action == "create"`, "warn")}}, wants(disk("d", 20))))
	d, _ := decisionOn(p, ref("disk", "d"))
	if d.Action != decider.Create || len(d.Warnings) != 1 || d.Warnings[0].Policy != "rule loud" {
		t.Errorf("decision %+v", d)
	}
	planned := b.lastPlan()
	if got := planned.Decisions[0]; len(got.Warnings) != 1 || got.Desired == nil {
		t.Errorf("recorded: %+v", got)
	}
	if planned.At.IsZero() || planned.Known == 0 || planned.Digest != p.Plan.Digest() {
		t.Errorf("the inputs of policies are not recorded: %+v", planned)
	}
}

// lastPlan is the newest recorded plan.
func (b *bench) lastPlan() (last event.Planned) {
	b.t.Helper()
	for r, err := range history.New(b.ledger.Reader()).LogRecords(b.t.Context(), history.Filter{Types: []string{event.TypePlanned}}) {
		if err != nil {
			b.t.Fatal(err)
		}
		last = r.Event.(event.Planned)
	}
	return last
}

// A saved plan can be applied once the stack's window opens; an open window for every stack does
// not open it.
func TestASavedPlanIsAppliedOnceItsWindowOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // begins at midnight UTC, 1 January 2000
		b := newBench(t)
		b.apply(wants(disk("d", 20)))
		night := rules.Window{Name: "night", From: 22 * time.Hour, To: 23 * time.Hour}
		open := rules.Rules{Windows: []rules.Window{{Name: "always"}}}
		rules := rules.Rules{Windows: []rules.Window{night}}
		p, err := b.engine.Plan(t.Context(), under(rules, wants()), engine.PlanOptions{Rules: open})
		if err != nil {
			t.Fatal(err)
		}
		d, _ := decisionOn(p, ref("disk", "d"))
		if len(d.Blockers) != 1 || d.Blockers[0].Policy != "windows" || d.Blockers[0].Until == nil || d.Blockers[0].Until.Hour() != 22 {
			t.Fatalf("blocked by %+v", d.Blockers)
		}
		saved := b.saved(under(rules, wants()))
		if diff := cmp.Diff([]string{"notify disk/d (delete blocked by windows)"}, brief(b.refresh(saved, under(rules, wants())))); diff != "" {
			t.Errorf("before the window (-want +got):\n%s", diff)
		}
		time.Sleep(22*time.Hour + 30*time.Minute)
		if diff := cmp.Diff([]string{"delete disk/d"}, brief(b.refresh(saved, under(rules, wants())))); diff != "" {
			t.Errorf("in the window (-want +got):\n%s", diff)
		}
	})
}

func TestApprovalsAreOfOnePlanByDifferentOperatorsUntilTheyExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.apply(wants(disk("d", 20)))
		two := func(resources ...resource.Desired) []resource.Intent {
			return under(rules.Rules{Approvals: []rules.Approval{{Approvers: 2}}}, wants(resources...))
		}
		saved := b.saved(two())
		blocked := func(name string, want bool) {
			t.Helper()
			d, _ := decisionOn(b.refresh(saved, two()), ref("disk", "d"))
			if (d.Action != decider.Delete) != want {
				t.Errorf("%s: blocked %v, want %v: %+v", name, !want, want, d.Blockers)
			}
		}
		approve := func(p *engine.Planned, who string, d time.Duration) {
			t.Helper()
			if _, err := b.engine.Approve(t.Context(), p, engine.OperatorAction{Who: who}, time.Now().Add(d)); err != nil {
				t.Fatal(err)
			}
		}
		blocked("not approved", true)
		if r, err := b.engine.Apply(t.Context(), b.plan(two()), engine.ApplyOptions{Approved: &event.Approved{Who: "cid", How: "typed yes"}}); err != nil || r.Counts.Blocked != 1 {
			t.Errorf("confirming an apply counts as an approval: %+v %v", r, err)
		}
		approve(saved, "ann", time.Hour)
		approve(saved, "ann", time.Hour)
		blocked("approved twice by one operator", true)
		approve(b.saved(two(disk("e", 1))), "bob", time.Hour)
		blocked("an approval of another plan", true)
		approve(saved, "bob", time.Hour)
		blocked("approved by two operators", false)
		time.Sleep(2 * time.Hour)
		blocked("expired", true)
		approve(saved, "ann", time.Hour)
		approve(saved, "bob", time.Hour)
		o := resource.Observed{Ref: ref("disk", "x"), ID: "x-1", Ownership: resource.Proven, Attrs: attrs("size", resource.Int(1))}
		b.cloud.Put(o)
		blocked("another resource changed since", false)
		d, _ := decisionOn(b.refresh(saved, two()), ref("disk", "x").Bare())
		if d.Action != decider.Notify {
			t.Errorf("an action that is not in the plan is done under its approval: %+v", d)
		}
		if _, err := b.engine.Apply(t.Context(), b.refresh(saved, two()), engine.ApplyOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, ok, _ := b.cloud.Find(ref("disk", "d")); ok {
			t.Error("the approved action was not done")
		}
	})
}

// TestAPlanThatWasAppliedInPartCannotBeApproved: approvals are of everything that a plan proposes, so after a part was
// done they would never count.
func TestAPlanThatWasAppliedInPartCannotBeApproved(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("d", 20), network("web")))
	in := under(rules.Rules{Approvals: []rules.Approval{{Kinds: []string{"disk"}, Approvers: 2}}}, wants())
	saved := b.saved(in)
	approve := func(who string) error {
		_, err := b.engine.Approve(t.Context(), saved, engine.OperatorAction{Who: who}, time.Now().Add(time.Hour))
		return err
	}
	if err := approve("ann"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.engine.Apply(t.Context(), b.refresh(saved, in), engine.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	var applied *engine.AppliedError
	if err := approve("bob"); !errors.As(err, &applied) || len(applied.Refs) != 1 || applied.Refs[0].Short() != "network/web" {
		t.Errorf("approved after it was applied in part: %v", err)
	}
	d, _ := decisionOn(b.refresh(saved, in), ref("disk", "d"))
	if len(d.Blockers) != 1 || !strings.Contains(d.Blockers[0].Reason, "applied in part") || !strings.Contains(d.Blockers[0].Suggestion, "new plan") {
		t.Errorf("the rest of the saved plan: %+v", d.Blockers)
	}
	if d, _ := decisionOn(b.plan(in), ref("disk", "d")); strings.Contains(d.Blockers[0].Reason, "applied in part") {
		t.Errorf("a plan that was not saved: %+v", d.Blockers)
	}
}

func TestAnEmptyPlanCannotBeApproved(t *testing.T) {
	b := newBench(t)
	_, err := b.engine.Approve(t.Context(), b.saved(wants()), engine.OperatorAction{Who: "ann"}, time.Now().Add(time.Hour))
	if !errors.Is(err, engine.ErrNothingToApprove) {
		t.Errorf("error %v", err)
	}
}

func TestRulesReadTheHistory(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("d", 20)))
	twice := rules.Rules{Expressions: []rules.Expression{rule("twice",
		`history.size() == 2 && history[0].event == "finished" && history[0].outcome == "done" && history[1].event == "started" && history[1].who == "ann"`, "deny")}}
	if diff := cmp.Diff([]string{"notify disk/d (update blocked by rule twice)"}, brief(b.plan(under(twice, wants(disk("d", 30)))))); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}
