package engine_test

import (
	"errors"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/backtest"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source"
)

func (b *bench) records() iter.Seq2[event.Record, error] {
	return history.New(b.ledger.Reader()).LogRecords(b.t.Context(), history.Filter{})
}

func (b *bench) try(trial backtest.Backtest) backtest.Result {
	b.t.Helper()
	trial.Kinds = b.kinds()
	out, err := trial.Run(b.records())
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// short lists the rows of a back-test.
func short(r backtest.Result) []string {
	var out []string
	for _, x := range r.Tried {
		s := string(x.Proposed) + " " + x.Ref.Kind + "/" + x.Ref.Name + ": " + string(x.Was.Says) + " -> " + string(x.Would.Says)
		if x.Would.Policy != "" {
			s += " by " + x.Would.Policy
		}
		if x.Done {
			s += ", done"
		}
		out = append(out, s)
	}
	return out
}

// A rule that would have blocked a past deletion is shown to do so.
func TestABacktestShowsADeletionThatARuleBlocks(t *testing.T) {
	b := newBench(t)
	precious := disk("d", 20)
	precious.Tags = resource.Tags{{Key: "environment", Value: "prod"}}
	b.apply(wants(precious, disk("e", 20), network("n")))
	b.plan(wants(network("n")))
	b.apply(wants(network("n")))
	got := b.try(backtest.Backtest{Rules: rules.Rules{Expressions: []rules.Expression{
		rule("keep", `decision.destroys && resource.tags[?"environment"].orValue("") == "prod"`, "deny"),
	}}})
	if diff := cmp.Diff([]string{"delete disk/d: passes -> denied by rule keep, done"}, short(got)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if got.Plans != 3 || got.Decisions != 7 || got.Unjudged != 0 || got.Tried[0].Times != 2 {
		t.Errorf("%+v", got)
	}
	none := b.try(backtest.Backtest{Rules: rules.Rules{Expressions: []rules.Expression{rule("never", `decision.action == "replace"`, "deny")}}})
	if len(none.Tried) != 0 {
		t.Errorf("a rule that never matches: %v", short(none))
	}
}

// The same rules give the same results on their own past: everything that a rule can read is
// recorded.
func TestABacktestOfTheSameRulesFlipsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		rules := rules.Rules{
			Windows:   []rules.Window{{Name: "night", From: 1 * time.Hour, To: 2 * time.Hour, Kinds: []string{"disk"}}},
			Approvals: []rules.Approval{{Kinds: []string{"server"}}},
			Expressions: []rules.Expression{
				rule("attrs", `resource.exists && resource.kind == "disk" && resource.attrs.size >= 40`, "deny"),
				rule("desired", `desired.exists && desired.attrs[?"size"].orValue("") == "huge" && desired.file == "ovi.yaml" && desired.line == 7`, "deny"),
				rule("changes", `changes.exists(c, c.path == "size" && c.to == "30")`, "require_approval"),
				rule("totals", `plan.delete * 2 > plan.owned && plan.unchanged == 0 && plan.unreachable == 0`, "deny"),
				rule("history", `history.exists(h, h.event == "started" && h.action == "update")`, "defer"),
				rule("now", `now < timestamp("2000-01-01T02:00:00Z") && decision.action == "update"`, "warn"),
				rule("young", `resource.exists && resource.blessed`, "deny"),
			},
		}
		rules.Expressions[4].Until = `now + duration("30m")`
		huge := server("s", "main")
		huge.Attrs, huge.At = huge.Attrs.With("size", resource.String("huge")), position.Position{File: "ovi.yaml", Line: 7}
		secret := server("x", "main")
		secret.Attrs = secret.Attrs.With("password", resource.NewSecret("hunter2", "digest-1"))
		life := [][]resource.Desired{
			{network("main"), disk("d", 20), disk("e", 50), secret},
			{network("main"), disk("d", 30), disk("e", 60), secret},
			{network("main"), huge, disk("d", 25), disk("e", 50)},
			{network("main"), huge, disk("d", 25)},
			{network("main")},
			{},
		}
		for range 2 {
			for _, resources := range life {
				saved := b.saved(under(rules, wants(resources...)))
				if _, err := b.engine.Approve(t.Context(), saved, engine.OperatorAction{Who: "bob"}, time.Now().Add(90*time.Minute)); err != nil && !errors.Is(err, engine.ErrNothingToApprove) {
					t.Fatal(err)
				}
				b.apply(under(rules, wants(resources...)))
				if _, err := b.engine.Apply(t.Context(), b.refresh(saved, under(rules, wants(resources...))), engine.ApplyOptions{}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(20 * time.Minute)
			}
		}
		got := b.try(backtest.Backtest{Rules: rules, Instead: true})
		blocked := map[string]bool{}
		for _, x := range got.Tried {
			blocked[x.Would.Policy] = true
			if x.Flips() {
				t.Errorf("%s %s of plan %s: was %+v, would be %+v", x.Proposed, x.Ref, x.Plan, x.Was, x.Would)
			}
		}
		if got.Plans < 30 || got.Unjudged != 0 {
			t.Errorf("%d plans evaluated, %d not", got.Plans, got.Unjudged)
		}
		for _, policy := range []string{"windows", "approvals", "rule attrs", "rule desired", "rule changes", "rule totals", "rule history"} {
			if !blocked[policy] {
				t.Errorf("%s blocks nothing, so it is not tested (%v)", policy, blocked)
			}
		}
	})
}

func TestABacktestReplacesRulesOfTheSameNameOnly(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("a", 20), disk("b", 20)))
	force := rules.Rules{Expressions: []rules.Expression{
		rule("a", `resource.name == "a" && decision.destroys`, "deny"),
		rule("b", `resource.name == "b" && decision.destroys`, "deny"),
	}}
	b.apply(under(force, wants()))
	only := rules.Rules{Expressions: []rules.Expression{rule("a", `false`, "deny")}}
	if diff := cmp.Diff([]string{"delete disk/a: denied -> passes"}, short(b.try(backtest.Backtest{Rules: only}))); diff != "" {
		t.Errorf("a weaker rule of the same name (-want +got):\n%s", diff)
	}
	want := []string{"delete disk/a: denied -> passes", "delete disk/b: denied -> passes"}
	if diff := cmp.Diff(want, short(b.try(backtest.Backtest{Rules: only, Instead: true}))); diff != "" {
		t.Errorf("instead of all rules (-want +got):\n%s", diff)
	}
	blessed := engine.OperatorAction{Who: "ann"}
	if err := b.engine.Bless(t.Context(), ref("disk", "a"), blessed); err != nil {
		t.Fatal(err)
	}
	b.plan(wants())
	for _, x := range b.try(backtest.Backtest{Instead: true}).Tried {
		if x.Was.Policy == "blessed" && x.Flips() {
			t.Errorf("a back-test removes a blessing: %+v", x)
		}
	}
}

// Dependents of a decision that a rule blocks are blocked too.
func TestABacktestBlocksDependents(t *testing.T) {
	b := newBench(t)
	b.plan(wants(network("main"), server("a", "main")))
	got := b.try(backtest.Backtest{Rules: rules.Rules{Expressions: []rules.Expression{rule("no", `resource.kind == "network"`, "deny")}}})
	want := []string{"create network/main: passes -> denied by rule no", "create server/a: passes -> denied by dependency"}
	if diff := cmp.Diff(want, short(got)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// Plans whose inputs are no longer in the log are not evaluated.
func TestABacktestDoesNotGuess(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("d", 20)))
	b.plan(wants())
	late := func(yield func(event.Record, error) bool) {
		for r, err := range b.records() {
			if e, ok := r.Event.(event.Planned); !ok || e.Mode == event.ForPlan && !yield(r, err) {
				continue
			}
		}
	}
	out, err := backtest.Backtest{Kinds: b.kinds()}.Run(late)
	if err != nil || out.Unjudged != 1 {
		t.Errorf("%+v %v", out, err)
	}
	_, err = backtest.Backtest{Rules: rules.Rules{Expressions: []rules.Expression{rule("x", `nonsense`, "deny")}}}.Run(late)
	var all source.Problems
	if !errors.As(err, &all) {
		t.Errorf("error %v", err)
	}
}

func (b *bench) kinds() func(provider, kind string) (resource.Kind, bool) {
	return provider.Set{"fake": b.cloud}.Kind
}

// The baseline of a trimmed log is enough to evaluate the plans after it.
func TestABacktestReadsTheBaselineOfATrimmedLog(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("d", 20)))
	key := "resource/" + ref("disk", "d").String()
	have, err := b.ledger.Resource(t.Context(), ref("disk", "d"), 0)
	if err != nil {
		t.Fatal(err)
	}
	revision, err := b.ledger.Record(t.Context(), event.Baseline{Facts: []event.Fact{{Key: key, Value: have.AppendJSON(nil)}}})
	if err != nil {
		t.Fatal(err)
	}
	b.plan(wants())
	out, err := backtest.Backtest{Kinds: b.kinds(), Rules: rules.Rules{Expressions: []rules.Expression{
		rule("keep", `resource.attrs.size == 20`, "deny"),
	}}}.Run(history.New(b.ledger.Reader()).LogRecords(t.Context(), history.Filter{From: revision.First}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"delete disk/d: passes -> denied by rule keep"}, short(out)); diff != "" || out.Unjudged != 0 {
		t.Errorf("rows, %d plans not evaluated (-want +got):\n%s", out.Unjudged, diff)
	}
}
