package reconcile

import (
	"slices"
	"sync"
	"time"

	"github.com/ovi-project/ovi/provider"
)

const (
	// alarmsFor is how long an alarm is an alert.
	alarmsFor = 24 * time.Hour
	// alarmsMost is how many are kept, and alarmsEach how many of one location: an attacker must fill neither the memory
	// nor the audit log, nor displace the alarms about others.
	alarmsMost = 1000
	alarmsEach = 20
)

// heldAlarms are the alarms of providers, each text once, at its newest time.
type heldAlarms struct {
	mu  sync.Mutex
	all []provider.Alarm
}

// add reports whether the alarm is a new one. A location with many alarms has further alarms in its events alone.
func (h *heldAlarms) add(a provider.Alarm) (isNew bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before, of := len(h.all), 0
	h.all = slices.DeleteFunc(h.all, func(x provider.Alarm) bool { return x.Scope == a.Scope && x.Text == a.Text })
	isNew = len(h.all) == before
	for _, x := range h.all {
		if x.Scope == a.Scope {
			of++
		}
	}
	if of >= alarmsEach {
		return false
	}
	h.all = append(h.all, a)
	if len(h.all) > alarmsMost {
		h.all = slices.Delete(h.all, 0, 1)
	}
	return isNew
}

// alarm keeps an alarm of a provider as an alert, and records one that is new. Those that a provider repeats while it
// is opened are on record already.
func (k *runner) alarm(a provider.Alarm) {
	if !k.alarms.add(a) {
		return
	}
	if l := k.line.Load(); l != nil {
		if err := l.Engine.RecordAlarm(k, a); err != nil {
			k.Log.Error("an alarm is not recorded", "error", err)
		}
	}
	k.wakes.Wake("an alarm")
}

// since gives those that are not older than a time.
func (h *heldAlarms) since(t time.Time) []provider.Alarm {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = slices.DeleteFunc(h.all, func(a provider.Alarm) bool { return a.At.Before(t) })
	return slices.Clone(h.all)
}
