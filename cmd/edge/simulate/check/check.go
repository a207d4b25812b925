// Package check checks what a site under faults left behind: what runs on its nodes, the containers that they created,
// the events that came to the central orchestrator, and the audit log of its own. A finding is a sentence. The package
// acts on nothing and starts nothing: the runs do, in one process on virtual time and over real processes.
package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/provider/edge/link"
)

// Container is one container of a node.
type Container struct {
	Name, Image string
	Healthy     bool
}

// Rest finds what does not run on a node as it was committed last. images are those of the containers, by name: nothing
// else may run.
func Rest(node string, runs []Container, images map[string]string) (found []string) {
	for name, image := range images {
		i := slices.IndexFunc(runs, func(c Container) bool { return c.Name == name })
		if i < 0 || !runs[i].Healthy || runs[i].Image != image {
			found = append(found, fmt.Sprintf("%s runs %s of %+v, configured is %s", node, name, runs, image))
		}
	}
	if len(runs) != len(images) {
		found = append(found, fmt.Sprintf("%s has %d containers, configured are %d", node, len(runs), len(images)))
	}
	slices.Sort(found)
	return found
}

// Events checks that each event came once and in order, and that no request was started or ended twice. events are all
// that came to the central orchestrator, in the order in which they came.
func Events(events []link.Event) (found []string) {
	newest := map[link.Origin]uint64{}
	type request struct {
		node, name string
		generation uint64
		to         link.Status
	}
	done := map[request]int{}
	for i := range events {
		e := &events[i]
		o := e.Origin()
		switch {
		case e.Gap > 0:
			found = append(found, fmt.Sprintf("%s: events are lost: %d to %d", e.Node, e.Gap, e.Seq))
		case e.Seq != newest[o]+1:
			found = append(found, fmt.Sprintf("%s: event %d came after %d", e.Node, e.Seq, newest[o]))
		}
		newest[o] = e.Seq
		if e.Request != "" {
			done[request{e.Node, e.Deployment, e.Generation, e.To}]++
		}
	}
	for r, n := range done {
		if n > 1 {
			found = append(found, fmt.Sprintf("%s: request %d for %s is %s %d times", r.node, r.generation, r.name, r.to, n))
		}
	}
	return found
}

// Made checks that all events of an origin, of which it made so many, are among those that came.
func Made(events []link.Event, o link.Origin, made uint64) (found []string) {
	came := uint64(0)
	for i := range events {
		if events[i].Origin() == o && events[i].Gap == 0 {
			came++
		}
	}
	if came != made {
		found = append(found, fmt.Sprintf("%s/%s: events are lost or doubled: it made %d, and %d have come", o.Site, o.Node,
			made, came))
	}
	return found
}

// Log checks that each action was started once, and has an end. A create that may still arrive keeps its key over
// attempts, each of which has its end. It gives the keys of all actions, and what an error kept it from reading is a
// finding.
func Log(ctx context.Context, l *ledger.Ledger) (keys map[string]bool, found []string) {
	keys, ended := map[string]bool{}, map[string]bool{}
	for r, err := range history.New(l.Reader()).LogRecords(ctx, history.Filter{}) {
		if err != nil {
			return keys, append(found, err.Error())
		}
		switch e := r.Event.(type) {
		case event.Started:
			if again := ended[e.Key] && e.Action == decider.Create; keys[e.Key] && !again {
				found = append(found, fmt.Sprintf("the %s of %s, %s, was started twice", e.Action, e.Ref, e.Key))
			}
			keys[e.Key], ended[e.Key] = true, false
		case event.Finished:
			ended[e.Key] = true
		case event.Recovered:
			ended[e.Key] = true
		}
	}
	open, err := l.OpenActions(ctx)
	if err != nil {
		return keys, append(found, err.Error())
	}
	for _, o := range open {
		found = append(found, fmt.Sprintf("the %s of %s has no result", o.Action, o.Ref))
	}
	return keys, found
}

// Created checks that a node created at most one container for each action, and none for what the audit log does not
// have. created counts its containers by the key of their action, and started has the keys of the audit log.
func Created(node string, created map[string]int, started map[string]bool) (found []string) {
	for key, n := range created {
		if n > 1 {
			found = append(found, fmt.Sprintf("%s created %d containers for action %s", node, n, key))
		}
		if !started[key] {
			found = append(found, fmt.Sprintf("%s created a container for action %s, which is not recorded", node, key))
		}
	}
	slices.SortFunc(found, strings.Compare)
	return found
}
