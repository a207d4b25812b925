package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

func sortByRef(resources []resource.Desired) {
	slices.SortFunc(resources, func(a, b resource.Desired) int { return a.Ref.Compare(b.Ref) })
}

func TestTheSecondPlanIsEmpty(t *testing.T) {
	b := newBench(t)
	want := wants(network("main"), server("a", "main"), server("b", "main"), disk("d", 20))
	if diff := cmp.Diff([]string{"create disk/d", "create network/main", "create server/a", "create server/b"}, brief(b.plan(want))); diff != "" {
		t.Errorf("first plan (-want +got):\n%s", diff)
	}
	r := b.apply(want)
	for name, s := range statuses(r) {
		if s != engine.Done {
			t.Errorf("%s: %s", name, s)
		}
	}
	if r.Counts.Create != 4 || r.Counts.Failed != 0 {
		t.Errorf("counts: %+v", r.Counts)
	}
	b.settled(want)
	if n := len(b.cloud.Resources(here)); n != 4 {
		t.Errorf("%d resources, want 4", n)
	}
}

func TestLaw8_PlansAreReadOnly(t *testing.T) {
	b := newBench(t)
	b.plan(wants(network("main"), server("a", "main")))
	if n := b.calls(); n != 0 {
		t.Errorf("a plan made %d calls that change resources", n)
	}
	got := b.events(event.TypeStarted, event.TypeFinished, event.TypeNotStarted, event.TypeApproved)
	if len(got) != 0 {
		t.Errorf("a plan recorded actions: %v", got)
	}
	if diff := cmp.Diff([]string{"loaded", "observed", "planned"}, b.events()); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func TestTheLastResourceOfAScopeIsDeletedToo(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("d", 20)))
	none := []resource.Intent{{Stack: stack}} // without a scope
	p := b.plan(none)
	if diff := cmp.Diff([]string{"delete disk/d"}, brief(p)); diff != "" {
		t.Fatalf("plan (-want +got):\n%s", diff)
	}
	b.apply(none)
	if n := len(b.cloud.Resources(here)); n != 0 {
		t.Errorf("%d resources remain", n)
	}
	if _, ok, err := b.ledger.Applied(t.Context(), ref("disk", "d"), 0); ok || err != nil {
		t.Errorf("the applied configuration of a deleted resource is kept: %v %v", ok, err)
	}
	if scopes, err := b.ledger.Scopes(t.Context(), stack); err != nil || len(scopes) != 0 {
		b.settled(none)
		if scopes, err = b.ledger.Scopes(t.Context(), stack); err != nil || len(scopes) != 0 {
			t.Errorf("the scope is kept: %v %v", scopes, err)
		}
	}
}

func TestLaw1_AbsenceNeedsACompleteRead_UnreachableScopesAreNotChanged(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("d", 20)))
	b.cloud.Break(fake.Faults{Before: fake.Unreachable(here, fake.ErrThrottled)})
	p := b.plan(wants(disk("e", 20))) // e, and d, which is recorded
	if len(p.Plan.Unreachable) != 1 || p.Counts.Unreachable != 2 || len(p.Observations) != 1 || p.Observations[0].Err == nil {
		t.Errorf("unreachable %v, observations %+v", p.Plan.Unreachable, p.Observations)
	}
	for _, d := range p.Plan.Decisions {
		if d.Action.Executes() || d.Proposed.Executes() {
			t.Errorf("in an unreachable scope: %s %s", d.Proposed, d.Ref)
		}
	}
	if _, err := b.ledger.Resource(t.Context(), ref("disk", "d"), 0); err != nil {
		t.Errorf("an unreachable resource is no longer recorded: %v", err)
	}
}

func TestAFailureAffectsItsDependentsOnly(t *testing.T) {
	b := newBench(t)
	b.cloud.Break(fake.Faults{Before: fake.Every(fake.Create, ref("network", "bad"), fake.ErrConfiguration)})
	want := wants(network("bad"), server("a", "bad"), network("good"), server("b", "good"), disk("d", 20))
	r := b.apply(want)
	expect := map[string]engine.Status{
		"network/bad": engine.Failed, "server/a": engine.WaitingFor,
		"network/good": engine.Done, "server/b": engine.Done, "disk/d": engine.Done,
	}
	if diff := cmp.Diff(expect, statuses(r)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	for _, o := range r.Outcomes {
		if o.Status == engine.WaitingFor && o.On != ref("network", "bad") {
			t.Errorf("%s waits on %s", o.Ref, o.On)
		}
	}
	if diff := cmp.Diff([]string{"not_started server/a"}, b.events(event.TypeNotStarted)); diff != "" {
		t.Errorf("not started (-want +got):\n%s", diff)
	}
	b.cloud.Break(fake.Faults{})
	b.apply(want)
	b.settled(want)
}

func TestDestroyFirstDeletesThenCreates(t *testing.T) {
	b := newBench(t)
	b.apply(wants(network("main"), server("a", "main"), disk("d", 20)))
	changed := network("main")
	changed.Attrs = attrs("range", resource.String("10.1.0.0/16"))
	want := wants(changed, server("a", "main"), disk("d", 20))
	r := b.apply(want)
	if diff := cmp.Diff(map[string]engine.Status{"network/main": engine.Done, "server/a": engine.Done}, statuses(r)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	var order []string
	for _, c := range b.cloud.Calls()[5:] {
		if c.Verb != fake.Observe {
			order = append(order, string(c.Verb)+" "+c.Ref.Kind)
		}
	}
	if diff := cmp.Diff([]string{"delete server", "delete network", "create network", "create server"}, order); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if r.Counts.Replace != 2 {
		t.Errorf("counts: %+v", r.Counts)
	}
	b.settled(want)
}

func TestRetriesKeepTheirKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.cloud.Break(fake.Faults{Before: fake.Any(fake.Nth(fake.Create, 1, fake.ErrThrottled), fake.Nth(fake.Create, 2, fake.ErrUnreachable)), After: fake.Nth(fake.Create, 3, fake.ErrLost)})
		start := time.Now()
		r := b.apply(wants(disk("d", 20)))
		if diff := cmp.Diff(map[string]engine.Status{"disk/d": engine.Done}, statuses(r)); diff != "" {
			t.Errorf("outcomes (-want +got):\n%s", diff)
		}
		keys := map[string]int{}
		for _, c := range b.cloud.Calls() {
			if c.Verb == fake.Create {
				keys[c.Key]++
			}
		}
		if len(keys) != 1 || len(b.cloud.Resources(here)) != 1 {
			t.Errorf("keys %v, %d resources; want one of each", keys, len(b.cloud.Resources(here)))
		}
		if took := time.Since(start); took != 3500*time.Millisecond {
			t.Errorf("waited %s, want 0.5 + 1 + 2 s", took)
		}
		b.stop()
	})
}

func TestAPlanOfThePastCannotBeApplied(t *testing.T) {
	b := newBench(t)
	b.settled(wants())
	before, err := b.ledger.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.apply(wants(disk("a", 20)))
	then, err := b.ledger.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.apply(wants(disk("b", 20)))
	records, calls := len(b.events()), len(b.cloud.Calls())
	for at, want := range map[storage.Revision][]string{before: {"create disk/a"}, then: {"update disk/a"}} {
		p, err := b.engine.Plan(t.Context(), wants(disk("a", 30)), engine.PlanOptions{At: at})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, brief(p)); diff != "" || !p.Observations[0].Recorded {
			t.Errorf("at %d (-want +got):\n%s", at, diff)
		}
		if r, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{}); err == nil || r == nil {
			t.Errorf("a plan of the past was applied: %+v", r)
		}
	}
	p, err := b.engine.Plan(t.Context(), wants(disk("a", 30)), engine.PlanOptions{At: 1 << 40})
	if !errors.Is(err, storage.ErrFuture) {
		t.Errorf("a plan of the future: %v %v", p, err)
	}
	if len(b.events()) != records || len(b.cloud.Calls()) != calls {
		t.Error("a plan of the past left records or made calls")
	}
}

func TestRetriesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.cloud.Break(fake.Faults{Before: func(_ context.Context, c fake.Call) error {
			if c.Verb != fake.Create {
				return nil
			}
			time.Sleep(6 * time.Second) // a timeout; a system without an answer is called again for ten seconds
			return fake.ErrUnreachable
		}})
		r := b.apply(wants(disk("d", 20)))
		if o := r.Outcomes[0]; o.Status != engine.Failed || !o.Passes || b.calls() != 2 {
			t.Errorf("%s after %d calls, want failed after 2", o.Status, b.calls())
		}
		b.stop()
	})
}

func TestInterrupt(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	b.cloud.Break(fake.Faults{Before: func(_ context.Context, c fake.Call) error {
		if c.Verb == fake.Create {
			cancel() // the first Ctrl-C, during the call
		}
		return nil
	}})
	want := wants(network("main"), server("a", "main"), server("b", "main"))
	r, err := b.engine.Apply(ctx, b.plan(want), engine.ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	expect := map[string]engine.Status{"network/main": engine.Done, "server/a": engine.Interrupted, "server/b": engine.Interrupted}
	if diff := cmp.Diff(expect, statuses(r)); diff != "" || !r.Interrupted {
		t.Errorf("interrupted %v, outcomes (-want +got):\n%s", r.Interrupted, diff)
	}
	if diff := cmp.Diff([]string{"not_started server/a", "not_started server/b"}, b.events(event.TypeNotStarted)); diff != "" {
		t.Errorf("not started (-want +got):\n%s", diff)
	}
	b.apply(want)
	b.settled(want)
}

func TestASecondInterruptCancelsCallsAndLosesNothing(t *testing.T) {
	b := newBench(t)
	soft, first := context.WithCancel(t.Context())
	hard, second := context.WithCancel(t.Context())
	b.cloud.Break(fake.Faults{After: func(ctx context.Context, c fake.Call) error {
		if c.Verb != fake.Create {
			return nil
		}
		first()
		second()
		<-ctx.Done()
		return ctx.Err()
	}})
	want := wants(disk("d", 20))
	r, err := b.engine.Apply(soft, b.plan(want), engine.ApplyOptions{Hard: hard})
	if err != nil {
		t.Fatal(err)
	}
	if got := statuses(r)["disk/d"]; got != engine.Uncertain {
		t.Errorf("outcome %s, want uncertain", got)
	}
	b.cloud.Break(fake.Faults{})
	p := b.plan(want)
	if !p.Plan.Empty() || len(p.Recovered) != 1 || p.Recovered[0].Finding != event.FoundDone {
		t.Errorf("plan %v, recovered %+v: want the create found done", brief(p), p.Recovered)
	}
	// A later change is not the work of the recovered action.
	o, _, _ := b.cloud.Find(ref("disk", "d"))
	o.Attrs = o.Attrs.With("size", resource.Int(21))
	b.cloud.Put(o)
	d, ok := decisionOn(b.plan(want), ref("disk", "d"))
	if !ok || len(d.Changes) != 1 || d.Changes[0].Note != resource.NoteOutside {
		t.Errorf("a change after the recovery: %+v", d.Changes)
	}
}

// TestASecondInterruptTellsNotStartedFromUnknown: a call that was not made is not started, one that was cut off is
// unknown, and neither is a failure or an attempt of the configuration.
func TestASecondInterruptTellsNotStartedFromUnknown(t *testing.T) {
	custom := errors.New("interrupted") // as a signal ends the context of the command line
	for _, x := range []struct {
		name   string
		verb   fake.Verb
		record string // the second interrupt comes with it
		want   engine.Status
		counts event.Counts
		found  event.Finding
	}{
		{"before the claim", "", event.TypeApproved, engine.Interrupted, event.Counts{NotStarted: 1}, ""},
		{"between the start and the call", "", event.TypeStarted, engine.Interrupted, event.Counts{NotStarted: 1}, ""},
		{"before the call arrives", fake.Create, "", engine.Uncertain, event.Counts{Unknown: 1}, event.FoundNotDone},
	} {
		t.Run(x.name, func(t *testing.T) {
			b := newBench(t)
			soft, first := context.WithCancel(t.Context())
			hard, second := context.WithCancelCause(t.Context())
			interrupt := func() { first(); second(custom) }
			stop := b.ledger.Listen(func(r event.Record) {
				if r.Event.Type() == x.record {
					interrupt()
				}
			})
			b.cloud.Break(fake.Faults{Before: func(ctx context.Context, c fake.Call) error {
				if c.Verb != x.verb {
					return nil
				}
				interrupt()
				<-ctx.Done()
				return context.Cause(ctx)
			}})
			want := wants(disk("d", 20))
			r, err := b.engine.Apply(soft, b.plan(want), engine.ApplyOptions{Hard: hard, Approved: &event.Approved{}})
			stop()
			if err != nil || len(r.Outcomes) != 1 {
				t.Fatalf("%+v, %v", r, err)
			}
			if diff := cmp.Diff(x.counts, r.Counts); diff != "" || r.Outcomes[0].Status != x.want {
				t.Errorf("outcome %+v (-want +got):\n%s", r.Outcomes[0], diff)
			}
			b.cloud.Break(fake.Faults{})
			p := b.plan(want)
			var found event.Finding
			for _, e := range p.Recovered {
				found = e.Finding
			}
			if found != x.found || len(p.OpenActions()) != 0 {
				t.Errorf("recovered %+v, open %+v", p.Recovered, p.OpenActions())
			}
			if n := p.Tries[ref("disk", "d")].Of(want[0].Resources[0].Digest()).Failures; n != 0 {
				t.Errorf("%d attempts failed", n)
			}
			if diff := cmp.Diff([]string{"create disk/d"}, brief(p)); diff != "" {
				t.Errorf("the next plan (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLaw2_RecordBeforeAct_NothingStartsThatCannotBeRecorded(t *testing.T) {
	want := wants(disk("a", 20), disk("b", 20), disk("c", 20))
	for commits := range int64(12) {
		b := newBench(t)
		p := b.plan(want)
		b.breakRecord(commits)
		r, err := b.engine.Apply(t.Context(), p, engine.ApplyOptions{Parallelism: 1})
		if r == nil || len(r.Outcomes) != 3 {
			t.Fatalf("%d commits: result %+v", commits, r)
		}
		if broken := b.ledger.Broken(); broken != nil && !errors.Is(err, ledger.ErrBroken) {
			t.Errorf("%d commits: the ledger broke, and the apply returned %v", commits, err)
		}
		if started := len(b.events(event.TypeStarted)); b.calls() > started {
			t.Errorf("%d commits: %d calls, but %d recorded starts", commits, b.calls(), started)
		}
		b.stop()
		b.start() // there is room again
		b.apply(want)
		b.settled(want)
		if n := len(b.cloud.Resources(here)); n != 3 {
			t.Errorf("%d commits: %d resources, want 3", commits, n)
		}
	}
}

func TestBlessedResourcesAreNotChanged(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	b.apply(wants(disk("d", 20)))
	if err := b.engine.Bless(ctx, ref("disk", "d"), engine.OperatorAction{Who: "ann", Reason: "the only copy"}); err != nil {
		t.Fatal(err)
	}
	if o, ok, _ := b.cloud.Find(ref("disk", "d")); !ok || !o.Marks.Blessed {
		t.Errorf("the mark is missing: %+v", o)
	}
	p := b.plan(wants())
	if diff := cmp.Diff([]string{"notify disk/d (delete blocked by blessed)"}, brief(p)); diff != "" {
		t.Errorf("plan without the configuration (-want +got):\n%s", diff)
	}
	r := b.apply(wants())
	if r.Counts.Blocked != 1 || len(r.Outcomes) != 0 {
		t.Errorf("result %+v", r)
	}
	if diff := cmp.Diff([]string{"blocked disk/d"}, b.events(event.TypeBlocked)); diff != "" {
		t.Errorf("blocked (-want +got):\n%s", diff)
	}
	if err := b.engine.Unbless(ctx, ref("disk", "d"), engine.OperatorAction{Who: "ben"}); err != nil {
		t.Fatal(err)
	}
	b.apply(wants())
	if n := len(b.cloud.Resources(here)); n != 0 {
		t.Errorf("%d resources remain", n)
	}
}

func TestARecordedBlessingSurvivesItsMark(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("d", 20)))
	if err := b.engine.Bless(t.Context(), ref("disk", "d"), engine.OperatorAction{Who: "ann"}); err != nil {
		t.Fatal(err)
	}
	o, _, _ := b.cloud.Find(ref("disk", "d"))
	o.Marks.Blessed = false // outside ovi
	b.cloud.Put(o)
	if diff := cmp.Diff([]string{"notify disk/d (delete blocked by blessed)"}, brief(b.plan(wants()))); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}

func TestAdopt(t *testing.T) {
	b := newBench(t)
	found := b.cloud.Put(resource.Observed{Ref: ref("disk", "d"), Attrs: attrs("size", resource.Int(10))})
	want := wants(disk("d", 20))
	p := b.plan(want)
	if d, ok := decisionOn(p, ref("disk", "d")); !ok || d.Reason != decider.ReasonConflict || d.Action != decider.Notify {
		t.Fatalf("plan: %v", brief(p))
	}
	o, err := b.engine.Adopt(t.Context(), want, engine.Adoption{OperatorAction: engine.OperatorAction{Who: "ann"}, Ref: ref("disk", "d")})
	if err != nil || o.ID != found.ID || !o.Managed() || o.Ref != ref("disk", "d") {
		t.Fatalf("adopted %+v: %v", o, err)
	}
	if v, _ := o.Attrs.Get("size"); v != resource.Int(10) {
		t.Errorf("adopting changed the size to %v", v)
	}
	if diff := cmp.Diff([]string{"update disk/d"}, brief(b.plan(want))); diff != "" {
		t.Errorf("plan after (-want +got):\n%s", diff)
	}
	if _, err := b.engine.Adopt(t.Context(), want, engine.Adoption{OperatorAction: engine.OperatorAction{Who: "ann"}, Ref: ref("disk", "d")}); err == nil {
		t.Error("it was adopted twice")
	}
}

func TestMaxAgeUsesTheRecordedState(t *testing.T) {
	b := newBench(t)
	want := wants(disk("d", 20))
	b.apply(want)
	b.settled(want)
	before := len(b.cloud.Calls())
	p, err := b.engine.Plan(t.Context(), want, engine.PlanOptions{MaxAge: time.Hour})
	if err != nil || !p.Plan.Empty() {
		t.Fatalf("plan %v: %v", brief(p), err)
	}
	if n := len(b.cloud.Calls()); n != before {
		t.Errorf("%d calls were made", n-before)
	}
	if len(p.Observations) != 1 || !p.Observations[0].Recorded || p.Observations[0].At.IsZero() || p.Observations[0].Count != 1 {
		t.Errorf("observations %+v: want one that is recorded, with its age", p.Observations)
	}
}

func TestDriftIsWhatChangedOutsideOvi(t *testing.T) {
	b := newBench(t)
	b.apply(wants(disk("a", 20), disk("b", 20), disk("c", 20)))
	a, _, _ := b.cloud.Find(ref("disk", "a"))
	a.Attrs = attrs("size", resource.Int(30)) // outside ovi
	b.cloud.Put(a)
	c, _, _ := b.cloud.Find(ref("disk", "c"))
	b.cloud.Remove(here, c.ID) // outside ovi
	want := wants(disk("a", 20), disk("b", 25), disk("c", 20), disk("new", 20))
	p, err := b.engine.Plan(t.Context(), want, engine.PlanOptions{Mode: event.ForDrift})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"update disk/a", "create disk/c"}, brief(p)); diff != "" {
		t.Errorf("drift (-want +got):\n%s", diff)
	}
}

func TestAPanicOfAProviderAffectsItsActionOnly(t *testing.T) {
	b := newBench(t)
	b.cloud.Break(fake.Faults{Before: func(_ context.Context, c fake.Call) error {
		if c.Ref.Name == "a" {
			panic("a defect")
		}
		return nil
	}})
	want := wants(disk("a", 20), disk("b", 20))
	r := b.apply(want)
	if diff := cmp.Diff(map[string]engine.Status{"disk/a": engine.Uncertain, "disk/b": engine.Done}, statuses(r)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if o := r.Outcomes[0]; o.Err == nil || !strings.Contains(o.Err.Error(), "a defect") {
		t.Errorf("error %v", o.Err)
	}
	b.cloud.Break(fake.Faults{})
	b.apply(want)
	b.settled(want)
}
