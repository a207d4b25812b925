package simulate_test

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/history"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/wal"
)

// unrest is what is not as it was committed last.
func (s *faultSite) unrest() (found []string) {
	for i, h := range s.hosts {
		h.mu.Lock()
		for name, version := range s.configured {
			o := h.all["ovi-"+name]
			image := ""
			if o != nil {
				image, _ = o.Attrs.Text("image")
			}
			if o == nil || o.Health != resource.Healthy || image != name+":"+version {
				found = append(found, fmt.Sprintf("%s runs %q of %s (%+v), want version %s", nodeName(i), image, name, o, version))
			}
		}
		if len(h.all) != len(s.configured) {
			found = append(found, fmt.Sprintf("%s has %d containers, want %d", nodeName(i), len(h.all), len(s.configured)))
		}
		h.mu.Unlock()
	}
	return found
}

// check checks what all have on record, once they have ended.
func (s *faultSite) check() (found []string) {
	for i, h := range s.hosts {
		for key, n := range h.created {
			if n > 1 {
				found = append(found, fmt.Sprintf("%s created %d containers for action %s", nodeName(i), n, key))
			}
		}
	}
	events, err := s.came()
	if err != nil {
		return append(found, err.Error())
	}
	s.t.Logf("%d faults, %d commits, %d events", s.faults, s.commit, len(events))
	found = append(found, checkEvents(events)...)
	for i := range s.nodes {
		found = append(found, s.checkNode(i, events)...)
	}
	return append(found, s.checkLog()...)
}

// came is all that came to the central orchestrator, in order.
func (s *faultSite) came() ([]link.Event, error) {
	if s.doubles != nil {
		return s.doubles.came, nil
	}
	return outbox.Read(s.events("co"))
}

// checkEvents checks that each event came once and in order, and that no request was started twice.
func checkEvents(events []link.Event) (found []string) {
	newest := map[link.Origin]uint64{}
	type request struct {
		node, name string
		generation uint64
		to         link.Status
	}
	done := map[request]int{}
	for _, e := range events {
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

// checkNode checks that the central orchestrator has all events of a node.
func (s *faultSite) checkNode(i int, events []link.Event) (found []string) {
	b, err := outbox.Open(filepath.Join(s.nodeDir(i), "events"), outbox.Options{Keep: 1})
	if err != nil {
		return []string{err.Error()}
	}
	defer func() { _ = b.Close() }()
	o := link.Origin{Site: "berlin", Node: nodeName(i), Incarnation: b.Incarnation()}
	came := slices.DeleteFunc(slices.Clone(events), func(e link.Event) bool { return e.Origin() != o || e.Gap > 0 })
	if uint64(len(came)) != b.High(o) {
		found = append(found, fmt.Sprintf("%s: events are lost or doubled: it made %d, and %d have come", nodeName(i), b.High(o), len(came)))
	}
	return found
}

// checkLog checks that each action was started once, and has an end. A create that may still arrive keeps its key over
// attempts, each of which has its end.
func (s *faultSite) checkLog() (found []string) {
	l, err := ledger.Open(s.t.Context(), ledger.Config{Dir: filepath.Join(s.dir, "lo"), Store: s.store, User: "ovi", LogOptions: []wal.Option{wal.WithFS(s.disk), wal.WithoutCompression()}})
	if err != nil {
		return []string{err.Error()}
	}
	defer func() { _ = l.Close() }()
	started, ended := map[string]bool{}, map[string]bool{}
	for r, err := range history.New(l.Reader()).LogRecords(s.t.Context(), history.Filter{}) {
		if err != nil {
			return append(found, err.Error())
		}
		switch e := r.Event.(type) {
		case event.Started:
			if again := ended[e.Key] && e.Action == decider.Create; started[e.Key] && !again {
				found = append(found, fmt.Sprintf("the %s of %s, %s, was started twice", e.Action, e.Ref, e.Key))
			}
			started[e.Key], ended[e.Key] = true, false
		case event.Finished:
			ended[e.Key] = true
		case event.Recovered:
			ended[e.Key] = true
		}
	}
	open, err := l.OpenActions(s.t.Context())
	if err != nil {
		return append(found, err.Error())
	}
	for _, o := range open {
		found = append(found, fmt.Sprintf("the %s of %s has no result", o.Action, o.Ref))
	}
	s.t.Logf("%d actions", len(started))
	return found
}
