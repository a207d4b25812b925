package node_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/ovi-project/ovi/internal/podmantest"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/node"
	"github.com/ovi-project/ovi/provider/podman"
	"github.com/ovi-project/ovi/resource"
)

// orchestrator is one that a test speaks for: it hands out the frames of the node, and sends requests.
type orchestrator struct {
	reports  chan link.Report
	requests chan link.ToNode
}

func (o *orchestrator) Session(ctx context.Context, recv func() (link.FromNode, error), send func(link.ToNode) error) error {
	var sending sync.WaitGroup
	defer sending.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	sending.Go(func() {
		for {
			select {
			case q := <-o.requests:
				_ = send(q)
			case <-ctx.Done():
				return
			}
		}
	})
	for {
		f, err := recv()
		if err != nil {
			return err
		}
		if f.Report != nil {
			o.reports <- *f.Report
		}
	}
}

func (*orchestrator) Enroll(context.Context, link.EnrollRequest) (link.EnrollReply, error) {
	return link.EnrollReply{}, errors.New("nothing enrolls here")
}

// until reads reports until one is as described.
func (o *orchestrator) until(t *testing.T, what string, ok func(link.Report) bool) link.Report {
	t.Helper()
	t.Log("until ", what) // read where it never comes
	for {
		if r := <-o.reports; ok(r) {
			return r
		}
	}
}

// after sends a request and returns the first report that shows its end.
func (o *orchestrator) after(t *testing.T, f link.ToNode) link.Report {
	t.Helper()
	q := f.Request
	o.requests <- f
	return o.until(t, string(q.Verb)+" "+q.ID, func(r link.Report) bool { return r.Seen >= q.Seq && !slices.Contains(r.Open, q.ID) })
}

// request asks for version of web with some secrets, as the only deployment of the node.
func request(seq uint64, verb link.Verb, id, version string, secrets ...string) link.ToNode {
	d := link.Desired{Node: "berlin/n1", Generation: seq, Deployments: []link.Deployment{{
		Name: "web", Instance: "k1", Marks: link.Marks{Ref: "edge/berlin/n1/deployment/web", Stack: "berlin", Owner: "ovi", Key: "k1"},
		Spec: link.Spec{Version: version, Image: "localhost/edge:" + version, Env: map[string]string{"A": "b"}, Check: &link.Check{Command: []string{"/bin/test", "-e", "/ok"}, Interval: 1, Timeout: 5, Retries: 1}},
	}}}
	for _, name := range secrets {
		d.Deployments[0].Spec.Secrets = map[string]string{name: "/run/secrets/" + name}
	}
	signed, err := link.Sign(&d, nil)
	if err != nil {
		return link.ToNode{}
	}
	return link.ToNode{Desired: &signed, Request: &link.Request{Seq: seq, ID: id, Verb: verb, Name: "web", Generation: seq}}
}

// start runs a node on a host until the returned function is called.
func start(t *testing.T, host *podmantest.Host, address string) (stop func()) {
	t.Helper()
	containers := podman.New(podman.Options{Host: "unix://" + host.Socket, Patience: 500 * time.Millisecond})
	location, err := containers.Locate(t.Context(), "local")
	if err != nil {
		t.Fatal(err)
	}
	bounds, err := node.ParseBounds([]string{"localhost/edge"}, nil, []string{"db"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		err := node.Run(ctx, node.Options{
			Site: "berlin", Node: "n1", Address: address, Beat: 500 * time.Millisecond,
			Bounds: bounds, Containers: containers, Scope: resource.Scope{Provider: podman.Name, Location: location},
			Connect: func(context.Context) (credentials.TransportCredentials, time.Duration, error) {
				return insecure.NewCredentials(), 0, nil
			},
		})
		if err != nil {
			t.Error(err)
		}
	})
	stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	t.Cleanup(stop)
	return stop
}

// TestANodeOnPodman: a request that comes twice is one; an update that does not become healthy goes back to the
// version before, and is reported as the last request until there is another one, next to the version that runs; and a node that starts without its
// orchestrator starts what was running.
func TestANodeOnPodman(t *testing.T) {
	host := podmantest.Start(t)
	for version, command := range map[string]string{"1": "echo x >/ok; exec /bin/idle", "2": "exec /bin/idle"} {
		host.Import(t, "localhost/edge:"+version, nil, `CMD ["/bin/sh","-c","`+command+`"]`)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := &orchestrator{reports: make(chan link.Report, 1000), requests: make(chan link.ToNode)}
	server := link.NewServer(o)
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	t.Cleanup(func() { server.Stop(); serving.Wait() })
	stop := start(t, host, listener.Addr().String())

	healthy := func(r link.Report, version string) {
		t.Helper()
		if len(r.Items) != 1 || r.Items[0].Health != resource.Healthy || r.Items[0].Phase != link.Installed || r.Items[0].Spec.Version != version || r.Items[0].Image == "" || r.Items[0].Instance != "k1" {
			t.Fatalf("version %s is not healthy: %+v", version, r)
		}
	}
	install := request(1, link.Install, "k1", "1")
	healthy(o.after(t, install), "1")
	id := host.Podman(t, "inspect", "-f", "{{.Id}}", "ovi-web")
	healthy(o.after(t, request(2, link.Install, "k2", "1")), "1")
	if now := host.Podman(t, "inspect", "-f", "{{.Id}}", "ovi-web"); now != id {
		t.Error("the same deployment was installed twice")
	}

	r := o.after(t, request(3, link.Update, "k3", "2"))
	healthy(r, "1")
	if last := r.Last["web"]; last.Key != "k3" || last.State != resource.RequestFailed || last.Cause != "" || !strings.Contains(last.Text, "version 1 runs again") {
		t.Errorf("an update that does not become healthy: %+v", last)
	}
	if now := host.Podman(t, "ps", "-a", "--format", "{{.ID}}", "--no-trunc"); now != id {
		t.Errorf("the containers are %s; want the one before, %s", now, id)
	}
	r = o.after(t, request(4, link.Restart, "k4", "1"))
	if healthy(r, "1"); r.Last["web"].Key != "k4" || r.Last["web"].State != resource.RequestDone {
		t.Errorf("a restart: %+v", r.Last)
	}

	r = o.after(t, request(5, link.Update, "k5", "1", "root-password"))
	healthy(r, "1")
	if last := r.Last["web"]; last.State != resource.RequestFailed || last.Cause != string(provider.Denied) || !strings.Contains(last.Text, "the secret root-password is not allowed on this node") {
		t.Errorf("beyond the bounds of the node: %+v", last)
	}
	if now := host.Podman(t, "ps", "-a", "--format", "{{.ID}}", "--no-trunc"); now != id {
		t.Errorf("the containers are %s; want the one before, %s", now, id)
	}

	o.withSecrets(t, host)

	stop()
	server.Stop()
	host.Podman(t, "stop", "-t", "0", "ovi-web")
	start(t, host, listener.Addr().String())
	t.Log("until a node without its orchestrator starts its container")
	for host.Podman(t, "inspect", "-f", "{{.State.Running}}", "ovi-web") != "true" {
		time.Sleep(50 * time.Millisecond)
	}
}

// withSecrets: a deployment reads a secret of its node, whose value nothing but that node and the container has. A
// secret that is missing is waited for, and the version before goes on.
func (o *orchestrator) withSecrets(t *testing.T, host *podmantest.Host) {
	t.Helper()
	const value = "canary-of-the-node"
	r := o.after(t, request(6, link.Update, "k6", "1", "db"))
	last := r.Last["web"]
	if len(r.Items) != 1 || r.Items[0].Health != resource.Healthy || last.Cause != string(provider.Unreachable) || !strings.Contains(last.Text, "there is no secret db") || r.Items[0].Spec.Secrets != nil {
		t.Errorf("a secret that is missing: %+v", r)
	}
	if _, err := host.Try(value, "secret", "create", "db", "-"); err != nil {
		t.Fatal(err)
	}
	r = o.after(t, request(7, link.Update, "k7", "1", "db"))
	if len(r.Items) != 1 || r.Items[0].Health != resource.Healthy || r.Items[0].Spec.Secrets["db"] != "/run/secrets/db" {
		t.Errorf("with its secret: %+v", r)
	}
	if got := host.Read(t, "ovi-web", "cat", "/run/secrets/db"); got != value {
		t.Errorf("the container reads %q", got)
	}
	if all := host.Podman(t, "inspect", "ovi-web"); strings.Contains(all, value) {
		t.Error("the value is in what Podman shows of the container")
	}
}
