package reconcile

import (
	"fmt"
	"testing"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// TestHeldAlarms: each text once, at its newest time, for a day; and not without bound.
func TestHeldAlarms(t *testing.T) {
	t.Parallel()
	var h heldAlarms
	start := time.Now()
	h.add(provider.Alarm{Text: "a", At: start})
	h.add(provider.Alarm{Text: "b", At: start})
	h.add(provider.Alarm{Text: "a", At: start.Add(time.Hour)})
	if got := h.since(start); len(got) != 2 || got[1].Text != "a" {
		t.Errorf("%+v", got)
	}
	if got := h.since(start.Add(time.Minute)); len(got) != 1 || got[0].Text != "a" {
		t.Errorf("after a while %+v", got)
	}
	for n := range 2 * alarmsMost {
		h.add(provider.Alarm{Text: fmt.Sprint(n), At: start.Add(time.Hour), Scope: resource.Scope{Location: fmt.Sprint(n)}})
	}
	if got := h.since(start); len(got) != alarmsMost {
		t.Errorf("%d alarms are kept", len(got))
	}
}

// TestANodeWithManyAlarmsDisplacesNone: what a node is refused for can have any text that it sends.
func TestANodeWithManyAlarmsDisplacesNone(t *testing.T) {
	t.Parallel()
	var h heldAlarms
	of := func(node, text string) provider.Alarm {
		return provider.Alarm{Text: text, At: time.Now(), Scope: resource.Scope{Location: node}}
	}
	h.add(of("berlin/n2", "its token was used twice"))
	news := 0
	for n := range 2 * alarmsMost {
		if h.add(of("berlin/n1", fmt.Sprint(n))) {
			news++
		}
	}
	if got := h.since(time.Time{}); news != alarmsEach || len(got) != alarmsEach+1 || got[0].Scope.Location != "berlin/n2" {
		t.Errorf("%d alarms are new, and %d are kept", news, len(got))
	}
	if h.add(of("berlin/n1", "3")) || !h.add(of("berlin/n3", "3")) {
		t.Error("an alarm that is known is new, or one of another node is not")
	}
}
