package main

import (
	"slices"
	"sync"
	"time"

	"github.com/ovi-project/ovi/provider"
)

const (
	// alarmsFor is how long an alarm is an alert.
	alarmsFor = 24 * time.Hour
	// alarmsMost is how many are kept: an attacker must not fill the memory.
	alarmsMost = 1000
)

// heldAlarms are the alarms of providers, each text once, at its newest time.
type heldAlarms struct {
	mu  sync.Mutex
	all []provider.Alarm
}

func (h *heldAlarms) add(a provider.Alarm) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = slices.DeleteFunc(h.all, func(x provider.Alarm) bool { return x.Scope == a.Scope && x.Text == a.Text })
	h.all = append(h.all, a)
	if len(h.all) > alarmsMost {
		h.all = slices.Delete(h.all, 0, 1)
	}
}

// since gives those that are not older than a time.
func (h *heldAlarms) since(t time.Time) []provider.Alarm {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = slices.DeleteFunc(h.all, func(a provider.Alarm) bool { return a.At.Before(t) })
	return slices.Clone(h.all)
}
