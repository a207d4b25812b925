package central_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/provider/edge/central"
	"github.com/ovi-project/ovi/provider/edge/identity"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
)

// orchestrator is a central one, which can be stopped and started again at its address.
type orchestrator struct {
	dir, address string
	authority    *identity.Authority
	alarms       chan string
	stop         func()
}

func newOrchestrator(t *testing.T) *orchestrator {
	t.Helper()
	o := &orchestrator{dir: t.TempDir(), address: "127.0.0.1:0", alarms: make(chan string, 10)}
	var err error
	if o.authority, err = identity.Open(o.dir, time.Now); err != nil {
		t.Fatal(err)
	}
	o.start(t)
	t.Cleanup(func() { o.stop() })
	return o
}

func (o *orchestrator) start(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", o.address)
	if err != nil {
		t.Fatal(err)
	}
	o.address = listener.Addr().String()
	events, err := outbox.Open(edge.EventsFile(o.dir), outbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := link.NewServer(central.Central{Gate: edge.Gate{Authority: o.authority, Alarm: func(_, text string) { o.alarms <- text }}, Outbox: events, Dir: o.dir},
		grpc.Creds(credentials.NewTLS(o.authority.Server())))
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	o.stop = sync.OnceFunc(func() { server.Stop(); serving.Wait(); _ = events.Close() })
}

// site enrolls the orchestrator of a site.
func (o *orchestrator) site(t *testing.T, name string) identity.Node {
	t.Helper()
	n := identity.Node{Dir: t.TempDir(), Clock: time.Now}
	token, err := o.authority.Token(name)
	if err == nil {
		err = n.Enroll(t.Context(), token, edge.Sign(o.address))
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// has waits until the central orchestrator has so many events, and checks that each is there once, in order.
func (o *orchestrator) has(t *testing.T, want int) {
	t.Helper()
	var got []link.Event
	for ; ; time.Sleep(5 * time.Millisecond) {
		var err error
		if got, err = outbox.Read(edge.EventsFile(o.dir)); err != nil {
			t.Fatal(err)
		}
		if len(got) >= want {
			break
		}
	}
	for i, e := range got {
		if e.Message != fmt.Sprint(i+1) || e.Gap > 0 {
			t.Fatalf("event %d is %+v", i+1, e)
		}
	}
	if len(got) != want {
		t.Errorf("%d events have come; want %d", len(got), want)
	}
}

// TestNoEventIsLostWhileTheCentralOrchestratorIsAway, or the orchestrator of the site is killed; and none comes
// twice.
func TestNoEventIsLostWhileTheCentralOrchestratorIsAway(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	id := o.site(t, "berlin")
	file := filepath.Join(t.TempDir(), "events")
	made := 0
	add := func(b *outbox.Outbox, n int) {
		t.Helper()
		var events []link.Event
		for range n {
			made++
			events = append(events, link.Event{Site: "berlin", Node: "n1", Incarnation: "i", Seq: uint64(made), Deployment: "web", Message: fmt.Sprint(made)})
		}
		if err := b.Accept(events...); err != nil {
			t.Fatal(err)
		}
	}
	relay := func() (*outbox.Outbox, func()) {
		b, err := outbox.Open(file, outbox.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		var running sync.WaitGroup
		r := edge.Relay{Site: "berlin", Address: o.address, Connect: edge.Credentials(id, o.address, hclog.NewNullLogger()), Outbox: b, Log: hclog.NewNullLogger()}
		running.Go(func() { r.Run(ctx) })
		stop := sync.OnceFunc(func() { cancel(); running.Wait(); _ = b.Close() })
		t.Cleanup(stop)
		return b, stop
	}
	b, kill := relay()
	add(b, 10)
	o.has(t, 10)
	o.stop()
	add(b, 1000) // an hour of a busy site
	kill()
	b, _ = relay()
	add(b, 10)
	if n := len(b.After(0, 10_000)); n < 1010 {
		t.Errorf("%d events wait for the central orchestrator; want at least 1010", n)
	}
	o.start(t)
	o.has(t, 1020)
}

// TestAnOrchestratorReportsForItsSiteAlone.
func TestAnOrchestratorReportsForItsSiteAlone(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	config, _, err := o.site(t, "berlin").Config()
	if err != nil {
		t.Fatal(err)
	}
	say := func(c *tls.Config, hello link.Hello, events ...link.Relayed) string {
		t.Helper()
		conn, err := link.Dial(t.Context(), o.address, credentials.NewTLS(c))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		_ = conn.Send(link.FromNode{Hello: &hello})
		_ = conn.Send(link.FromNode{Relayed: events})
		if _, err = conn.Recv(); err == nil {
			return ""
		}
		return err.Error()
	}
	of := func(site string) link.Relayed {
		return link.Relayed{Number: 1, Event: link.Event{Site: site, Node: "n1", Seq: 1, Deployment: "web"}}
	}
	if text := say(config, link.Hello{Site: "berlin"}, of("berlin")); text != "" {
		t.Errorf("its own event is refused: %s", text)
	}
	if text := say(config, link.Hello{Site: "berlin"}, of("paris")); !strings.Contains(text, "cannot report for paris") {
		t.Errorf("an event of another site: %q", text)
	}
	if text := say(config, link.Hello{Site: "paris"}, of("paris")); !strings.Contains(text, "berlin cannot speak for paris") {
		t.Errorf("another site: %q", text)
	}
	long := of(strings.Repeat("x", 100_000))
	if text := say(config, link.Hello{Site: "berlin"}, long); !strings.Contains(text, "refused") || len(text) > 200 {
		t.Errorf("a site with a long name: %.300q", text)
	}
	odd := of("\x1b[2Jparis")
	if text := say(config, link.Hello{Site: "berlin"}, odd); !strings.Contains(text, "cannot report for an invalid name") {
		t.Errorf("what is no site: %q", text)
	}
	if text := say(config, link.Hello{Site: "a b"}); !strings.Contains(text, "names no site") {
		t.Errorf("as what is no site: %q", text)
	}
	anonymous := config.Clone()
	anonymous.Certificates = nil
	if text := say(anonymous, link.Hello{Site: "berlin"}, of("berlin")); !strings.Contains(text, "no certificate") {
		t.Errorf("without a certificate: %q", text)
	}
	if len(o.alarms) != 4 {
		t.Errorf("%d alarms, want 4", len(o.alarms))
	}
	got, err := outbox.Read(edge.EventsFile(o.dir))
	if err != nil || len(got) != 1 {
		t.Errorf("%d events are kept, %v", len(got), err)
	}
}

// TestASiteGetsItsOrdersAlone: the newest when it connects, and each change; it keeps nothing of those of others.
func TestASiteGetsItsOrdersAlone(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	got := make(chan provider.Orders, 10)
	id := o.site(t, "berlin")
	events, err := outbox.Open(filepath.Join(t.TempDir(), "events"), outbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	relay := edge.Relay{
		Site: "berlin", Address: o.address, Connect: edge.Credentials(id, o.address, hclog.NewNullLogger()), Outbox: events, Log: hclog.NewNullLogger(),
		Ordered: func(_ string, x provider.Orders) { got <- x },
	}
	order := func(site string, frozen bool) provider.Orders {
		t.Helper()
		x, err := edge.Order(o.dir, site, time.Now(), func(x *provider.Orders) { x.Frozen = frozen })
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	order("berlin", false)
	first := order("berlin", true) // in the same second
	order("paris", true)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { relay.Run(ctx) })
	defer func() { stop(); running.Wait() }()
	if x := <-got; x.Number != first.Number || !x.Frozen {
		t.Errorf("the first orders are %+v, want %+v", x, first)
	}
	second := order("berlin", false)
	if x := <-got; x.Number != second.Number || x.Number <= first.Number || x.Frozen {
		t.Errorf("the next orders are %+v, want %+v", x, second)
	}
	o.stop()
	third := order("berlin", true)
	o.start(t)
	for x := range got { // those before may come again when it connects
		if x.Number == third.Number {
			break
		}
	}
	if len(got) > 0 {
		t.Errorf("more orders came: %+v", <-got)
	}
}
