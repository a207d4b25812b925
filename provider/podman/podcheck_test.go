package podman_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/podmantest"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// TestAPodWithoutItsNetworkIsStopped: the container that keeps a pod's network was stopped, or the pod:
// an update brings both back.
func TestAPodWithoutItsNetworkIsStopped(t *testing.T) {
	r := newReal(t)
	d, pod := r.create("pod", "group", values{})
	_, in := r.create("container", "in",
		values{"image": text(podmantest.Image), "command": texts("serve", "80"), "pod": r.of("pod", "group")})
	_, out := r.create("container", "out", values{"image": text(podmantest.Image)})
	infra := r.host.Podman(t, "pod", "inspect", "-f", "{{.InfraContainerID}}", "group")
	ip := func() string {
		return r.host.Podman(t, "inspect", "-f", "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}", infra)
	}
	for _, by := range [][]string{
		{"stop", "-t", "0", infra}, {"kill", infra}, {"pause", infra}, {"pod", "stop", "-t", "0", "group"},
	} {
		r.host.Podman(t, by...)
		if strings.HasPrefix(by[0], "kill") {
			time.Sleep(time.Second)
		}
		o, _ := r.byID(pod.ID)
		if o.Health != resource.Stopped {
			t.Errorf("after podman %s the pod is %s (%s)", by[0], o.Health, o.Message)
		}
		d.State = resource.StateRunning
		q := r.request(d)
		q.Have, q.Changes = o, []resource.Change{{On: resource.OnState, Path: resource.StatePath, Effect: resource.Restart}}
		if after, err := r.p.Update(r.context(), q); err != nil || after.Health != resource.Healthy || after.ID != pod.ID {
			t.Errorf("after podman %s, repaired: %s (%s), %v", by[0], after.Health, after.Message, err)
		}
		if by[0] == "pod" { // its containers were stopped too, and are drift of their own
			continue
		}
		if o, _ := r.byID(in.ID); o.Health != resource.Healthy {
			t.Errorf("after podman %s its container is %s (%s)", by[0], o.Health, o.Message)
		}
		if got, err := r.host.Try("", "exec", out.ID, "wget", "-q", "-O", "-",
			"http://"+ip()+":80/"); err != nil && !strings.Contains(got, "404") {
			t.Errorf("after podman %s the container is not reached: %s", by[0], got)
		}
	}
}

// TestAJobThatEndedWellIsDone: a container whose restart policy lets it end, and that ended with 0, is
// as configured; with another policy, or none, it is stopped, and with an error it is failing.
func TestAJobThatEndedWellIsDone(t *testing.T) {
	r := newReal(t)
	for _, c := range []struct {
		policy, script string
		want           resource.Health
	}{
		{"no", "exit 0", resource.Healthy},
		{"Never", later + "exit 0", resource.Healthy},
		{"on-failure:2", "exit 0", resource.Healthy},
		{"", later + "exit 0", resource.Stopped},
		{"no", later + "exit 4", resource.Failing},
	} {
		set := values{"image": text(podmantest.Image), "command": texts("sh", "-c", c.script)}
		if c.policy != "" {
			set["restart_policy"] = text(c.policy)
		}
		_, o := r.create("container", "job", set)
		if strings.HasPrefix(c.script, later) {
			r.host.Podman(t, "kill", "-s", "USR1", "job")
		}
		for r.host.Podman(t, "inspect", "-f", "{{.State.Running}}", "job") != "false" {
			time.Sleep(50 * time.Millisecond)
		}
		if o, _ = r.byID(o.ID); o.Health != c.want {
			t.Errorf("policy %q, %q: it is %s (%s), want %s", c.policy, c.script, o.Health, o.Message, c.want)
		}
		if o, _ = r.byID(o.ID); c.want == resource.Healthy {
			if change, is := resource.DiffState(resource.StateStopped, &o, false); is {
				t.Errorf("policy %q: configured as stopped, it has %s", c.policy, change.Name())
			}
		}
		r.host.Podman(t, "rm", "-f", "-t", "0", "job")
	}
}

// later begins the script of a container that goes on once it got the signal USR1, also when it starts again: a create
// fails if the container ends before ovi observes it, as it may on a busy host. No exec tells it to: that fails if the
// container ends before Podman has started it.
const later = "trap 'touch /later' USR1; until test -e /later; do sleep 0.05; done; "

// TestALoopOfCrashesIsFailing: Podman starts a container again and again; between two crashes it runs,
// and is not healthy.
func TestALoopOfCrashesIsFailing(t *testing.T) {
	r := newReal(t)
	_, o := r.create("container", "web", values{"image": text(podmantest.Image), "restart_policy": text("always"), "command": texts("sh", "-c", later+"sleep 0.4; exit 1")})
	r.host.Podman(t, "kill", "-s", "USR1", "web")
	for o.Health != resource.Failing || !strings.Contains(o.Message, "again and again") {
		time.Sleep(50 * time.Millisecond)
		o, _ = r.byID(o.ID)
	}
}

// TestCrashingContainersAreStopped: Podman starts them again and again, and neither a stop, nor that of their pod, nor
// a delete meets only those that run.
func TestCrashingContainersAreStopped(t *testing.T) {
	r := newReal(t)
	crashing := func(name string, pod resource.Value) (resource.Desired, resource.Observed) {
		set := values{
			"image": text(podmantest.Image), "restart_policy": text("always"),
			"command": texts("sh", "-c", later+"sleep 0.1; exit 1"),
		}
		if pod != nil {
			set["pod"] = pod
		}
		d, o := r.create("container", name, set)
		r.host.Podman(t, "kill", "-s", "USR1", name)
		return d, o
	}
	stay := func(what string, names ...string) {
		time.Sleep(time.Second)
		for _, name := range names {
			if state := r.host.Podman(t, "inspect", "-f", "{{.State.Status}}", name); state != "exited" {
				t.Errorf("after a stop of its %s, %s is %s", what, name, state)
			}
		}
	}
	group, pod := r.create("pod", "group", values{})
	_, a := crashing("a", r.of("pod", "group"))
	_, b := crashing("b", r.of("pod", "group"))
	stop := r.request(group)
	stop.Have, stop.Desired.State = pod, resource.StateStopped
	if _, err := r.p.Update(r.context(), stop); err != nil {
		t.Error(err)
	}
	stay("pod", "a", "b")
	for _, o := range []resource.Observed{a, b, pod} {
		if err := r.p.Delete(r.context(), provider.Request{Have: o}); err != nil {
			t.Error(err)
		}
	}
	for n := range 4 {
		name := fmt.Sprint("c", n)
		d, o := crashing(name, nil)
		time.Sleep(time.Duration(n) * 70 * time.Millisecond)
		if n > 0 {
			if err := r.p.Delete(r.context(), provider.Request{Have: o}); err != nil {
				t.Error(err)
			}
			continue
		}
		stop := r.request(d)
		stop.Have, stop.Desired.State = o, resource.StateStopped
		stop.Changes = []resource.Change{{On: resource.OnState}}
		if _, err := r.p.Update(r.context(), stop); err != nil {
			t.Error(err)
		}
		stay("own", name)
	}
}

// TestALoopFromTheStartFails: its create, on a quiet machine. A container that crashes until what it needs is there,
// and is healthy then and stays so, is created.
func TestALoopFromTheStartFails(t *testing.T) {
	r := newReal(t)
	for n := range 2 {
		d := r.checked("container", "web", values{
			"image": text(podmantest.Image), "restart_policy": text("always"),
			"command": texts("sh", "-c", fmt.Sprint("echo no configuration; exit ", n)),
		})
		o, err := r.p.Create(r.context(), r.request(d))
		if err != nil && (!strings.Contains(err.Error(), "it ends again and again") || !strings.Contains(err.Error(), ": no configuration")) {
			t.Errorf("with exit %d: %v", n, err)
		}
		for ; err == nil && o.Health != resource.Failing; o, _ = r.byID(o.ID) {
			time.Sleep(50 * time.Millisecond)
		}
		if err == nil {
			if err := r.p.Delete(r.context(), provider.Request{Have: o}); err != nil {
				t.Error(err)
			}
		}
		if left := r.host.Podman(t, "ps", "-a", "-q"); left != "" {
			t.Errorf("it leaves %s; the error of the create: %v", left, err)
		}
	}
	_, o := r.create("container", "late", values{
		"image": text(podmantest.Image), "restart_policy": text("always"),
		"command": texts("sh", "-c", "echo x >> /starts; test $(wc -l < /starts) -gt 3 || exit 1; touch /tmp/up; trap 'exit 0' TERM; while :; do sleep 1; done"),
		"health": object(values{
			"command": texts("test", "-e", "/tmp/up"), "interval_seconds": resource.Int(5), "retries": resource.Int(12),
		}),
	})
	if o.Health != resource.Healthy {
		t.Errorf("it is %s (%s)", o.Health, o.Message)
	}
}

// TestASickContainerIsFoundByOneObservation: where nothing runs the health checks, a check that fails is
// repeated at once.
func TestASickContainerIsFoundByOneObservation(t *testing.T) {
	r := newReal(t)
	_, o := r.create("container", "web", values{"image": text(podmantest.Image), "health": object(values{
		"command": texts("test", "!", "-e", "/tmp/sick"), "interval_seconds": resource.Int(1), "retries": resource.Int(3),
	})})
	r.host.Podman(t, "exec", "web", "touch", "/tmp/sick")
	time.Sleep(2100 * time.Millisecond) // the last result is too old then
	if o, _ = r.byID(o.ID); o.Health != resource.Failing {
		t.Errorf("it is %s (%s)", o.Health, o.Message)
	}
}
