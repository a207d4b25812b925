package edge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/provider/edge/identity"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/resource"
)

// next reads what a node gets next, checks who signed it, and says what it is to run.
func (s *secured) next(t *testing.T, n identity.Node, c *link.Conn) (f link.ToNode, runs []string, held link.Held) {
	t.Helper()
	f, err := c.Recv()
	if err != nil || f.Desired == nil {
		t.Fatalf("%+v, %v", f, err)
	}
	d, held, err := f.Desired.Open(n.Verify)
	if err != nil || d.Node != "berlin/n1" || d.Epoch != s.authority.Hash() {
		t.Fatalf("%+v, %v", d, err)
	}
	for _, x := range d.Deployments {
		runs = append(runs, x.Name+":"+x.Spec.Version+"@"+d.Commit)
	}
	return f, runs, held
}

// connected is a stream of node n1, of which one report has come.
func (s *secured) connected(t *testing.T, n identity.Node, held link.Held, items ...link.Item) *link.Conn {
	t.Helper()
	c, err := link.Dial(t.Context(), s.address, s.creds(t, n))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.Send(link.FromNode{Hello: &link.Hello{Site: "berlin", Node: "n1", Held: held}})
	s.reports(t, c, link.Report{Items: items})
	return c
}

// reports sends a report, and waits until it counts.
func (s *secured) reports(t *testing.T, c *link.Conn, r link.Report) {
	t.Helper()
	if err := c.Send(link.FromNode{Report: &r}); err != nil {
		t.Fatal(err)
	}
	<-s.changes
}

func named(name, version string) resource.Desired {
	d := web(version)
	d.Ref.Name = name
	return d
}

// TestWhatANodeIsTold: each request comes with everything that the node is to run, signed by the site, of the
// commit that was read, and of a generation that grows also over a restart of the orchestrator.
func TestWhatANodeIsTold(t *testing.T) {
	t.Parallel()
	s := newSecured(t)
	n := s.enrolled(t, "berlin/n1")
	c := s.connected(t, n, link.Held{})
	create := func(key string, d resource.Desired) resource.Observed {
		t.Helper()
		o, err := s.Create(t.Context(), provider.Request{Key: key, Desired: d})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	told := func(c *link.Conn, generation uint64, want ...string) (link.ToNode, link.Held) {
		t.Helper()
		f, runs, held := s.next(t, n, c)
		if diff := cmp.Diff(want, runs); diff != "" || held.Generation != generation {
			t.Errorf("generation %d, want %d, is to run (-want +got):\n%s", held.Generation, generation, diff)
		}
		return f, held
	}
	create("k1", named("web", "1"))
	f1, _ := told(c, 1, "web:1@c1")
	create("k2", named("db", "1"))
	f2, held := told(c, 2, "db:1@c1", "web:1@c1")
	items := []link.Item{running(f1), running(f2)}
	s.reports(t, c, link.Report{Seen: 2, Items: items})

	// The node missed the last one, and another orchestrator of this data directory has started.
	_ = c.Close()
	s.restart(t)
	s.version = "c2"
	c = s.connected(t, n, link.Held{Epoch: held.Epoch, Generation: 1, Digest: "of the first"}, items...)
	if f, _ := told(c, 2, "db:1@c1", "web:1@c1"); f.Request != nil {
		t.Errorf("a request comes twice: %+v", f.Request)
	}
	web2 := named("web", "2")
	have := resource.Observed{Ref: web2.Ref, ID: "k1", Marks: resource.Marks{Ref: web2.Ref, Stack: "berlin", Key: "k1"}}
	if _, err := s.Update(t.Context(), provider.Request{Key: "k3", Desired: web2, Have: have, Changes: []resource.Change{{On: resource.OnAttribute, Path: "version"}}}); err != nil {
		t.Fatal(err)
	}
	f3, held := told(c, 3, "db:1@c2", "web:2@c2")
	if f3.Request.Verb != link.Update || f3.Request.Generation != 3 {
		t.Errorf("the request is %+v", f3.Request)
	}
	// db is gone from the node, and nothing asked for it again: it is not told to run it.
	s.reports(t, c, link.Report{Seen: 1, Items: []link.Item{running(f3)}})
	create("k4", named("log", "1"))
	told(c, 4, "log:1@c2", "web:2@c2")

	// A node that missed it gets it again, without its request.
	_ = c.Close()
	again := s.connected(t, n, held)
	f, _ := told(again, 4, "log:1@c2", "web:2@c2")
	if f.Request != nil {
		t.Errorf("a request comes twice: %+v", f.Request)
	}
}

// TestANodeThatHoldsMoreThanItsOrchestratorKnows: its orchestrator was restored from a backup. That is alarmed,
// and the node gets nothing until an operator resumes it; then generations go on from its own.
func TestANodeThatHoldsMoreThanItsOrchestratorKnows(t *testing.T) {
	t.Parallel()
	s := newSecured(t)
	n := s.enrolled(t, "berlin/n1")
	held := link.Held{Epoch: s.authority.Hash(), Generation: 41, Digest: "d"}
	runs := link.Item{Name: "web", Instance: "k0", Spec: link.Spec{Version: "7"}, Health: resource.Healthy}
	c := s.connected(t, n, held, runs)
	if !s.alarmed("holds generation 41") || !s.alarmed("ovi edge resume berlin/n1") {
		t.Errorf("alarms %v", s.alarms)
	}
	_, err := s.Create(t.Context(), provider.Request{Key: "k1", Desired: named("db", "1")})
	if provider.CauseOf(err) != provider.Unreachable || !strings.Contains(err.Error(), "holds generation 41") {
		t.Errorf("a create on a node that is ahead: %v", err)
	}
	if err := edge.Resume(s.dir, "berlin/n1"); err != nil {
		t.Fatal(err)
	}
	s.reports(t, c, link.Report{Items: []link.Item{runs}})
	if _, err := s.Create(t.Context(), provider.Request{Key: "k1", Desired: named("db", "1")}); err != nil {
		t.Fatal(err)
	}
	_, got, now := s.next(t, n, c)
	if want := []string{"db:1@c1", "web:7@c1"}; !slices.Equal(got, want) || now.Generation != 42 {
		t.Errorf("generation %d: %v; want 42: %v", now.Generation, got, want)
	}
	// The same generation with another content is not the one that was sent either.
	_ = c.Close()
	now.Digest = "of another"
	s.connected(t, n, now, runs)
	if !s.alarmed("holds generation 42") {
		t.Errorf("alarms %v", s.alarms)
	}
}
