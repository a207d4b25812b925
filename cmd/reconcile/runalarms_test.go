package reconcile

import (
	"fmt"
	"testing"
	"time"

	"github.com/ovi-project/ovi/provider"
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
		h.add(provider.Alarm{Text: fmt.Sprint(n), At: start.Add(time.Hour)})
	}
	if got := h.since(start); len(got) != alarmsMost {
		t.Errorf("%d alarms are kept", len(got))
	}
}
