package edge

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/offline"
)

// node is what is known of one node: in memory alone but for its desired state, so that a sign of life costs
// no write.
type node struct {
	telling sync.Mutex // held while one request is made and sent: they reach the node in order
	loaded  bool       // last was read

	// The rest is guarded by nodes.mu.
	last    told         // its desired state, as it was sent
	ahead   *link.Held   // the node holds a newer desired state than this, and gets no requests
	report  *link.Report // the newest of this process; nil means none yet
	at      time.Time    // when it came
	send    func(link.ToNode) error
	session uint64 // the number of its newest stream; 0 means none
	seq     uint64 // of the newest request of that stream
	waiting []*waiting
}

// waiting is a request that no report has shown the end of.
type waiting struct {
	session, seq uint64
	id, name     string
	sent         time.Time
}

// nodes are the nodes that have dialed in.
type nodes struct {
	desk     desk
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

// opened notes a new stream of a node, which replaces the one before, and sends the node its desired
// state if it does not hold that. ahead: it holds what was never told, or what was forgotten.
func (n *nodes) opened(scope resource.Scope, held link.Held, send func(link.ToNode) error) (session uint64, ahead bool,
	err error,
) {
	n.mu.Lock()
	x := n.get(scope)
	n.mu.Unlock()
	x.telling.Lock()
	defer x.telling.Unlock()
	if !x.loaded {
		t, err := n.desk.load(scope.Location)
		if err != nil {
			return 0, false, err
		}
		x.last, x.loaded = t, true
	}
	n.mu.Lock()
	n.sessions++
	x.send, x.session, x.seq, x.ahead = send, n.sessions, 0, nil
	session = x.session
	last := x.last
	last.held.Epoch = n.desk.epoch()
	if last.held.Follows(held) != nil {
		x.ahead = &held
	}
	ahead = x.ahead != nil
	n.mu.Unlock()
	if !ahead && last.held != held && last.held.Generation > 0 {
		err = send(link.ToNode{Desired: &last.signed})
	}
	return session, ahead, err
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
	if x.ahead != nil && n.desk.resumed(scope.Location) {
		x.last, x.ahead, isNew = told{held: *x.ahead}, nil, true
	}
	isNew = isNew || x.report == nil || !sameReport(x.report, r)
	x.report, x.at = r, now
	x.waiting = slices.DeleteFunc(x.waiting, func(w *waiting) bool {
		open := slices.Contains(r.Open, w.id) || w.session == session && w.seq > r.Seen
		isNew = isNew || !open
		return !open
	})
	return isNew
}

// beat keeps that the newest report of the stream is still true.
func (n *nodes) beat(scope resource.Scope, session uint64, b link.Beat, now time.Time) (isNew bool) {
	n.mu.Lock()
	x := n.get(scope)
	r := x.report
	n.mu.Unlock()
	if r == nil {
		return false
	}
	same := *r
	same.Seen = b.Seen
	return n.reported(scope, session, &same, now)
}

// sameReport reports whether two reports of a node show the same deployments and results. Another age is no
// difference: the events of a deployment have it.
func sameReport(a, b *link.Report) bool {
	same := func(x, y link.Item) bool {
		x.Since = y.Since
		return reflect.DeepEqual(x, y)
	}
	return a.Error == b.Error && maps.Equal(a.Last, b.Last) && slices.EqualFunc(a.Items, b.Items, same)
}

// shown reports that a report shows a request as one in progress: nothing is concluded of its deployment, so that the
// others need not wait for it.
func (w *waiting) shown(r *link.Report) bool {
	return slices.Contains(r.Open, w.id) &&
		slices.ContainsFunc(r.Items, func(i link.Item) bool { return i.Name == w.name && i.Health == resource.Pending })
}

// snapshot is the newest report, of the time before the first request that it may not show.
func (n *nodes) snapshot(scope resource.Scope, now time.Time, lease time.Duration) (resource.Snapshot, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	x := n.all[scope]
	switch {
	case x == nil || x.report == nil:
		return resource.Snapshot{}, &offline.Error{}
	case now.Sub(x.at) > lease:
		return resource.Snapshot{}, &offline.Error{Since: x.at}
	case x.report.Error != "":
		return resource.Snapshot{}, &provider.Error{
			Cause: provider.Unreachable, Op: "observe", Err: errors.New(x.report.Error),
		}
	}
	s := resource.Snapshot{Scope: scope, At: x.at, Reported: true}
	for _, w := range x.waiting {
		// one that is not read for longer has failed
		if !w.shown(x.report) && now.Sub(w.sent) <= grace && !w.sent.After(s.At) {
			s.At = w.sent.Add(-time.Nanosecond)
		}
	}
	for i := range x.report.Items {
		o := observed(scope, &x.report.Items[i])
		if last, known := x.report.Last[o.Ref.Name]; known {
			o.Last = &last
		}
		s.Resources = append(s.Resources, o)
	}
	for name, last := range x.report.Last {
		if !slices.ContainsFunc(x.report.Items, func(i link.Item) bool { return i.Name == name }) {
			s.Requests = append(s.Requests, last)
		}
	}
	slices.SortFunc(s.Resources, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
	return s, nil
}

// ask changes what a node that is online is to run, and sends it that with a request. Requests for one node
// are in the order of their generations.
func (n *nodes) ask(scope resource.Scope, r link.Request, c change, now time.Time, lease time.Duration) error {
	n.mu.Lock()
	x := n.get(scope)
	n.mu.Unlock()
	x.telling.Lock()
	defer x.telling.Unlock()
	d, err := n.plan(scope.Location, x, c, now, lease)
	if err != nil {
		return refusedBy(r, err)
	}
	t, err := n.desk.tell(scope.Location, d)
	if err != nil {
		return refusedBy(r, err)
	}
	send := n.told(x, t, &r, now)
	if send == nil {
		return refusedBy(r, notConnected(scope.Location))
	}
	if err := send(link.ToNode{Desired: &t.signed, Request: &r}); err != nil {
		return &provider.Error{Cause: provider.UnknownResult, Op: string(r.Verb), Err: err}
	}
	return nil
}

func refusedBy(r link.Request, err error) error {
	if refused, ok := errors.AsType[*provider.Error](err); ok {
		return refused
	}
	return &provider.Error{Cause: provider.Unreachable, Op: string(r.Verb), Code: "Offline", Err: err}
}

func notConnected(node string) error { return fmt.Errorf("node %s is not connected", node) }

// plan is the next desired state of a node, if it can get one now.
func (n *nodes) plan(node string, x *node, c change, now time.Time, lease time.Duration) (link.Desired, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case x.send == nil || x.report == nil || now.Sub(x.at) > lease:
		return link.Desired{}, notConnected(node)
	case x.ahead != nil:
		return link.Desired{}, errors.New(aheadText(node, *x.ahead, x.last.held))
	}
	return x.next(node, n.desk.epoch(), c), x.free(node, c)
}

// free returns an error if the node has another deployment under the name of a change, which would be lost, or has the
// one that is meant under another name, which would stay.
func (x *node) free(node string, c change) error {
	for _, i := range x.report.Items {
		named, meant := i.Name == c.name, i.Instance == c.instance
		switch {
		case named == meant || c.installs && i.Health == resource.Pending:
			continue
		case meant:
			return &provider.Error{
				Cause: provider.InUse, Op: "find",
				Err:  fmt.Errorf("node %s calls deployment %s %s, not %s", node, c.instance, i.Name, c.name),
				Hint: "run the command again, which observes it",
			}
		}
		hint := "use another name"
		if !c.installs {
			hint = "run the command again, which observes it"
		}
		return &provider.Error{
			Cause: provider.InUse, Op: "find",
			Err:  fmt.Errorf("node %s has another deployment that is called %s there: %s", node, c.name, i.Marks.Ref),
			Hint: hint,
		}
	}
	return nil
}

// told notes what is sent to a node, and the request with it.
func (n *nodes) told(x *node, t told, r *link.Request, now time.Time) func(link.ToNode) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	x.last = t
	if x.send == nil {
		return nil
	}
	x.seq++
	r.Seq, r.Generation = x.seq, t.held.Generation
	x.waiting = append(x.waiting, &waiting{session: x.session, seq: r.Seq, id: r.ID, name: r.Name, sent: now})
	return x.send
}

// aheadText is the alarm about a node that holds what its orchestrator does not know.
func aheadText(node string, held, last link.Held) string {
	return fmt.Sprintf("node %s holds generation %d of its desired state, and its orchestrator told it generation %d "+
		"last: if the orchestrator was restored from a backup, run `ovi edge resume %s`; until then the node gets no "+
		"requests",
		node, held.Generation, last.Generation, node)
}

func (n *nodes) aheadOf(scope resource.Scope) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	x := n.get(scope)
	if x.ahead == nil {
		return ""
	}
	return aheadText(scope.Location, *x.ahead, x.last.held)
}
