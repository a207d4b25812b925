package render

import (
	"cmp"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// steps turns the events of an apply into records: one for the start and one for the end of
// each action, of a replacement for each of its steps.
type steps struct {
	names   Names
	running map[resource.Ref]*running
	order   []resource.Ref // of running, oldest first
}

// running is an action that has started and not finished.
type running struct {
	action  decider.Action
	phase   string
	have    string
	started time.Time
}

func newSteps(names Names) *steps { return &steps{names: names, running: map[resource.Ref]*running{}} }

// record returns the record that an event gives; false for none.
func (s *steps) record(r event.Record) (Record, bool) {
	switch e := r.Event.(type) {
	case event.Started:
		s.forget(e.Ref)
		phase := cmp.Or(e.Step, e.Phase)
		s.run(e.Ref, &running{action: e.Action, phase: phase, have: e.Have, started: r.At})
		return Step{
			Type: "apply_start", Ref: s.names.Ref(e.Ref), Action: string(e.Action), Phase: phase, ID: e.Have,
		}, true
	case event.Finished:
		return s.finished(e, r.At), e.Outcome != event.NotCalled // a record says later that it did not start
	case event.Moved:
		return Renamed{Type: "apply_renamed", Ref: s.names.Ref(e.Ref), From: s.names.Ref(e.From), ID: e.ID}, e.Plan != ""
	case event.Disowned:
		return Forgotten{Type: "apply_forgotten", Ref: s.names.Ref(e.Ref), ID: e.ID}, e.Plan != ""
	case event.ReplaceReverted:
		s.forget(e.Ref)
		return Reverted{Type: "apply_reverted", Ref: s.names.Ref(e.Ref), Why: e.Why}, true
	case event.ReplaceFinished:
		s.forget(e.Ref)
	case event.Recovered:
		if e.NoNews() {
			return nil, false
		}
		return Recovered{
			Type: "apply_recovered", Ref: s.names.Ref(e.Ref), Action: string(e.Action), ID: e.ID,
			Finding: string(e.Finding), Evidence: e.Evidence,
		}, true
	case event.NotStarted:
		n := NotStarted{
			Type: "apply_not_started", Ref: s.names.Ref(e.Ref), Action: string(e.Action), Why: e.Why,
			Message: e.Detail,
		}
		if !e.On.IsZero() {
			n.On = s.names.Ref(e.On)
		}
		return n, true
	}
	return nil, false
}

func (s *steps) run(r resource.Ref, what *running) {
	s.running[r] = what
	s.order = append(s.order, r)
}

func (s *steps) finished(e event.Finished, at time.Time) Record {
	step := Step{
		Type: "apply_complete", Ref: s.names.Ref(e.Ref), Action: string(e.Action), Phase: cmp.Or(e.Step, e.Phase), ID: e.ID,
		Seconds: max(e.Seconds, 0), Error: e.Error, Cause: string(e.Cause),
		Recoverable: e.Error != "" && !e.Counts(), Status: string(e.Outcome),
	}
	if now, ok := s.running[e.Ref]; ok && step.ID == "" {
		step.ID = now.have
	}
	s.forget(e.Ref)
	if e.Outcome != event.Done && e.Outcome != event.Accepted {
		step.Type = "apply_errored"
	} else if startsSomething(replace.Step(e.Step)) {
		s.run(e.Ref, &running{action: e.Action, phase: string(replace.Wait), have: e.ID, started: at})
	}
	return step
}

// startsSomething reports whether a replacement may wait after a step, until a resource is healthy.
func startsSomething(s replace.Step) bool {
	return s == replace.Create || s == replace.Switch || s == replace.Restore
}

func (s *steps) forget(r resource.Ref) {
	if _, ok := s.running[r]; !ok {
		return
	}
	delete(s.running, r)
	for i, x := range s.order {
		if x == r {
			s.order = append(s.order[:i:i], s.order[i+1:]...)
			return
		}
	}
}
