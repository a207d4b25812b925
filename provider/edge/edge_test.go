package edge_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/providertest"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/offline"
)

var n1 = resource.Scope{Provider: edge.Name, Location: "berlin/n1"}

// site is a provider that nodes of a test can dial, with a clock of its own.
type site struct {
	*edge.Provider
	listener *bufconn.Listener

	mu      sync.Mutex
	now     time.Time
	changes chan resource.Scope
}

func newSite(t *testing.T) *site {
	s := &site{listener: bufconn.Listen(1 << 16), now: time.Now().UTC(), changes: make(chan resource.Scope, 100)}
	s.Provider = edge.New(edge.Options{Clock: s.clock, Changed: func(x resource.Scope) { s.changes <- x }})
	server := link.NewServer(s.Provider)
	go func() { _ = server.Serve(s.listener) }()
	t.Cleanup(server.Stop)
	return s
}

func (s *site) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(time.Millisecond)
	return s.now
}

func (s *site) later(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

func (s *site) dial(t *testing.T, node string) *link.Conn {
	t.Helper()
	conn, err := link.Dial(t.Context(), "passthrough:///site", insecure.NewCredentials(),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return s.listener.Dial() }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.Send(link.FromNode{Hello: &link.Hello{Site: "berlin", Node: node}}); err != nil {
		t.Fatal(err)
	}
	return conn
}

// report sends a report, and waits until the site has it.
func (s *site) report(t *testing.T, c *link.Conn, r link.Report) {
	t.Helper()
	if err := c.Send(link.FromNode{Report: &r}); err != nil {
		t.Fatal(err)
	}
	<-s.changes
}

func web(version string) resource.Desired {
	return resource.Desired{
		Ref:   resource.Ref{Stack: "berlin", Provider: edge.Name, Location: n1.Location, Kind: edge.Kind, Name: "web"},
		Attrs: resource.NewAttrs(resource.Attr{Name: "version", Value: resource.String(version)}, resource.Attr{Name: "image", Value: resource.String("web:" + version)}), State: resource.StateRunning,
	}
}

// running is what a request asks for, once it is done.
func running(f link.ToNode) link.Item {
	d, _, err := f.Desired.Open(nil)
	q, is := d.Find(f.Request.Name)
	if err != nil || !is || d.Generation != f.Request.Generation {
		return link.Item{Name: f.Request.Name, Health: resource.Failing, Message: "the desired state does not have it"}
	}
	i := link.Item{Name: q.Name, Instance: q.Instance, Marks: q.Marks, Spec: q.Spec, Phase: link.Installed, Health: resource.Healthy}
	if q.Stopped {
		i.Health = resource.Stopped
	}
	return i
}

// TestAReportThatCannotShowARequestIsOlder: until a report shows the end of a request, the snapshot is of the
// time before it was sent, whatever the order of frames and however the stream was opened again.
func TestAReportThatCannotShowARequestIsOlder(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.dial(t, "n1")
	s.report(t, c, link.Report{})
	before := s.clock()
	created, err := s.Create(t.Context(), provider.Request{Key: "k1", Owner: "ovi", Desired: web("1")})
	if err != nil || created.Health != resource.Pending || created.ID != "k1" {
		t.Fatalf("%+v, %v", created, err)
	}
	after := s.clock()
	older := func(what string) {
		t.Helper()
		if snap, err := s.Observe(t.Context(), provider.ObserveRequest{Scope: n1}); err != nil || snap.At.After(after) || snap.At.Before(before.Add(-time.Second)) {
			t.Errorf("%s: a snapshot of %s, %v; the request was sent at %s", what, snap.At, err, after)
		}
	}
	f, err := c.Recv()
	if err != nil || f.Request == nil || f.Request.Verb != link.Install || running(f).Spec.Image != "web:1" {
		t.Fatalf("%+v, %v", f.Request, err)
	}
	older("nothing came")
	s.report(t, c, link.Report{Items: []link.Item{{Name: "other"}}}) // made before the request was read
	older("a report without it")
	s.report(t, c, link.Report{Seen: 1, Open: []string{"k1"}})
	older("a report in which it is open")
	c = s.dial(t, "n1")
	s.report(t, c, link.Report{Open: []string{"k1"}, Items: []link.Item{running(f)}})
	older("a stream that was opened again")
	s.report(t, c, link.Report{Items: []link.Item{running(f)}})
	snap, err := s.Observe(t.Context(), provider.ObserveRequest{Scope: n1})
	if err != nil || !snap.At.After(after) || len(snap.Resources) != 1 {
		t.Fatalf("a report of the end: %+v, %v", snap, err)
	}
	if o := snap.Resources[0]; o.ID != "k1" || o.Health != resource.Healthy || o.Marks.Key != "k1" || o.Marks.Ref != web("1").Ref {
		t.Errorf("observed %+v", o)
	}
}

// TestEachDifferenceOfAReportIsAChange: whatever differs in a deployment but its age, the orchestrator looks at it
// now. It does not for a report that says the same.
func TestEachDifferenceOfAReportIsAChange(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.dial(t, "n1")
	send := func(r link.Report) {
		t.Helper()
		if err := c.Send(link.FromNode{Report: &r}); err != nil {
			t.Fatal(err)
		}
	}
	web := link.Item{Name: "web", Instance: "1", Health: resource.Healthy, Spec: link.Spec{Version: "1", Env: map[string]string{"a": "1"}}}
	differences := map[string]func(*link.Item){
		"its name":       func(i *link.Item) { i.Name = "web2" },
		"its instance":   func(i *link.Item) { i.Instance = "2" },
		"its ref":        func(i *link.Item) { i.Marks.Ref = "edge/berlin/n1/deployment/other" },
		"its owner":      func(i *link.Item) { i.Marks.Owner = "other" },
		"its blessing":   func(i *link.Item) { i.Marks.Blessed = true },
		"its variables":  func(i *link.Item) { i.Spec.Env = map[string]string{"a": "2"} },
		"its command":    func(i *link.Item) { i.Spec.Command = []string{"sh"} },
		"its ports":      func(i *link.Item) { i.Spec.Ports = []link.Port{{Container: 80, Host: 80}} },
		"its image":      func(i *link.Item) { i.Image = "sha256:1" },
		"its health":     func(i *link.Item) { i.Health = resource.Failing },
		"its last words": func(i *link.Item) { i.Message = "exit code 1" },
	}
	want := 0
	for _, change := range differences {
		changed := web
		change(&changed)
		send(link.Report{Items: []link.Item{web}})
		send(link.Report{Items: []link.Item{changed}})
		want += 2
	}
	send(link.Report{Items: []link.Item{web}})
	same := web
	same.Since = s.clock()
	send(link.Report{Seen: 7, Items: []link.Item{same}})
	send(link.Report{Error: "the end"})
	for got := range want + 2 {
		select {
		case <-s.changes:
		case <-time.After(10 * time.Second):
			t.Fatalf("%d reports were changes, not %d", got, want+2)
		}
	}
	_, err := s.Observe(t.Context(), provider.ObserveRequest{Scope: n1})
	if err == nil || !strings.Contains(err.Error(), "the end") || len(s.changes) > 0 {
		t.Errorf("a report that says the same was a change; the node is %v", err)
	}
}

// TestASlowRequestDelaysNoOther: a deployment whose image is pulled for minutes is shown as pending, and what the same
// report shows of another one is concluded from it. A request that the node has not read delays that, as it may change
// anything.
func TestASlowRequestDelaysNoOther(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.dial(t, "n1")
	s.report(t, c, link.Report{})
	items := make([]link.Item, 2)
	for i, name := range []string{"slow", "web"} {
		d := web("1")
		d.Ref.Name = name
		if _, err := s.Create(t.Context(), provider.Request{Key: name, Owner: "ovi", Desired: d}); err != nil {
			t.Fatal(err)
		}
		f, err := c.Recv()
		if err != nil {
			t.Fatal(err)
		}
		items[i] = running(f)
	}
	items[0].Phase, items[0].Health = link.Installing, resource.Pending
	asked := s.clock()
	observe := func() resource.Snapshot {
		t.Helper()
		snap, err := s.Observe(t.Context(), provider.ObserveRequest{Scope: n1})
		if err != nil {
			t.Fatal(err)
		}
		return snap
	}
	s.report(t, c, link.Report{Seen: 1, Open: []string{"slow"}, Items: items[:1]})
	if snap := observe(); snap.At.After(asked) {
		t.Errorf("a report before the second request was read is of %s; it was sent before %s", snap.At, asked)
	}
	s.report(t, c, link.Report{Seen: 2, Open: []string{"slow"}, Items: items})
	snap := observe()
	if !snap.At.After(asked) || len(snap.Resources) != 2 || snap.Resources[0].Health != resource.Pending || snap.Resources[1].Health != resource.Healthy {
		t.Errorf("observed %+v; both were asked for before %s", snap, asked)
	}
}

// TestARequestGoesToItsNodeAlone, once, however many nodes there are.
func TestARequestGoesToItsNodeAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	conns := map[string]*link.Conn{}
	for _, name := range []string{"n1", "n2", "n3"} {
		conns[name] = s.dial(t, name)
		s.report(t, conns[name], link.Report{})
	}
	for _, key := range []string{"a", "b"} {
		for name := range conns {
			d := web("1")
			d.Ref.Location = "berlin/" + name
			if _, err := s.Create(t.Context(), provider.Request{Key: name + key, Desired: d}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range conns {
		for i, key := range []string{"a", "b"} {
			if f, err := c.Recv(); err != nil || f.Request.ID != name+key || f.Request.Seq != uint64(i+1) {
				t.Errorf("node %s got %+v, %v; want %s", name, f.Request, err, name+key)
			}
		}
	}
}

// TestNothingIsConcludedOfASilentNode: it is offline since its newest report, and accepts nothing. A report
// of a stream that was replaced does not count.
func TestNothingIsConcludedOfASilentNode(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	isOffline := func(since time.Time) {
		t.Helper()
		_, err := s.Observe(t.Context(), provider.ObserveRequest{Scope: n1})
		if got, is := offline.Since(err); !is || !got.Equal(since) {
			t.Errorf("%v, want offline since %s", err, since)
		}
		if _, err := s.Create(t.Context(), provider.Request{Key: "k", Desired: web("1")}); provider.CauseOf(err) != provider.Unreachable {
			t.Errorf("a create on a node that is offline: %v", err)
		}
	}
	isOffline(time.Time{})
	c := s.dial(t, "n1")
	s.report(t, c, link.Report{})
	snap, err := s.Observe(t.Context(), provider.ObserveRequest{Scope: n1})
	if err != nil {
		t.Fatal(err)
	}
	s.later(edge.DefaultLease + time.Second)
	isOffline(snap.At)
	other := s.dial(t, "n1")
	s.report(t, other, link.Report{Error: "the service of the node does not answer"})
	if _, err := s.Observe(t.Context(), provider.ObserveRequest{Scope: n1}); err == nil || errors.Is(err, offline.Err) {
		t.Errorf("a node that cannot observe: %v", err)
	}
	if err := c.Send(link.FromNode{Report: &link.Report{}}); err == nil {
		s.report(t, other, link.Report{Error: "another one"}) // comes later
	}
	if _, err := s.Observe(t.Context(), provider.ObserveRequest{Scope: n1}); err == nil {
		t.Error("the report of a stream that was replaced counts")
	}
}

// TestConformance holds the provider to what every provider promises, with a node that keeps its deployments in
// memory.
func TestConformance(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := &counting{Provider: s.Provider}
	var reports atomic.Int64 // each shows the end of one request, but for the first
	go func() {
		for range s.changes {
			reports.Add(1)
		}
	}()
	go inMemory(s.dial(t, "n1"))
	for _, err := s.Observe(t.Context(), provider.ObserveRequest{Scope: n1}); err != nil; _, err = s.Observe(t.Context(), provider.ObserveRequest{Scope: n1}) {
		time.Sleep(time.Millisecond)
	}
	then := resource.NewAttrs(resource.Attr{Name: "version", Value: resource.String("2")})
	providertest.Run(t, func(*testing.T) providertest.Harness {
		return providertest.Harness{
			Provider: p, Scope: n1,
			Samples: []providertest.Sample{{Desired: web("1"), Then: then}},
			Ready: func(*testing.T) {
				for reports.Load() <= p.sent.Load() {
					time.Sleep(time.Millisecond)
				}
			},
		}
	})
}

// counting counts the requests that a node gets.
type counting struct {
	*edge.Provider
	sent atomic.Int64
}

func (c *counting) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	o, err := c.Provider.Create(ctx, r)
	if err == nil {
		c.sent.Add(1)
	}
	return o, err
}

func (c *counting) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	o, err := c.Provider.Update(ctx, r)
	if err == nil {
		c.sent.Add(1)
	}
	return o, err
}

func (c *counting) Delete(ctx context.Context, r provider.Request) error {
	err := c.Provider.Delete(ctx, r)
	if errors.Is(err, provider.ErrAccepted) {
		c.sent.Add(1)
	}
	return err
}

// inMemory is a node that does what it is asked at once.
func inMemory(c *link.Conn) {
	var items []link.Item
	r := link.Report{}
	for c.Send(link.FromNode{Report: &r}) == nil {
		f, err := c.Recv()
		if err != nil {
			return
		}
		q := *f.Request
		rest := slices.DeleteFunc(slices.Clone(items), func(i link.Item) bool { return i.Name == q.Name })
		if items = rest; q.Verb != link.Delete {
			items = append(items, running(f))
		}
		r = link.Report{Seen: q.Seq, Items: slices.Clone(items)}
	}
}

// TestADeleteIsAccepted when it is sent, and done when a report is without it: until the node has read it nothing newer
// is known, for half an hour at most, and then it is pending.
func TestADeleteIsAccepted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.dial(t, "n1")
	runs := link.Item{Name: "web", Instance: "k1", Marks: link.Marks{Ref: "edge/berlin/n1/deployment/web", Stack: "berlin", Key: "k1"}, Health: resource.Healthy}
	s.report(t, c, link.Report{Items: []link.Item{runs}})
	observed := func() resource.Snapshot {
		t.Helper()
		snap, err := s.Observe(t.Context(), provider.ObserveRequest{Scope: n1})
		if err != nil {
			t.Fatal(err)
		}
		return snap
	}
	have := observed().Resources[0]
	err := s.Delete(t.Context(), provider.Request{Key: "d", Have: have}) // nothing reads what the node gets
	if !errors.Is(err, provider.ErrAccepted) {
		t.Fatalf("it is not accepted: %v", err)
	}
	sent := s.clock()
	leaves := runs
	leaves.Health = resource.Pending
	s.report(t, c, link.Report{Items: []link.Item{runs, {Name: "other"}}})
	if snap := observed(); snap.At.After(sent) || snap.Resources[1].Health != resource.Healthy {
		t.Errorf("before it is read: %+v", snap)
	}
	s.report(t, c, link.Report{Seen: 1, Open: []string{"d"}, Items: []link.Item{leaves}})
	if snap := observed(); !snap.At.After(sent) || len(snap.Resources) != 1 || snap.Resources[0].Health != resource.Pending {
		t.Errorf("while it is open: %+v", snap)
	}
	s.later(31 * time.Minute)
	s.report(t, c, link.Report{Seen: 1, Open: []string{"d"}, Items: []link.Item{leaves, {Name: "other"}}})
	if snap := observed(); !snap.At.After(sent) || snap.Resources[1].Health != resource.Pending {
		t.Errorf("after half an hour: %+v", snap)
	}
	s.report(t, c, link.Report{Seen: 1})
	if snap := observed(); !snap.At.After(sent) || len(snap.Resources) != 0 {
		t.Errorf("when it is done: %+v", snap)
	}
}

// TestARequestIsOfTheDeploymentThatIsMeant: where the node calls it otherwise, or has another one under its name, an
// update and a delete are refused, and the node gets nothing: one would be lost, or the other would stay and count as
// deleted.
func TestARequestIsOfTheDeploymentThatIsMeant(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.dial(t, "n1")
	s.report(t, c, link.Report{Items: []link.Item{
		{Name: "web", Instance: "first", Health: resource.Healthy}, {Name: "db", Instance: "second", Health: resource.Healthy},
	}})
	for what, have := range map[string]struct{ name, instance, want string }{
		"another has its name":      {"web", "third", "another deployment that is called web"},
		"they have exchanged names": {"web", "second", "web"},
		"it has another name":       {"shop", "first", "calls deployment first web, not shop"},
	} {
		o := resource.Observed{Ref: web("1").Ref, ID: have.instance}
		o.Ref.Name = have.name
		err := s.Delete(t.Context(), provider.Request{Key: "k", Have: o})
		_, other := s.Update(t.Context(), provider.Request{Key: "k", Have: o, Desired: web("2")})
		for _, err := range []error{err, other} {
			if err == nil || errors.Is(err, provider.ErrAccepted) || provider.CauseOf(err) != provider.InUse {
				t.Errorf("%s: %v", what, err)
			}
		}
		if !strings.Contains(err.Error(), have.want) {
			t.Errorf("%s: %v, want %s", what, err, have.want)
		}
	}
	gone := resource.Observed{Ref: web("1").Ref, ID: "fourth"}
	gone.Ref.Name = "gone"
	if err := s.Delete(t.Context(), provider.Request{Key: "k2", Have: gone}); !errors.Is(err, provider.ErrAccepted) {
		t.Errorf("a delete of what is gone: %v", err)
	}
	if f, err := c.Recv(); err != nil || f.Request == nil || f.Request.ID != "k2" {
		t.Errorf("the node got %+v first, %v", f.Request, err)
	}
}

// TestANodeKnowsWhatADeploymentDependsOn on the same node, so that it starts that first.
func TestANodeKnowsWhatADeploymentDependsOn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.dial(t, "n1")
	s.report(t, c, link.Report{})
	d := web("1")
	db, far := d.Ref, d.Ref
	db.Name, far.Name, far.Location = "db", "far", "berlin/n2"
	d.DependsOn = []resource.Ref{db, far}
	if _, err := s.Create(t.Context(), provider.Request{Key: "k1", Desired: d}); err != nil {
		t.Fatal(err)
	}
	f, err := c.Recv()
	if err != nil {
		t.Fatal(err)
	}
	told, _, err := f.Desired.Open(nil)
	if err != nil || len(told.Deployments) != 1 || !slices.Equal(told.Deployments[0].After, []string{"db"}) {
		t.Errorf("%+v, %v", told, err)
	}
}

// TestANodeGetsAnotherOrderWithoutARequest: where nothing but what a deployment depends on has changed, no request
// follows from the commit. The node gets it once, also one that was not connected, and the next request is newer.
func TestANodeGetsAnotherOrderWithoutARequest(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.dial(t, "n1")
	s.report(t, c, link.Report{})
	d := web("1")
	if _, err := s.Create(t.Context(), provider.Request{Key: "k1", Desired: d}); err != nil {
		t.Fatal(err)
	}
	received := func(after ...string) link.Held {
		t.Helper()
		f, err := c.Recv()
		if err != nil || f.Desired == nil {
			t.Fatalf("%+v, %v", f, err)
		}
		told, held, err := f.Desired.Open(nil)
		if err != nil || len(told.Deployments) != 1 || !slices.Equal(told.Deployments[0].After, after) || (f.Request != nil) != (held.Generation == 1) {
			t.Errorf("%+v, %v, with request %+v; want after %q", told, err, f.Request, after)
		}
		return held
	}
	received()
	called := map[resource.Ref]string{}
	configured := func(depends ...string) {
		t.Helper()
		d.DependsOn = nil
		for _, name := range depends {
			ref := d.Ref
			ref.Name = name
			d.DependsOn = append(d.DependsOn, ref)
		}
		for range 2 { // the second time it is the same one
			if err := s.ReportSite("berlin", provider.SiteStatus{Configured: []resource.Desired{d}, Names: called}); err != nil {
				t.Fatal(err)
			}
		}
	}
	configured("db")
	if held := received("db"); held.Generation != 2 {
		t.Errorf("the order is of generation %d", held.Generation)
	}
	c = s.dial(t, "n1") // which held nothing, and gets it again
	received("db")
	d.Ref.Name = "shop" // both are renamed, and keep their names on the node
	called[d.Ref] = "web"
	data := d.Ref
	data.Name = "data"
	called[data] = "db"
	configured("data") // the same order
	called[data] = "mysql"
	configured("data")
	received("mysql")
	d.Ref.Name = "web"
	s.report(t, c, link.Report{Items: []link.Item{{Name: "web", Instance: "k1", Health: resource.Healthy}}})
	configured()
	received()
	if err := s.Delete(t.Context(), provider.Request{Key: "d", Have: resource.Observed{Ref: d.Ref, ID: "k1"}}); !errors.Is(err, provider.ErrAccepted) {
		t.Fatal(err)
	}
	f, err := c.Recv()
	if err != nil || f.Request == nil || f.Request.Generation != 5 {
		t.Errorf("the next request is %+v, %v", f.Request, err)
	}
}
