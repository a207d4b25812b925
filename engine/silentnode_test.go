package engine_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

// mute is a node in memory that does what it is asked at once, unless it says nothing.
type mute struct {
	frames chan link.FromNode

	mu     sync.Mutex
	silent bool // takes orders, and reports nothing
	beats  bool // while it is silent, it still says that its last report is true
	report link.Report
	orders int
}

// joins connects a node of the site berlin until ctx ends.
func joins(ctx context.Context, p *edge.Provider, name string) *mute {
	n := &mute{frames: make(chan link.FromNode, 1000)}
	n.frames <- link.FromNode{Hello: &link.Hello{Site: "berlin", Node: name}}
	n.say()
	recv := func() (link.FromNode, error) {
		select {
		case f := <-n.frames:
			return f, nil
		case <-ctx.Done():
			return link.FromNode{}, context.Cause(ctx)
		}
	}
	go func() { _ = p.Session(ctx, recv, n.ordered) }()
	go func() {
		for beat := time.NewTicker(10 * time.Second); ; {
			select {
			case <-beat.C:
				n.beat()
			case <-ctx.Done():
				beat.Stop()
				return
			}
		}
	}()
	return n
}

// say sends a report of what runs on the node.
func (n *mute) say() {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.report
	r.Items = slices.Clone(r.Items)
	n.frames <- link.FromNode{Report: &r}
}

func (n *mute) beat() {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case !n.silent:
		n.frames <- link.FromNode{Beat: &link.Beat{Seen: n.report.Seen}}
	case n.beats:
		n.frames <- link.FromNode{Beat: &link.Beat{}}
	}
}

// ordered does what the node is asked, and reports it unless the node is silent.
func (n *mute) ordered(f link.ToNode) error {
	if f.Request == nil {
		return nil
	}
	n.mu.Lock()
	n.orders++
	n.report.Seen = f.Request.Seq
	n.report.Items = slices.DeleteFunc(n.report.Items, func(i link.Item) bool { return i.Name == f.Request.Name })
	if d, _, err := f.Desired.Open(nil); err == nil {
		if q, is := d.Find(f.Request.Name); is && f.Request.Verb != link.Delete {
			n.report.Items = append(n.report.Items, link.Item{
				Name: q.Name, Instance: q.Instance, Marks: q.Marks, Spec: q.Spec, Phase: link.Installed, Health: resource.Healthy,
			})
		}
	}
	silent := n.silent
	n.mu.Unlock()
	if !silent {
		n.say()
	}
	return nil
}

func (n *mute) hush(silent, beats bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.silent, n.beats = silent, beats
}

// asked returns how many orders the node has got.
func (n *mute) asked() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.orders
}

// has returns the version of a deployment on the node; "" if it does not run there.
func (n *mute) has(name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, i := range n.report.Items {
		if i.Name == name {
			return i.Spec.Version
		}
	}
	return ""
}

func onNode(node, name, version string) resource.Desired {
	return resource.Desired{
		Ref:   resource.Ref{Stack: stack, Provider: edge.Name, Location: "berlin/" + node, Kind: edge.Kind, Name: name},
		Attrs: attrs("version", resource.String(version), "image", resource.String(name+":"+version)),
		State: resource.StateRunning,
	}
}

// TestLaw12_ASilentNodeDelaysOnlyWhatDependsOnIt: a node took an order and reports nothing more. Other nodes and other
// systems get new resources, commits and repairs; what depends on its deployment waits until the node reports.
func TestLaw12_ASilentNodeDelaysOnlyWhatDependsOnIt(t *testing.T) {
	for name, beats := range map[string]bool{"it lives, and has read nothing": true, "nothing comes from it": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { silentNode(t, beats) })
		})
	}
}

func silentNode(t *testing.T, beats bool) {
	b := newBench(t)
	var wakes loop.Wakes
	var s commits
	p := edge.New(edge.Options{Clock: time.Now, Changed: wakes.Changed})
	b.engine = engine.New(engine.Config{
		Providers: provider.Set{"fake": b.cloud, edge.Name: p}, Ledger: b.ledger, Claims: b.claims,
	})
	b.cloud.Break(fake.Faults{})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	n1, n2 := joins(ctx, p, "n1"), joins(ctx, p, "n2")
	synctest.Wait()
	n1.hush(true, beats)
	commit := func(version string, size int64) {
		web := onNode("n1", "web", "1")
		needs := disk("needs", 10)
		needs.DependsOn = []resource.Ref{web.Ref}
		api := onNode("n2", "api", version)
		s.commit(web, api, disk("x", size), needs)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.intents[0].Scopes = []resource.Scope{here, web.Ref.Scope(), api.Ref.Scope()}
	}
	commit("1", 10)
	stop := b.loops(s.stacks(), loop.RunOptions{
		Interval: time.Minute, Apply: true, Wakes: &wakes, Do: engine.ApplyOptions{Parallelism: 1},
	})
	size := func(name string) resource.Int {
		o, _, _ := b.cloud.Find(ref("disk", name))
		return sizeOf(o)
	}
	time.Sleep(5 * time.Second)
	if n1.asked() != 1 || n2.has("api") != "1" || size("x") != 10 {
		t.Errorf("after 5 s: %d orders, api %q, x %d", n1.asked(), n2.has("api"), size("x"))
	}
	time.Sleep(3 * time.Minute)
	commit("2", 20)
	time.Sleep(5 * time.Second)
	if n2.has("api") != "2" || size("x") != 20 {
		t.Errorf("5 s after the commit: api %q, x %d", n2.has("api"), size("x"))
	}
	gone, _, _ := b.cloud.Find(ref("disk", "x"))
	b.cloud.Remove(here, gone.ID)
	time.Sleep(70 * time.Second)
	if size("x") != 20 || size("needs") != 0 || n1.asked() != 1 {
		t.Errorf("before the node reports: x %d, needs %d, %d orders", size("x"), size("needs"), n1.asked())
	}
	n1.hush(false, true)
	n1.say()
	time.Sleep(5 * time.Second)
	if size("needs") != 10 || n1.asked() != 1 {
		t.Errorf("5 s after the node reports: needs %d, %d orders", size("needs"), n1.asked())
	}
	_ = stop()
}
