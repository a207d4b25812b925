package loop

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// TestAnAlertOfABlockedDeleteSaysTheLoss: whoever approves it reads the alert first.
func TestAnAlertOfABlockedDeleteSaysTheLoss(t *testing.T) {
	d := decider.Decision{Proposed: decider.Delete, Action: decider.Notify, DataLoss: "database, 20 GiB"}
	p := &engine.Planned{Plan: decider.Plan{Decisions: []decider.Decision{d}}}
	p.Plan.Decisions[0].Blockers = []decider.Blocker{{Policy: "approvals", Reason: "0 of 2", Approvers: 2}}
	got := (&stackLoop{}).alerts(p)
	if len(got) != 1 || got[0].Text != "delete blocked by approvals: 0 of 2; it would lose data: database, 20 GiB" {
		t.Errorf("%+v", got)
	}
}

// TestAnAlarmOfAProviderIsAnAlert, one for each text of each scope.
func TestAnAlarmOfAProviderIsAnAlert(t *testing.T) {
	l := &stackLoop{}
	if got, err := l.alarms(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("without alarms: %v, %v", got, err)
	}
	n1 := resource.Scope{Provider: "edge", Location: "berlin/n1"}
	l.o.Alarms = func() []provider.Alarm {
		return []provider.Alarm{{Scope: n1, Text: "a token was used twice"}, {Scope: n1, Text: "it speaks for another"}}
	}
	got, err := l.alarms(t.Context())
	if err != nil || len(got) != 2 || got[0].Type != Alarmed || got[0].Scope != n1 || got[0].Text != "a token was used twice" {
		t.Fatalf("%+v, %v", got, err)
	}
	if got[0].Key() == got[1].Key() {
		t.Errorf("two alarms are one alert: %s", got[0].Key())
	}
}

// TestWhatWaitsForAWaitIsNoAlert asserts that a decision which depends on a deferred one, or on a running action, is not
// told as blocked.
func TestWhatWaitsForAWaitIsNoAlert(t *testing.T) {
	at := time.Now()
	for name, c := range map[string]struct {
		by   decider.Blocker
		want int
	}{
		"an action is open":         {decider.Blocker{DueTo: engine.OpenActionPolicy}, 0},
		"an action runs":            {decider.Blocker{DueTo: engine.BusyPolicy}, 0},
		"a window opens":            {decider.Blocker{DueTo: "windows", Until: &at}, 0},
		"a person must approve":     {decider.Blocker{DueTo: "approvals"}, 1},
		"something keeps its place": {decider.Blocker{DueTo: decider.BlockedByTaken}, 1},
	} {
		c.by.Policy = decider.BlockedByDependency
		d := decider.Decision{Proposed: decider.Create, Action: decider.Notify, Blockers: []decider.Blocker{c.by}}
		got := (&stackLoop{}).alerts(&engine.Planned{Plan: decider.Plan{Decisions: []decider.Decision{d}}})
		if len(got) != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestPinnedKeysAreFewAlerts: who writes the store can add any number of pins.
func TestPinnedKeysAreFewAlerts(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	pins := []ledger.Pin{{Instance: "old", Key: "old", At: now.Add(-25 * time.Hour)}}
	for n := range 1000 {
		pins = append(pins, ledger.Pin{Instance: "i", Key: fmt.Sprint("key-", n), At: now})
	}
	got := pinAlerts(pins, now)
	if len(got) != 21 || got[0].About != "key-0" || got[20].About != "more" || !strings.HasPrefix(got[20].Text, "980 more keys were pinned") {
		t.Errorf("%d alerts, the last is %+v", len(got), got[len(got)-1])
	}
	if got = pinAlerts(pins[:3], now); len(got) != 2 {
		t.Errorf("of two pins: %+v", got)
	}
}
