package simulate_test

import (
	"path/filepath"

	"github.com/ovi-project/ovi/cmd/edge/simulate/check"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/wal"
)

// unrest is what is not as it was committed last.
func (s *faultSite) unrest() (found []string) {
	images := map[string]string{}
	for name, version := range s.configured {
		images["ovi-"+name] = name + ":" + version
	}
	for i, h := range s.hosts {
		found = append(found, check.Rest(nodeName(i), h.containers(), images)...)
	}
	return found
}

// containers are those of a host.
func (h *host) containers() (out []check.Container) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, o := range h.all {
		image, _ := o.Attrs.Text("image")
		out = append(out, check.Container{Name: name, Image: image, Healthy: o.Health == resource.Healthy})
	}
	return out
}

// check checks what all have on record, once they have ended.
func (s *faultSite) check() []string {
	started, found := s.checkLog()
	for i, h := range s.hosts {
		found = append(found, check.Created(nodeName(i), h.created, started)...)
	}
	events, err := s.came()
	if err != nil {
		return append(found, err.Error())
	}
	late := 0
	for _, h := range s.hosts {
		late += h.late
	}
	s.t.Logf("%d faults, %d commits, %d actions, %d calls slow or silent, %d events", s.faults, s.commit, len(started), late, len(events))
	found = append(found, check.Events(events)...)
	for i := range s.nodes {
		found = append(found, s.checkNode(i, events)...)
	}
	return found
}

// came is all that came to the central orchestrator, in order.
func (s *faultSite) came() ([]link.Event, error) {
	if s.doubles != nil {
		return s.doubles.came, nil
	}
	return outbox.Read(s.events("co"))
}

// checkNode checks that the central orchestrator has all events of a node.
func (s *faultSite) checkNode(i int, events []link.Event) []string {
	b, err := outbox.Open(filepath.Join(s.nodeDir(i), "events"), outbox.Options{Keep: 1})
	if err != nil {
		return []string{err.Error()}
	}
	defer func() { _ = b.Close() }()
	o := link.Origin{Site: "berlin", Node: nodeName(i), Incarnation: b.Incarnation()}
	return check.Made(events, o, b.High(o))
}

// checkLog checks the audit log of the orchestrator, and gives the keys of its actions.
func (s *faultSite) checkLog() (started map[string]bool, found []string) {
	l, err := ledger.Open(s.t.Context(), ledger.Config{Dir: filepath.Join(s.dir, "lo"), Store: s.store, User: "ovi", LogOptions: []wal.Option{wal.WithFS(s.disk), wal.WithoutCompression()}})
	if err != nil {
		return nil, []string{err.Error()}
	}
	defer func() { _ = l.Close() }()
	return check.Log(s.t.Context(), l)
}
