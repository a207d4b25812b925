package metrics

import (
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/ovi-project/ovi/decider"
)

// Cycle is one cycle of a loop, as it is counted.
type Cycle struct {
	Stack     string
	Led       bool
	At        time.Time
	Took      time.Duration
	Failed    bool
	Error     string                 // of a failed cycle, on one line
	Decisions map[decider.Action]int // of its plan; nil means that there is none
	Blocked   int
	Unchanged int
	Alerts    map[string]int // by kind
	// Unread has the age of each part of the source that could not be read: the time since it was read last. The whole
	// source has no name.
	Unread map[string]time.Duration
}

// Loops counts the cycles of the loops of one process. Any number of goroutines may use it.
type Loops struct {
	mu     sync.Mutex
	stacks map[string]*stackCounts
}

type stackCounts struct {
	cycles    map[[2]string]int // role, outcome
	decisions map[string]int
	last      Cycle
	planned   Cycle // the last with a plan
	good      time.Time
	buckets   []int // not cumulative
	sum       float64
	n         int
}

// bounds of the histogram of cycles, in seconds: from a cycle without changes on a small stack
// to one that waits for slow providers.
func bounds() []float64 { return []float64{0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800} }

// Add counts one cycle.
func (l *Loops) Add(c Cycle) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stacks == nil {
		l.stacks = map[string]*stackCounts{}
	}
	s := l.stacks[c.Stack]
	if s == nil {
		s = &stackCounts{cycles: map[[2]string]int{}, decisions: map[string]int{}, buckets: make([]int, len(bounds())+1)}
		l.stacks[c.Stack] = s
	}
	key := [2]string{"helper", "done"}
	if c.Led {
		key[0] = "leader"
	}
	if c.Failed {
		key[1] = "failed"
	} else {
		s.good = c.At.Add(c.Took)
	}
	s.cycles[key]++
	for a, n := range c.Decisions {
		s.decisions[string(a)] += n
	}
	if s.last = c; c.Decisions != nil {
		s.planned = c
	}
	i, _ := slices.BinarySearch(bounds(), c.Took.Seconds())
	s.buckets[i]++
	s.sum += c.Took.Seconds()
	s.n++
}

// Ready lists the stacks whose last cycle failed, each with its error.
func (l *Loops) Ready() (failing []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, s := range l.stacks {
		if s.last.Failed {
			failing = append(failing, name+": "+s.last.Error)
		}
	}
	slices.Sort(failing)
	return failing
}

// Families are the counts of cycles.
func (l *Loops) Families() []Family {
	l.mu.Lock()
	defer l.mu.Unlock()
	took := Family{"ovi_cycle_duration_seconds", "Duration of cycles.", Histogram, nil}
	cycles := Family{"ovi_cycles_total", "Cycles by role (leader, helper) and outcome.", Counter, nil}
	good := Family{"ovi_cycle_last_success_timestamp_seconds", "Time of the last cycle that succeeded.", Gauge, nil}
	leads := Family{"ovi_leader", "1 if this instance led the last cycle of the stack.", Gauge, nil}
	made := Family{
		"ovi_decisions_total", "Decisions planned, by action; one counts in each cycle until it is executed.",
		Counter, nil,
	}
	now := Family{"ovi_decisions", "Decisions in the last plan, by action.", Gauge, nil}
	blocked := Family{"ovi_decisions_blocked", "Decisions in the last plan that policies block.", Gauge, nil}
	unchanged := Family{
		"ovi_resources_unchanged", "Resources in the last plan that match their configuration.", Gauge,
		nil,
	}
	alerts := Family{"ovi_alerts", "Alerts that need an operator, by kind.", Gauge, nil}
	unread := Family{
		"ovi_source_unread_seconds", "Time since an unreadable part of the source was read last, by part.", Gauge, nil,
	}
	for _, name := range slices.Sorted(maps.Keys(l.stacks)) {
		s, of := l.stacks[name], Labels{"stack", name}
		took.Samples = append(took.Samples, s.histogram(of)...)
		for _, key := range slices.SortedFunc(maps.Keys(s.cycles), compareKeys) {
			cycles.Samples = append(cycles.Samples, Sample{
				"",
				Labels{"stack", name, "role", key[0], "outcome", key[1]},
				float64(s.cycles[key]),
			})
		}
		if !s.good.IsZero() {
			good.Samples = append(good.Samples, Sample{"", of, Seconds(s.good)})
		}
		leads.Samples = append(leads.Samples, Sample{"", of, truth(s.last.Led)})
		made.Samples = append(made.Samples, counted(s.decisions, "stack", name, "action")...)
		now.Samples = append(now.Samples, counted(s.planned.Decisions, "stack", name, "action")...)
		blocked.Samples = append(blocked.Samples, Sample{"", of, float64(s.planned.Blocked)})
		unchanged.Samples = append(unchanged.Samples, Sample{"", of, float64(s.planned.Unchanged)})
		for _, part := range slices.Sorted(maps.Keys(s.last.Unread)) {
			unread.Samples = append(unread.Samples, Sample{
				"", Labels{"stack", name, "part", part}, s.last.Unread[part].Seconds(),
			})
		}
		alerts.Samples = append(alerts.Samples, counted(s.last.Alerts, "stack", name, "kind")...)
	}
	return []Family{took, cycles, good, leads, made, now, blocked, unchanged, alerts, unread}
}

func compareKeys(a, b [2]string) int { return slices.Compare(a[:], b[:]) }

func (s *stackCounts) histogram(of Labels) []Sample {
	var out []Sample
	below := 0
	for i, bound := range append(bounds(), math.Inf(1)) {
		below += s.buckets[i]
		out = append(out, Sample{"_bucket", append(slices.Clone(of), "le", number(bound)), float64(below)})
	}
	return append(out, Sample{"_sum", of, s.sum}, Sample{"_count", of, float64(s.n)})
}

// counted are the samples of counts by one more label.
func counted[K ~string](m map[K]int, labels ...string) []Sample {
	var out []Sample
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, Sample{"", append(slices.Clone(labels), string(k)), float64(m[k])})
	}
	return out
}

// Seconds is a time in the form that Prometheus reads.
func Seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
