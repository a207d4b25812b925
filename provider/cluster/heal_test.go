package cluster_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/clustertest"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster"
	"github.com/ovi-project/ovi/resource"
)

func kindOf(t *testing.T) resource.Kind {
	t.Helper()
	for _, k := range cluster.Kinds() {
		if k.Name == "cluster" {
			return k
		}
	}
	t.Fatal("there is no kind cluster")
	return resource.Kind{}
}

// running is the change that starts a cluster.
func running(t *testing.T, have resource.Observed) resource.Change {
	t.Helper()
	c, differs := resource.DiffState(resource.StateRunning, &have, false)
	if !differs {
		t.Fatalf("the cluster is %s (%s), and need not be started", have.Health, have.Message)
	}
	return c
}

// TestAStoppedClusterIsStarted: also a paused one; its ID stays, its address may change.
func TestAStoppedClusterIsStarted(t *testing.T) {
	r := newReal(t, clustertest.Quick(t))
	for _, s := range []resource.Desired{samples(r, "kind")[0].Desired, samples(r, "k3d")[0].Desired} {
		created := r.create(s)
		node := map[string]string{"alpha": "alpha-control-plane", "beta": "k3d-beta-server-0"}[s.Ref.Name]
		for _, verb := range []string{"stop", "pause"} {
			r.e.Podman(t, verb, node)
			have, _ := r.find(s.Ref.Name)
			if have.Health != resource.Stopped || !strings.Contains(have.Message, node) {
				t.Errorf("after podman %s %s is %s (%s)", verb, s.Ref.Name, have.Health, have.Message)
			}
			if want, _ := created.Attrs.Text("subnet"); !has(have, "subnet", want) {
				t.Errorf("after podman %s %s has %v, want the subnet %q", verb, s.Ref.Name, have.Attrs, want)
			}
			change := running(t, have)
			if change.Effect != resource.Restart {
				t.Errorf("starting %s has the effect %v", s.Ref.Name, change.Effect)
			}
			q := r.request(s)
			q.Have, q.Changes = have, []resource.Change{change}
			got, err := r.p.Update(r.context(), q)
			if err != nil {
				t.Fatalf("start %s: %v", s.Ref.Name, err)
			}
			if ip, _ := got.Attrs.Get("server_ip"); got.ID != created.ID || got.Health != resource.Healthy || ip == nil {
				t.Errorf("started, it is %s, %s at %v", got.ID, got.Health, ip)
			}
		}
	}
}

// TestAClusterThatDoesNotBecomeReady is waited for no longer than allowed; the error says what to read and do.
func TestAClusterThatDoesNotBecomeReady(t *testing.T) {
	r := newReal(t, clustertest.Quick(t))
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, s := range []resource.Desired{samples(r, "kind")[0].Desired, samples(r, "k3d")[0].Desired} {
		r.create(s)
		node, deletes := "alpha-control-plane", "kind delete cluster --name alpha"
		if s.Ref.Name == "beta" {
			node, deletes = "k3d-beta-server-0", "k3d cluster delete beta"
		}
		r.e.Podman(t, "cp", empty, node+":/unready")
		have, _ := r.find(s.Ref.Name)
		if have.Health != resource.Pending || have.Message != "its API server starts" {
			t.Errorf("%s is %s (%s)", s.Ref.Name, have.Health, have.Message)
		}
		c, differs := resource.DiffState(resource.StateRunning, &have, false)
		if !differs {
			t.Fatal("nothing is to be done")
		}
		q := r.request(s)
		q.Have, q.Changes = have, []resource.Change{c}
		want := "read the log of the container " + node + "; if the cluster cannot be saved, " +
			"delete it with `" + deletes + "`, and the next apply creates it again"
		// between two reads, and while it is read
		for _, limit := range []time.Duration{4 * time.Second, 4100 * time.Millisecond} {
			ctx, stop := context.WithTimeout(r.context(), limit)
			_, err := r.p.Update(ctx, q)
			stop()
			var e *provider.Error
			if !errors.As(err, &e) || e.Cause != provider.UnknownResult || e.Hint != want ||
				!strings.Contains(err.Error(), "it is pending (its API server starts)") {
				t.Errorf("%s: %v", s.Ref.Name, err)
			}
		}
	}
}

// TestASecondNetworkChangesNoAddress: routes and registrations stay at the address in the network of kind or k3d.
func TestASecondNetworkChangesNoAddress(t *testing.T) {
	r := newReal(t, clustertest.Quick(t))
	r.e.Podman(t, "network", "create", "--subnet", "10.250.4.0/24", "a-second")
	t.Cleanup(func() { r.e.Podman(t, "network", "rm", "-f", "a-second") })
	for _, s := range []resource.Desired{samples(r, "kind")[0].Desired, samples(r, "k3d")[0].Desired} {
		created := r.create(s)
		r.e.Podman(t, "network", "connect", "a-second",
			map[string]string{"alpha": "alpha-control-plane", "beta": "k3d-beta-server-0"}[s.Ref.Name])
		for range 5 { // the networks of a container have no order
			have, _ := r.find(s.Ref.Name)
			for ; have.Health != resource.Healthy; have, _ = r.find(s.Ref.Name) { // a busy API server answers late
				time.Sleep(100 * time.Millisecond)
			}
			for _, name := range []string{"server_ip", "subnet"} {
				if want, _ := created.Attrs.Text(name); !has(have, name, want) {
					t.Errorf("with a second network %s has %v, want %s %q", s.Ref.Name, have.Attrs, name, want)
				}
			}
		}
	}
}

// has reports whether an attribute has a value; "" of one that is not set.
func has(o resource.Observed, name, want string) bool {
	got, _ := o.Attrs.Text(name)
	return got == want
}

// TestAnInterruptedCreationIsReplaced: kind lists such a cluster and refuses to create it. The context ends
// while kubeadm hangs; what is left has its marks, loses no data, and a new creation removes it.
func TestAnInterruptedCreationIsReplaced(t *testing.T) {
	r := newReal(t, clustertest.Quick(t))
	d := samples(r, "kind")[0].Desired
	hangs := d
	hangs.Attrs = d.Attrs.With("image", text(clustertest.HangsImage))
	ctx, cancel := context.WithCancel(r.context())
	q := r.request(hangs)
	var interrupted atomic.Pointer[time.Time]
	q.Progress = func(p provider.Progress) {
		if now := time.Now(); strings.Contains(p.Text, "Starting control-plane") && interrupted.CompareAndSwap(nil, &now) {
			cancel()
		}
	}
	if _, err := r.p.Create(ctx, q); provider.CauseOf(err) != provider.UnknownResult || !errors.Is(err, context.Canceled) {
		t.Errorf("the interrupted create: %v", err)
	}
	switch at := interrupted.Load(); {
	case at == nil:
		t.Fatal("it ended before it was interrupted")
	case time.Since(*at) > time.Minute:
		t.Errorf("it went on for %v", time.Since(*at))
	}
	have, exists := r.find("alpha")
	if !exists || have.Marks.Key != q.Key || have.Health != resource.Failing || have.Condition != resource.Unfinished ||
		have.Message != "its creation stopped: its kubeconfig is missing" {
		t.Fatalf("what is left: %v %+v", exists, have)
	}
	q.Have, q.Changes = have, []resource.Change{running(t, have)}
	q.Have.Condition = "" // as of one that did not run when it was read
	if _, err := r.p.Update(r.context(), q); !errors.Is(err, provider.ErrReplace) ||
		!strings.Contains(err.Error(), "its creation stopped") {
		t.Errorf("starting a cluster whose creation stopped: %v", err)
	}
	made := r.create(d) // the same key
	if made.Health != resource.Healthy || made.ID == have.ID {
		t.Errorf("created again it is %s, %s; it was %s", made.ID, made.Health, have.ID)
	}
	if loss := kindOf(t).DataLoss(made, nil); loss == "" {
		t.Error("replacing a whole cluster loses nothing")
	}
}

// TestACreationWhoseBalancerNeverStartedIsReplaced: k3d ends between the start of the server and that of its load
// balancer, which does not know the server. Starting it would not help.
func TestACreationWhoseBalancerNeverStartedIsReplaced(t *testing.T) {
	r := newReal(t, clustertest.Quick(t))
	d := samples(r, "k3d")[0].Desired
	ctx, cancel := context.WithCancel(r.context())
	q := r.request(d)
	q.Progress = func(p provider.Progress) {
		if strings.Contains(p.Text, "Starting helpers") {
			cancel()
		}
	}
	if _, err := r.p.Create(ctx, q); provider.CauseOf(err) != provider.UnknownResult || !errors.Is(err, context.Canceled) {
		t.Errorf("the interrupted create: %v", err)
	}
	if state := strings.TrimSpace(r.e.Podman(t, "inspect", "--format", "{{.State.Status}}",
		"k3d-beta-serverlb")); state != "created" {
		t.Fatalf("the load balancer is %s", state)
	}
	have, exists := r.find("beta")
	if !exists || have.Condition != resource.Unfinished ||
		have.Message != "its creation stopped: the start of k3d-beta-serverlb is missing" {
		t.Fatalf("what is left: %v %+v", exists, have)
	}
	if made := r.create(d); made.Health != resource.Healthy || made.ID == have.ID {
		t.Errorf("created again it is %s, %s; it was %s", made.ID, made.Health, have.ID)
	}
}

// TestABrokenClusterIsNoUnfinishedOne: a part of a healthy cluster is removed by hand. Whatever else is missing, a
// cluster that may be in use is broken; a start does not replace it, and a delete works.
func TestABrokenClusterIsNoUnfinishedOne(t *testing.T) {
	r := newReal(t, clustertest.Quick(t))
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const alpha, beta, config = "alpha-control-plane", "k3d-beta-server-0", "/etc/kubernetes/admin.conf"
	gone := func(node string, files ...string) func() {
		return func() { r.e.Podman(t, append([]string{"exec", node, "rm", "-f"}, files...)...) }
	}
	for _, c := range []struct {
		name, cluster string
		damage        func()
		why           string
	}{
		{"the kubeconfig", "alpha", gone(alpha, config), "its kubeconfig is missing, and it has the mark of a finished creation"},
		{"the kubeconfig and the mark", "alpha", gone(alpha, config, "/.ovi-created"), "its kubeconfig is missing, and it has an API server that answers"},
		{
			"the contents of the kubeconfig", "alpha", func() { r.e.Podman(t, "cp", empty, alpha+":"+config) },
			"a kubeconfig that can be used is missing, and it has the mark of a finished creation",
		},
		{
			"the load balancer", "beta", func() { r.e.Podman(t, "rm", "-f", "k3d-beta-serverlb") },
			"its load balancer is missing, and it has the mark of a finished creation",
		},
		{
			"the load balancer and the mark", "beta",
			func() { r.e.Podman(t, "rm", "-f", "k3d-beta-serverlb"); gone(beta, "/.ovi-created")() },
			"its load balancer is missing; whether it has objects of users could not be read",
		},
	} {
		d := samples(r, map[string]string{"alpha": "kind", "beta": "k3d"}[c.cluster])[0].Desired
		r.create(d)
		c.damage()
		have, exists := r.find(c.cluster)
		if !exists || have.Condition != resource.Broken || have.Health != resource.Failing || have.Message != c.why {
			t.Errorf("without %s: %v %s %s %q", c.name, exists, have.Condition, have.Health, have.Message)
			continue
		}
		q := r.request(d)
		q.Have, q.Changes = have, []resource.Change{running(t, have)}
		q.Have.Condition = ""
		if _, err := r.p.Update(r.context(), q); err == nil || errors.Is(err, provider.ErrReplace) {
			t.Errorf("starting it without %s: %v", c.name, err)
		}
		if err := r.p.Delete(r.context(), provider.Request{Desired: d, Have: have}); err != nil {
			t.Errorf("deleting it without %s: %v", c.name, err)
		}
		if _, exists := r.find(c.cluster); exists {
			t.Errorf("without %s: it still exists", c.name)
		}
	}
}

// TestARemnantOfK3dIsRemovedByTheNextCreation: k3d lists none of it, and says that it exists.
func TestARemnantOfK3dIsRemovedByTheNextCreation(t *testing.T) {
	r := newReal(t, clustertest.Quick(t))
	r.e.Podman(t, "run", "-d", "--name", "k3d-beta-tools", "--label", "app=k3d", "--label", "k3d.cluster=beta", "--label",
		"k3d.role=noRole", "localhost/ovi-tools:1")
	if o, exists := r.find("beta"); exists {
		t.Errorf("a remnant is observed as %+v", o)
	}
	if o := r.create(samples(r, "k3d")[0].Desired); o.Health != resource.Healthy {
		t.Errorf("created, it is %s", o.Health)
	}
}

// TestLaw1_AbsenceNeedsACompleteRead_OfAnEngine: without an answer of the engine nothing is concluded, and
// nothing is called, although kind and k3d would list nothing.
func TestLaw1_AbsenceNeedsACompleteRead_OfAnEngine(t *testing.T) {
	p := cluster.New(cluster.Options{Engine: "unix://" + t.TempDir() + "/none.sock"})
	ref := resource.Ref{Stack: "fleet", Provider: cluster.Name, Location: "local", Kind: "cluster", Name: "dev"}
	_, err := p.Observe(t.Context(), provider.ObserveRequest{Scope: ref.Scope()})
	if provider.CauseOf(err) != provider.Unreachable || !strings.Contains(err.Error(), "cannot reach the container engine") {
		t.Errorf("observe: %v", err)
	}
	have := resource.Observed{Ref: ref, ID: "abc"}
	if err := p.Delete(t.Context(), provider.Request{Have: have}); err == nil {
		t.Error("a delete without an engine succeeds")
	}
	d := resource.Desired{Ref: ref, Attrs: resource.AttrsOf(values{"provider": text("kind")})}
	if _, err := p.Create(t.Context(), provider.Request{Desired: d}); provider.CauseOf(err) != provider.Unreachable {
		t.Errorf("create: %v", err)
	}
}

// TestACheckRefusesWhatCannotBeCreated, before anything is created.
func TestACheckRefusesWhatCannotBeCreated(t *testing.T) {
	r := newReal(t, clustertest.Quick(t))
	l, err := net.Listen("tcp", "0.0.0.0:18093")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	r.e.Podman(t, "network", "create", "--subnet", "10.250.3.0/24", "other")
	good := values{"provider": text("kind"), "image": text(clustertest.QuickImage)}
	for want, change := range map[string]values{
		"":                                      {"http_port": resource.Int(18094)},
		"http_port 18093 of the host is in use": {"http_port": resource.Int(18093)},
		"the engine has no image localhost/none:1": {"image": text("localhost/none:1")},
		"the subnet 10.250.0.0/16 overlaps with 10.250.3.0/24 of the network other": {
			"provider": text("k3d"), "subnet": text("10.250.0.0/16"), "image": text(clustertest.QuickK3sImage),
		},
	} {
		d := r.desired("gamma", good)
		for name, v := range change {
			d.Attrs = d.Attrs.With(name, v)
		}
		err := r.p.Check(r.context(), r.request(d))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v: %v, want %q", change, err, want)
		}
	}
	none := cluster.New(cluster.Options{
		Engine: "unix://" + r.e.Socket, Environ: func() []string { return []string{"PATH=" + t.TempDir()} },
	})
	if err := none.Check(r.context(), r.request(r.desired("gamma", good))); err == nil ||
		!strings.Contains(err.Error(), "kind is missing in PATH") {
		t.Errorf("without kind: %v", err)
	}
	alone := t.TempDir()
	if err := os.Symlink(clustertest.Kind(t), filepath.Join(alone, "kind")); err != nil {
		t.Fatal(err)
	}
	lacks := cluster.New(cluster.Options{
		Engine: "unix://" + r.e.Socket, Environ: func() []string { return []string{"PATH=" + alone} },
	})
	if err := lacks.Check(r.context(), r.request(r.desired("gamma", good))); err == nil ||
		!strings.Contains(err.Error(), "podman is missing in PATH; Suggestion: install podman, which kind runs") {
		t.Errorf("without the program of the engine: %v", err)
	}
}

// TestRealServersAnswer: kind and k3d with a real kube-apiserver and etcd in the stand-in for their nodes.
func TestRealServersAnswer(t *testing.T) {
	r := newReal(t, clustertest.Start(t))
	for name, set := range map[string]values{
		"one": {"provider": text("kind"), "image": text(clustertest.Image)},
		"two": {"provider": text("k3d"), "image": text(clustertest.K3sImage)},
	} {
		o := r.create(r.desired(name, set))
		// Built from its module, it does not know its number.
		if v, _ := o.Attrs.Get("version"); o.Health != resource.Healthy || v == nil || v == text("v0.0.0-fake") {
			t.Errorf("%s is %s, version %v", name, o.Health, v)
		}
	}
}
