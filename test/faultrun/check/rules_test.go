package check_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ovi-project/ovi/test/faultrun/check"
)

func at(second float64) time.Time {
	return time.Unix(1000, 0).Add(time.Duration(second * float64(time.Second)))
}

// good is a history of two instances without a breach: a creates a resource under token 10 and is
// stopped; its claim ends at 20; b recovers the action and deletes the resource under token 30; what
// a still records is rejected.
func good() check.History {
	return check.History{
		Calls: []check.Call{
			{Instance: "a", Ref: "r", Key: "k1", Token: 10, Action: "RunInstances", From: at(1), To: at(1.5), Status: 200, Lost: true, Made: []string{"i-1"}},
			{Instance: "b", Ref: "r", Key: "k2", Token: 30, Action: "TerminateInstances", From: at(9), To: at(9.1), Status: 200, Ended: []string{"i-1"}},
		},
		Actions: []check.Action{
			{Instance: "a", Revision: 11, Kind: check.Started, Ref: "r", Key: "k1", Token: 10, Plan: "p1", Saw: 5},
			{Instance: "b", Revision: 25, Kind: check.Answered, Ref: "r", Key: "k1"},
			{Instance: "a", Revision: 26, Kind: check.Late, Ref: "r", Key: "k1", Token: 10},
			{Instance: "b", Revision: 31, Kind: check.Started, Ref: "r", Key: "k2", Token: 30, Plan: "p2", Saw: 27, Deletes: true},
			{Instance: "b", Revision: 33, Kind: check.Ended, Ref: "r", Key: "k2", Token: 30},
		},
		Claims: []check.Claim{
			{Ref: "r", Token: 10, Instance: "a", Ended: 20, EndSeen: at(5)},
			{Ref: "r", Token: 30, Instance: "b", Ended: 34, EndSeen: at(10)},
			{Ref: "lead/s", Token: 12, Instance: "a", Ended: 21, EndSeen: at(5)},
			{Ref: "lead/s", Token: 22, Instance: "b"},
		},
		Ops: []check.ClaimOp{
			{Client: 0, Ref: "r", From: at(0), To: at(0.5), Take: true, Token: 10, Result: check.OpDone},
			{Client: 1, Ref: "r", From: at(2), To: at(2.5), Take: true, Result: check.OpRefused},
			{Client: 2, Ref: "r", From: at(0.5), To: at(5), Token: 10, Result: check.OpVanished},
			{Client: 1, Ref: "r", From: at(6), To: at(8), Take: true, Token: 30, Result: check.OpDone},
			{Client: 0, Ref: "r", From: at(8), To: at(8.5), Token: 10, Result: check.OpRefused},
			{Client: 1, Ref: "r", From: at(9.5), To: at(10), Token: 30, Result: check.OpDone},
		},
		Observations: []check.Look{{Instance: "a", Token: 12, At: at(1)}, {Instance: "b", At: at(2)}, {Instance: "a", Token: 12, At: at(5.5)}, {Instance: "b", Token: 22, At: at(6)}},
		Successions:  []check.Succession{{From: "a", Gone: at(1), Next: at(6), Within: 10 * time.Second}},
		Drains:       []check.Drain{{Instance: "b"}},
		Live:         map[string][]string{}, Desired: map[string]bool{},
		Logs: map[string]error{"a": nil, "b": nil}, Content: "x", Replayed: "x",
	}
}

func TestAGoodHistoryPasses(t *testing.T) {
	if found := check.Check(good()); len(found) > 0 {
		t.Errorf("breaches in a good history: %v", found)
	}
}

func TestEachRuleFindsItsBreach(t *testing.T) {
	tests := map[string]struct {
		rule  string
		spoil func(*check.History)
	}{
		"two claims at one revision":         {"claims-overlap", func(h *check.History) { h.Claims[0].Ended = 32 }},
		"a claim that never ended":           {"claims-overlap", func(h *check.History) { h.Claims[0].Ended = 0 }},
		"an end counts after the claim":      {"record-under-claim", func(h *check.History) { h.Actions[4].Revision = 35 }},
		"a late end counts":                  {"record-under-claim", func(h *check.History) { h.Actions[2].Kind = check.Ended }},
		"a beginning under an ended claim":   {"record-under-claim", func(h *check.History) { h.Actions[0].Revision = 21 }},
		"a token that was never granted":     {"record-under-claim", func(h *check.History) { h.Actions[0].Token = 7 }},
		"a call without a beginning":         {"call-started", func(h *check.History) { h.Calls[1].Key = "k9" }},
		"a call under another's beginning":   {"call-started", func(h *check.History) { h.Actions[3].Ref = "s" }},
		"a call without an outcome":          {"call-accounted", func(h *check.History) { h.Actions = slices.Delete(h.Actions, 1, 3) }},
		"an uncertain end is no account":     {"call-accounted", func(h *check.History) { h.Actions[4].Kind = check.Uncertain }},
		"a call after its claim that counts": {"call-under-claim", func(h *check.History) { h.Calls[1].From, h.Calls[1].To = at(11), at(12) }},
		"an overtaken call that counts": {"call-under-claim", func(h *check.History) {
			h.Calls = append(h.Calls, check.Call{Instance: "c", Ref: "r", Key: "k3", Token: 40, Action: "CreateTags", From: at(8), To: at(8.1), Status: 200})
		}},
		"a call of another in the middle": {"calls-overlap", func(h *check.History) {
			h.Calls = append(h.Calls, check.Call{Instance: "c", Ref: "r", Key: "k3", Token: 40, Action: "CreateTags", From: at(9.05), To: at(9.2), Status: 200})
		}},
		"made twice at once": {"created-twice", func(h *check.History) {
			h.Calls = append(h.Calls, check.Call{Instance: "b", Ref: "r", Key: "k2", Token: 30, Action: "RunInstances", From: at(7), To: at(7.1), Status: 200, Made: []string{"i-2"}})
		}},
		"two live at the end":     {"created-twice", func(h *check.History) { h.Live["r"] = []string{"i-1", "i-2"} }},
		"a delete of an old plan": {"delete-of-old-plan", func(h *check.History) { h.Actions[3].Saw = 9 }},
		"a delete overtaken by an update": {"delete-against-newer", func(h *check.History) {
			h.Calls = append(h.Calls, check.Call{Instance: "c", Ref: "r", Key: "k3", Token: 40, Action: "CreateTags", From: at(8), To: at(8.1), Status: 200})
		}},
		"a log that does not verify": {"log-verifies", func(h *check.History) { h.Logs["b"] = errors.New("chain broken at 7") }},
		"a replay that differs":      {"replay-equals", func(h *check.History) { h.Replayed = "y" }},
		"taken twice":                {"claims-linearizable", func(h *check.History) { h.Ops[1].Result, h.Ops[1].Token = check.OpDone, 12 }},
		"a token that went back":     {"claims-linearizable", func(h *check.History) { h.Ops[3].Token, h.Ops[5].Token = 9, 9 }},
		"given back by another":      {"claims-linearizable", func(h *check.History) { h.Ops[4].Result = check.OpDone }},
		"refused while it was free":  {"claims-linearizable", func(h *check.History) { h.Ops[1].From, h.Ops[1].To = at(11), at(12) }},
		"one leads on without its claim": {"one-leads", func(h *check.History) {
			h.Observations = append(h.Observations, check.Look{Instance: "a", Token: 12, At: at(5.8)})
		}},
		"one leads on beside the next": {"one-leads", func(h *check.History) {
			h.Claims[2].EndSeen = at(30)
			h.Observations = append(h.Observations, check.Look{Instance: "a", Token: 12, At: at(7)}, check.Look{Instance: "a", Token: 12, At: at(8)})
		}},
		"one leads under another's claim": {"one-leads", func(h *check.History) { h.Observations[0].Instance = "b" }},
		"no leader":                       {"lead-passes-on", func(h *check.History) { h.Successions[0].Next = time.Time{} }},
		"another leads too late":          {"lead-passes-on", func(h *check.History) { h.Successions[0].Next = at(12) }},
		"drained, and claims left":        {"drained-releases", func(h *check.History) { h.Drains[0].Left = []string{"r"} }},
		"an action left open":             {"converged", func(h *check.History) { h.Open = []string{"r"} }},
		"configured, but missing":         {"converged", func(h *check.History) { h.Desired["r"] = true }},
		"exists, but is not configured":   {"converged", func(h *check.History) { h.Live["r"] = []string{"i-1"} }},
	}
	tried := map[string]bool{}
	for name, tt := range tests {
		tried[tt.rule] = true
		t.Run(name, func(t *testing.T) {
			h := good()
			tt.spoil(&h)
			found := check.Check(h)
			if !slices.ContainsFunc(found, func(b check.Breach) bool { return b.Rule == tt.rule }) {
				t.Errorf("%s was not found; found: %v", tt.rule, found)
			}
		})
	}
	for _, rule := range check.Rules() {
		if !tried[rule] {
			t.Errorf("no bad history shows that %s can fail", rule)
		}
	}
}

// TestUnknownOutcomesAreNoBreach: an attempt without an answer may have been applied or not.
func TestUnknownOutcomesAreNoBreach(t *testing.T) {
	for name, take := range map[string]bool{"a release without an answer": false, "taken, and only the store knows": true} {
		h := good()
		h.Ops = []check.ClaimOp{
			{Client: 0, Ref: "r", From: at(0), To: at(1), Take: true, Token: 10, Result: check.OpDone},
			{Client: 0, Ref: "r", From: at(2), To: at(3), Token: 10, Result: check.OpUnknown},
			{Client: 1, Ref: "r", From: at(4), To: at(5), Take: true, Token: 30, Result: check.OpDone},
		}
		if take {
			h.Ops[0].Result = check.OpUnknown
		}
		if found := check.Check(h); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
}
