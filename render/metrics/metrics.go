package metrics

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
)

// Key names one count of actions.
type Key struct {
	Action  decider.Action
	Outcome event.Outcome
}

// Counters are the counts of one process. Any number of goroutines may use them.
type Counters struct {
	mu      sync.Mutex
	c       Counts
	started map[string]time.Time // running actions, by ref and key
}

// Counts is a copy of the counters at one moment.
type Counts struct {
	Events       map[string]int // by type, each record counted
	Ended        map[Key]int    // actions, each step of a replacement counted
	Seconds      map[decider.Action]float64
	Calls        int       // of providers, retries counted
	Running      int       // actions that have started and not finished
	Oldest       time.Time // start of the oldest running action; zero if none runs
	Observations int       // complete ones
	Unreachable  int       // observations that failed
	Seen         int       // resources in all complete observations
}

// New makes counters at zero.
func New() *Counters {
	return &Counters{started: map[string]time.Time{}, c: Counts{
		Events: map[string]int{}, Ended: map[Key]int{}, Seconds: map[decider.Action]float64{},
	}}
}

// Record counts one event.
func (m *Counters) Record(r event.Record) {
	if r.Event == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.c.Events[r.Event.Type()]++
	switch e := r.Event.(type) {
	case event.Observed:
		if e.Part > 1 {
			return
		}
		if !e.Complete {
			m.c.Unreachable++
			return
		}
		m.c.Observations++
		m.c.Seen += e.Count()
	case event.Started:
		m.c.Running++
		m.started[e.Ref.String()+" "+e.Key] = r.At
	case event.Finished:
		m.c.Running--
		delete(m.started, e.Ref.String()+" "+e.Key)
		m.c.Ended[Key{e.Action, e.Outcome}]++
		m.c.Seconds[e.Action] += e.Seconds
		if e.Outcome != event.NotCalled {
			m.c.Calls += max(e.Tries, 1)
		}
	}
}

// Counts copies the counters.
func (m *Counters) Counts() Counts {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.c
	for _, at := range m.started {
		if c.Oldest.IsZero() || at.Before(c.Oldest) {
			c.Oldest = at
		}
	}
	c.Events, c.Ended, c.Seconds = maps.Clone(c.Events), maps.Clone(c.Ended), maps.Clone(c.Seconds)
	return c
}

// Pairs is the counts as keys and values for a log line, in a fixed order.
func (m *Counters) Pairs() []any {
	c := m.Counts()
	keys := slices.SortedFunc(maps.Keys(c.Ended), func(a, b Key) int {
		return strings.Compare(string(a.Action)+string(a.Outcome), string(b.Action)+string(b.Outcome))
	})
	out := []any{"calls", c.Calls, "observations", c.Observations, "unreachable", c.Unreachable, "running", c.Running}
	for _, k := range keys {
		out = append(out, string(k.Action)+"_"+string(k.Outcome), c.Ended[k])
	}
	for _, a := range slices.Sorted(maps.Keys(c.Seconds)) {
		out = append(out, string(a)+"_seconds", c.Seconds[a])
	}
	return out
}
