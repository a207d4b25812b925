package explain_test

import (
	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/resource"
)

// stopped is a resource that was stopped outside ovi and started again by it.
func stopped() history.ResourceHistory {
	down, up := res("small"), res("small")
	down.Health = resource.Stopped
	d := event.Decision{
		Difference: comparator.Drifted, Action: decider.Restart, Proposed: decider.Restart, Reason: decider.ReasonState, Message: "it is stopped",
		Changes: []resource.Change{{On: resource.OnState, Path: resource.StatePath, From: resource.String("stopped"), To: resource.String("running")}},
	}
	return created().add("run2", look(down), plan("p2", event.ForApply, d), yes("p2"),
		started("p2", decider.Restart, decider.ReasonState, d.Message), ended("p2", decider.Restart, event.Done, "")).last(&up, nil)
}
