package simulate

import (
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/credentials"

	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/resource"
)

// node is one virtual node. What it is asked is done at once.
type node struct {
	fleet  *Fleet
	name   string
	secure credentials.TransportCredentials

	mu        sync.Mutex
	cut       func()
	connected time.Time // the orchestrator welcomed the stream
	requests  int
	seen      uint64
	held      link.Held
	items     []link.Item
	runs      map[string]run
	seq       uint64 // of the newest event
	events    []link.Event
	sent      uint64 // the newest event that was sent on the stream
	told      bool   // a report was sent on the stream
}

// take does what the orchestrator asks.
func (n *node) take(f link.ToNode) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if f.Ack != nil {
		if n.connected.IsZero() {
			n.connected, n.sent = time.Now(), *f.Ack
		}
		n.events = slices.DeleteFunc(n.events, func(e link.Event) bool { return e.Seq <= *f.Ack })
	}
	if f.Desired == nil {
		return nil
	}
	d, held, err := f.Desired.Open(nil)
	if err == nil {
		err = held.Follows(n.held)
	}
	if err != nil {
		return err
	}
	n.held = held
	if q := f.Request; q != nil {
		n.do(q, &d)
	}
	return nil
}

func (n *node) do(q *link.Request, d *link.Desired) {
	n.seen = q.Seq
	n.requests++
	n.told = false
	n.items = slices.DeleteFunc(slices.Clone(n.items), func(i link.Item) bool { return i.Name == q.Name })
	to, is := d.Find(q.Name)
	if !is {
		delete(n.runs, q.Name)
		n.note(link.StatusDeleted, q, "")
		return
	}
	now := time.Now()
	n.items = append(n.items, link.Item{
		Name: to.Name, Instance: to.Instance, Marks: to.Marks, Spec: to.Spec, Phase: link.Installed, Health: resource.Healthy,
		Image: "sha256:simulated", Since: now.UTC(),
	})
	n.runs[q.Name] = run{to.Spec.Version, now}
	n.note(link.StatusInstalling, q, to.Spec.Version)
	n.note(link.StatusInstalled, q, to.Spec.Version)
}

func (n *node) note(to link.Status, q *link.Request, version string) {
	n.seq++
	n.events = append(n.events, link.Event{
		Site: n.fleet.Site, Node: n.name, Incarnation: "simulated", Seq: n.seq, At: time.Now().UTC(), Deployment: q.Name,
		To:      to,
		Request: q.Verb, Generation: q.Generation, Version: version, Health: resource.Healthy,
	})
}

// frames are what is sent next: a report or, with alive, a sign of life, and events.
func (n *node) frames(alive bool) []link.FromNode {
	n.mu.Lock()
	defer n.mu.Unlock()
	var out []link.FromNode
	switch {
	case !n.told || n.connected.IsZero() && !alive:
		out, n.told = append(out, link.FromNode{Report: &link.Report{Seen: n.seen, Items: n.items}}), true
	case alive:
		out = append(out, link.FromNode{Beat: &link.Beat{Seen: n.seen}})
	}
	if n.connected.IsZero() {
		return out
	}
	var fresh []link.Event
	for _, e := range n.events {
		if e.Seq > n.sent {
			fresh, n.sent = append(fresh, e), e.Seq
		}
	}
	if len(fresh) > 0 {
		out = append(out, link.FromNode{Events: fresh})
	}
	return out
}
