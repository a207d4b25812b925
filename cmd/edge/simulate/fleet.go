// Package simulate runs virtual nodes: they dial the orchestrator of a site over the real link, each with a
// certificate and a connection of its own, and keep what they run in memory. It serves to load an orchestrator, and
// to rehearse a rollout.
package simulate

import (
	"context"
	"crypto/tls"
	"math/rand/v2"
	"sync"
	"time"

	"google.golang.org/grpc/credentials"

	"github.com/ovi-project/ovi/provider/edge/link"
)

// Fleet is the virtual nodes of one site.
type Fleet struct {
	Site    string
	Address string // of the orchestrator
	Beat    time.Duration
	nodes   []*node
}

// Add adds a node. It dials with Run.
func (f *Fleet) Add(name string, config *tls.Config) {
	f.nodes = append(f.nodes, &node{fleet: f, name: name, secure: credentials.NewTLS(config), runs: map[string]run{}})
}

// run is a version that a node runs, and since when.
type run struct {
	version string
	since   time.Time
}

// Run keeps the nodes connected until the context ends. They dial at once, and again, as nodes do, after a pause
// of up to some seconds.
func (f *Fleet) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, n := range f.nodes {
		all.Go(func() { n.keep(ctx) })
	}
	all.Wait()
}

// Cut ends all connections at once, as when the network of a site fails.
func (f *Fleet) Cut() {
	for _, n := range f.nodes {
		n.mu.Lock()
		if n.cut != nil {
			n.cut()
		}
		n.connected = time.Time{}
		n.mu.Unlock()
	}
}

// Connected is when each node that is connected was welcomed by its orchestrator.
func (f *Fleet) Connected() []time.Time {
	var out []time.Time
	for _, n := range f.nodes {
		n.mu.Lock()
		if !n.connected.IsZero() {
			out = append(out, n.connected)
		}
		n.mu.Unlock()
	}
	return out
}

// Running is when each node that runs a version of a deployment started it.
func (f *Fleet) Running(deployment, version string) []time.Time {
	var out []time.Time
	for _, n := range f.nodes {
		n.mu.Lock()
		if r := n.runs[deployment]; r.version == version {
			out = append(out, r.since)
		}
		n.mu.Unlock()
	}
	return out
}

// Requests is how many requests all nodes have had.
func (f *Fleet) Requests() int {
	total := 0
	for _, n := range f.nodes {
		n.mu.Lock()
		total += n.requests
		n.mu.Unlock()
	}
	return total
}

const (
	dialFirst = 500 * time.Millisecond
	dialMost  = 30 * time.Second
)

// keep keeps one node connected.
func (n *node) keep(ctx context.Context) {
	for pause := dialFirst; ctx.Err() == nil; pause = min(2*pause, dialMost) {
		if welcome := n.stream(ctx); welcome {
			pause = dialFirst
		}
		select {
		case <-ctx.Done():
		case <-time.After(rand.N(pause) + time.Millisecond):
		}
	}
}

// stream serves one stream until it ends.
func (n *node) stream(ctx context.Context) (welcome bool) {
	ctx, cut := context.WithCancel(ctx)
	defer cut()
	conn, err := link.Dial(ctx, n.fleet.Address, n.secure)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }()
	n.mu.Lock()
	n.cut, n.seen, n.told = cut, 0, false
	hello := &link.Hello{Site: n.fleet.Site, Node: n.name, Held: n.held, Incarnation: "simulated"}
	n.mu.Unlock()
	if conn.Send(link.FromNode{Hello: hello}) != nil {
		return false
	}
	changed := make(chan struct{}, 1)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer cut()
	reading.Go(func() {
		defer cut()
		for {
			frame, err := conn.Recv()
			if err != nil || n.take(frame) != nil {
				return
			}
			select {
			case changed <- struct{}{}:
			default:
			}
		}
	})
	n.report(ctx, conn, changed)
	n.mu.Lock()
	defer n.mu.Unlock()
	welcome = !n.connected.IsZero()
	n.connected = time.Time{}
	return welcome
}

// report sends what changed, and signs of life.
func (n *node) report(ctx context.Context, conn *link.Conn, changed <-chan struct{}) {
	beat := time.NewTicker(n.fleet.Beat)
	defer beat.Stop()
	frames := n.frames(false)
	for {
		for _, f := range frames {
			if conn.Send(f) != nil {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			frames = n.frames(true)
		case <-changed:
			frames = n.frames(false)
		}
	}
}
