package edge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/resource"
)

// node is what is known of one node, in memory alone: a sign of life costs no write.
type node struct {
	report  *link.Report // the newest of this process; nil: none yet
	at      time.Time    // when it came
	send    func(link.ToNode) error
	session uint64 // the number of its newest stream; 0: none
	seq     uint64 // of the newest request of that stream
	waiting []*waiting
}

// waiting is a request that no report has shown the end of.
type waiting struct {
	session, seq uint64
	id           string
	sent         time.Time
	done         chan struct{}
}

// nodes are the nodes that have dialed in.
type nodes struct {
	mu       sync.Mutex
	all      map[resource.Scope]*node
	sessions uint64
}

func (n *nodes) get(scope resource.Scope) *node {
	x := n.all[scope]
	if x == nil {
		x = &node{}
		n.all[scope] = x
	}
	return x
}

// opened notes a new stream of a node. It replaces the one before.
func (n *nodes) opened(scope resource.Scope, send func(link.ToNode) error) uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sessions++
	x := n.get(scope)
	x.send, x.session, x.seq = send, n.sessions, 0
	return n.sessions
}

// closed notes the end of a stream.
func (n *nodes) closed(scope resource.Scope, session uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if x := n.get(scope); x.session == session {
		x.send, x.session = nil, 0
	}
}

// reported keeps a report of the newest stream, and ends the requests that it shows the end of.
func (n *nodes) reported(scope resource.Scope, session uint64, r *link.Report, now time.Time) (isNew bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	x := n.get(scope)
	if x.session != session {
		return false
	}
	isNew = x.report == nil || !sameReport(x.report, r)
	x.report, x.at = r, now
	x.waiting = slices.DeleteFunc(x.waiting, func(w *waiting) bool {
		open := slices.Contains(r.Open, w.id) || w.session == session && w.seq > r.Seen
		if !open {
			close(w.done)
			isNew = true
		}
		return !open
	})
	return isNew
}

func sameReport(a, b *link.Report) bool {
	return a.Error == b.Error && slices.EqualFunc(a.Items, b.Items, func(x, y link.Item) bool {
		return x.Instance == y.Instance && x.Health == y.Health && x.Phase == y.Phase && x.Message == y.Message && x.Spec.Version == y.Spec.Version && x.Spec.Image == y.Spec.Image
	})
}

// snapshot is the newest report, of the time before the first request that it may not show.
func (n *nodes) snapshot(scope resource.Scope, now time.Time, lease time.Duration) (resource.Snapshot, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	x := n.all[scope]
	switch {
	case x == nil || x.report == nil:
		return resource.Snapshot{}, &resource.OfflineError{}
	case now.Sub(x.at) > lease:
		return resource.Snapshot{}, &resource.OfflineError{Since: x.at}
	case x.report.Error != "":
		return resource.Snapshot{}, &provider.Error{Class: provider.Transient, Op: "observe", Err: errors.New(x.report.Error)}
	}
	s := resource.Snapshot{Scope: scope, At: x.at, Reported: true}
	for _, w := range x.waiting {
		if !w.sent.After(s.At) {
			s.At = w.sent.Add(-time.Nanosecond)
		}
	}
	for i := range x.report.Items {
		s.Resources = append(s.Resources, observed(scope, &x.report.Items[i]))
	}
	slices.SortFunc(s.Resources, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
	return s, nil
}

// ask sends a request to a node that is online.
func (n *nodes) ask(scope resource.Scope, r link.Request, now time.Time, lease time.Duration) (*waiting, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	x := n.all[scope]
	if x == nil || x.send == nil || x.report == nil || now.Sub(x.at) > lease {
		return nil, &provider.Error{Class: provider.Transient, Op: string(r.Verb), Code: "Offline", Err: fmt.Errorf("node %s is not connected", scope.Location)}
	}
	x.seq++
	r.Seq = x.seq
	w := &waiting{session: x.session, seq: r.Seq, id: r.ID, sent: now, done: make(chan struct{})}
	x.waiting = append(x.waiting, w)
	if err := x.send(link.ToNode{Request: &r}); err != nil {
		return nil, &provider.Error{Class: provider.Uncertain, Op: string(r.Verb), Err: err}
	}
	return w, nil
}

// finished waits until a report shows the end of a request.
func (w *waiting) finished(ctx context.Context) error {
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		return &provider.Error{Class: provider.Uncertain, Op: "wait for the report of the node", Err: context.Cause(ctx)}
	}
}
