package render

import (
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/resource"
)

// steps turns what was recorded of an apply into steps: one start and one end for each thing,
// also where a replace has two halves.
type steps struct {
	names   Names
	running map[resource.Ref]*running
	order   []resource.Ref // of running, oldest first
}

// running is an action that began and has not ended.
type running struct {
	action  decider.Action
	half    string
	started time.Time
	seconds float64 // of the halves that ended
}

func newSteps(names Names) *steps { return &steps{names: names, running: map[resource.Ref]*running{}} }

// see returns the record that an event gives; false for none.
func (s *steps) see(r event.Record) (Record, bool) {
	switch e := r.Event.(type) {
	case event.Started:
		return s.started(e, r.At)
	case event.Finished:
		return s.ended(e)
	case event.Recovered:
		return Recovered{
			Type: "apply_settled", Ref: s.names.Ref(e.Ref), Action: string(e.Action), ID: e.ID,
			Finding: string(e.Finding), Evidence: e.Evidence,
		}, true
	case event.NotStarted:
		n := NotStarted{Type: "apply_not_begun", Ref: s.names.Ref(e.Ref), Action: string(e.Action), Why: e.Why, Detail: e.Detail}
		if !e.On.IsZero() {
			n.On = s.names.Ref(e.On)
		}
		return n, true
	}
	return nil, false
}

func (s *steps) started(e event.Started, at time.Time) (Record, bool) {
	if now, twice := s.running[e.Ref]; twice {
		now.half = e.Phase
		return nil, false
	}
	s.running[e.Ref] = &running{action: e.Action, half: e.Phase, started: at}
	s.order = append(s.order, e.Ref)
	return Step{Type: "apply_start", Ref: s.names.Ref(e.Ref), Action: string(e.Action), ID: e.Have}, true
}

func (s *steps) ended(e event.Finished) (Record, bool) {
	step := Step{
		Type: "apply_complete", Ref: s.names.Ref(e.Ref), Action: string(e.Action), ID: e.ID,
		Seconds: e.Seconds, Error: e.Error, Recoverable: e.Recoverable,
	}
	if now, ok := s.running[e.Ref]; ok {
		step.Seconds += now.seconds
		if e.Outcome == event.Done && e.Phase == "delete" {
			now.seconds = step.Seconds
			return nil, false
		}
		s.forget(e.Ref)
	}
	if e.Outcome != event.Done {
		step.Type, step.uncertain = "apply_errored", e.Outcome == event.Uncertain
	}
	return step, true
}

func (s *steps) forget(r resource.Ref) {
	delete(s.running, r)
	for i, x := range s.order {
		if x == r {
			s.order = append(s.order[:i:i], s.order[i+1:]...)
			return
		}
	}
}

// Recovered is an action of an earlier run that nobody saw end, answered by observing.
type Recovered struct {
	Type     string `json:"type"` // "apply_settled"
	Ref      string `json:"ref"`
	Action   string `json:"action"`
	ID       string `json:"id"`
	Finding  string `json:"finding"` // "done", "not_done", "unknown"
	Evidence string `json:"evidence"`
}

// NotStarted is an action that was not begun, and why.
type NotStarted struct {
	Type   string `json:"type"` // "apply_not_begun"
	Ref    string `json:"ref"`
	Action string `json:"action"`
	Why    string `json:"why"` // "interrupted", "waiting", "held", "stale", "broken"
	On     string `json:"on,omitempty"`
	Detail string `json:"detail,omitempty"`
}

func (Recovered) record()  {}
func (NotStarted) record() {}
