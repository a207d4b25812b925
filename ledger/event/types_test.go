package event_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
)

// TestEventsNameTheirResource: what an event is about is the ref in its data, and rules see all
// events about resources in a resource's history.
func TestEventsNameTheirResource(t *testing.T) {
	many := []string{
		event.TypeLoaded, event.TypeSourceAccepted, event.TypePhaseFailed, event.TypeObserved, event.TypePlanned, event.TypeApproved, event.TypeWave, event.TypeOrdered, event.TypeAlarmed,
		event.TypeKeyPinned, event.TypeTrusted, event.TypeTrustRequired, event.TypePlanSaved, event.TypePolicyRequired, event.TypeRosterChanged, event.TypeRecoveryAsked, event.TypeRecoverySeen, event.TypeCertified, event.TypeActsCertified, event.TypeCosigned, event.TypeCompacted, event.TypeBaseline, event.TypeYielded, event.TypeLed, event.TypeOutputsChanged,
	}
	for _, e := range every() {
		r := recordOf(e)
		b, err := event.EncodeRecord(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := event.TypeOf(b); got != e.Type() {
			t.Errorf("the encoded type of %s is %q", e.Type(), got)
		}
		about := !slices.Contains(many, e.Type())
		if got := !e.About().IsZero(); got != about {
			t.Errorf("%s is about a resource: %v, want %v", e.Type(), got, about)
		}
		if about && !bytes.Contains(b, []byte(`"ref":"`+e.About().String()+`"`)) {
			t.Errorf("%s is about %s: %s", e.Type(), e.About(), b)
		}
		p, ok := event.PastOf(r)
		if ok != about || p.Event != e.Type() && p.Event != "unblessed" || !p.At.Equal(r.At) {
			t.Errorf("%s in a history: %+v, %v", e.Type(), p, ok)
		}
	}
	if event.TypeOf([]byte("{}")) != "" {
		t.Error("a record without a type has one")
	}
}

func TestPastsSayWhatHappened(t *testing.T) {
	for _, c := range []struct {
		e    event.Event
		want decider.Past
	}{
		{event.Finished{Ref: ref("a"), Action: decider.Delete, Outcome: event.Failed}, decider.Past{Event: "finished", Action: "delete", Outcome: "failed", Who: "ann"}},
		{event.Recovered{Ref: ref("a"), Action: decider.Create, Finding: event.FoundDone}, decider.Past{Event: "recovered", Action: "create", Outcome: "done", Who: "ann"}},
		{event.NotStarted{Ref: ref("a"), Action: decider.Create, Why: "check"}, decider.Past{Event: "not_started", Action: "create", Outcome: "check", Who: "ann"}},
		{event.Blocked{Ref: ref("a"), Proposed: decider.Delete}, decider.Past{Event: "blocked", Action: "delete", Who: "ann"}},
		{event.Blessed{Ref: ref("a"), On: true, Who: "bob"}, decider.Past{Event: "blessed", Who: "bob"}},
		{event.Blessed{Ref: ref("a"), Who: "bob"}, decider.Past{Event: "unblessed", Who: "bob"}},
		{event.Disowned{Ref: ref("a"), Who: "bob"}, decider.Past{Event: "disowned", Who: "bob"}},
	} {
		got, _ := event.PastOf(recordOf(c.e))
		got.At = c.want.At
		if got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
	}
}

func TestCountsCountEachDecisionOnce(t *testing.T) {
	p := decider.Plan{Unchanged: 4, Decisions: []decider.Decision{
		{Action: decider.Create, Proposed: decider.Create, Difference: comparator.Missing},
		{Action: decider.Update, Proposed: decider.Update, Difference: comparator.Drifted},
		{Action: decider.Replace, Proposed: decider.Replace, Difference: comparator.Drifted},
		{Action: decider.Restart, Proposed: decider.Restart, Difference: comparator.Drifted},
		{Action: decider.Delete, Proposed: decider.Delete, Difference: comparator.Unwanted},
		{Action: decider.Notify, Proposed: decider.Delete, Difference: comparator.Unwanted, Blockers: []decider.Blocker{{Policy: "window"}}},
	}}
	c := event.Count(p)
	if c.Create != 1 || c.Update != 1 || c.Replace != 1 || c.Restart != 1 || c.Delete != 1 || c.Blocked != 1 || c.Unchanged != 4 {
		t.Errorf("counted %+v", c)
	}
}
