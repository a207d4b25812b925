package rehearse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/resource"
)

// node is a virtual node. It says what a real one would, when the rehearsal tells it to: it has no time of its own.
type node struct {
	scope  resource.Scope
	chance *rand.Rand
	frames chan link.FromNode
	ready  chan struct{} // the orchestrator has taken the frame before
	ended  chan struct{}
	err    error // why it ended

	mu    sync.Mutex
	inbox []asked // since the rehearsal last looked

	fails bool                 // what is new fails here
	old   map[string]link.Spec // what is not new, by deployment
	away  time.Time            // until when it is offline; zero: it is not
	items []link.Item
	last  map[string]resource.Request // by deployment
	tasks []task
	seen  uint64
	told  bool // the newest report is of now
}

// asked is a request with what is to run after it.
type asked struct {
	link.Request
	to link.Deployment
	is bool // it is to run
}

// task is a request until it is done.
type task struct {
	asked
	due time.Time
}

func newNode(scope resource.Scope) *node {
	return &node{
		scope: scope, old: map[string]link.Spec{}, last: map[string]resource.Request{},
		frames: make(chan link.FromNode), ready: make(chan struct{}, 1), ended: make(chan struct{}),
	}
}

// serve is its stream, until the context ends.
func (n *node) serve(ctx context.Context, p *edge.Provider) {
	defer close(n.ended)
	site, name, _ := strings.Cut(n.scope.Location, "/")
	first := true
	n.err = p.Session(ctx, func() (link.FromNode, error) {
		if first {
			first = false
			return link.FromNode{Hello: &link.Hello{Site: site, Node: name}}, nil
		}
		n.ready <- struct{}{}
		select {
		case f := <-n.frames:
			return f, nil
		case <-ctx.Done():
			return link.FromNode{}, io.EOF
		}
	}, n.take)
}

// say gives the orchestrator a frame, and waits until it has taken it.
func (n *node) say(f link.FromNode) error {
	select {
	case n.frames <- f:
	case <-n.ended:
		return fmt.Errorf("node %s: %w", n.scope.Location, n.err)
	}
	return n.taken()
}

// taken waits until the orchestrator has taken what was said.
func (n *node) taken() error {
	select {
	case <-n.ready:
		return nil
	case <-n.ended:
		return fmt.Errorf("node %s: %w", n.scope.Location, n.err)
	}
}

// take keeps what the orchestrator sends.
func (n *node) take(f link.ToNode) error {
	if f.Desired == nil || f.Request == nil {
		return nil
	}
	d, _, err := f.Desired.Open(nil)
	if err != nil {
		return err
	}
	to, is := d.Find(f.Request.Name)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.inbox = append(n.inbox, asked{*f.Request, to, is})
	return nil
}

// start begins what was asked since, each for as long as it takes.
func (n *node) start(now time.Time, takes time.Duration) (started int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, q := range n.inbox {
		due := now.Add(takes - takes/4 + time.Duration(n.chance.Int64N(int64(takes/2)+1)))
		n.tasks = append(n.tasks, task{q, due})
		n.seen, n.told = q.Seq, false
		started++
	}
	n.inbox = nil
	return started
}

// next is when it has done something; false: it does nothing.
func (n *node) next() (time.Time, bool) {
	if len(n.tasks) == 0 {
		return time.Time{}, false
	}
	return slices.MinFunc(n.tasks, func(a, b task) int { return a.due.Compare(b.due) }).due, true
}

// report ends what is due, and tells the orchestrator what it shows: all, or that nothing has changed.
func (n *node) report(now time.Time) error {
	n.tasks = slices.DeleteFunc(n.tasks, func(t task) bool {
		if t.due.After(now) {
			return false
		}
		n.end(t.asked, now)
		n.told = false
		return true
	})
	if n.told {
		return n.say(link.FromNode{Beat: &link.Beat{Seen: n.seen}})
	}
	n.told = true
	r := &link.Report{Seen: n.seen, Items: slices.Clone(n.items), Last: maps.Clone(n.last)}
	for _, t := range n.tasks {
		r.Open = append(r.Open, t.ID)
		r.Items = inProgress(r.Items, t.asked)
	}
	return n.say(link.FromNode{Report: r})
}

// inProgress shows a request that is not done yet.
func inProgress(items []link.Item, q asked) []link.Item {
	i := slices.IndexFunc(items, func(x link.Item) bool { return x.Name == q.Name })
	if i < 0 && !q.is {
		return items
	}
	if i < 0 {
		i, items = len(items), append(items, link.Item{
			Name: q.Name, Instance: q.to.Instance, Marks: q.to.Marks,
			Spec: q.to.Spec,
		})
	}
	x := &items[i]
	if x.Phase, x.Health, x.Message = link.Pending, resource.Pending, ""; q.is {
		x.Phase = link.Installing
	}
	return items
}

var errUnhealthy = errors.New("it is not healthy, as this rehearsal has it")

// end does what a request asks for. What is new fails where it is to: then the version before serves again.
func (n *node) end(q asked, now time.Time) {
	i := slices.IndexFunc(n.items, func(x link.Item) bool { return x.Name == q.Name })
	n.last[q.Name] = resource.Request{Key: q.ID, State: resource.RequestDone, At: now.UTC()}
	if !q.is {
		if i >= 0 {
			n.items = slices.Delete(n.items, i, i+1)
		}
		return
	}
	old, is := n.old[q.Name]
	fails := n.fails && (!is || !reflect.DeepEqual(old, q.to.Spec))
	if fails {
		n.last[q.Name] = resource.Request{
			Key: q.ID, State: resource.RequestFailed, Text: errUnhealthy.Error(), At: now.UTC(),
		}
	}
	switch {
	case i < 0:
		i, n.items = len(n.items), append(n.items, link.Item{
			Name: q.Name, Instance: q.to.Instance, Marks: q.to.Marks, Spec: q.to.Spec, Phase: link.Installed,
			Health: resource.Failing, Message: errUnhealthy.Error(),
		})
		if fails {
			return
		}
	case fails:
		return // the version before serves again
	}
	n.items[i] = link.Item{
		Name: q.Name, Instance: q.to.Instance, Marks: q.to.Marks, Spec: q.to.Spec, Phase: link.Installed,
		Health: resource.Healthy, Image: "sha256:rehearsed", Since: now.UTC(),
	}
	if q.to.Stopped {
		n.items[i].Health = resource.Stopped
	}
}
