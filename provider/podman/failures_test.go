package podman_test

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/podmantest"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// TestWhatCannotWorkIsRefused: what Podman refuses is found beforehand where it can be, has a
// class and a suggestion, and leaves nothing behind.
func TestWhatCannotWorkIsRefused(t *testing.T) {
	r := newReal(t)
	r.patience = time.Second
	r.connect()
	r.host.Podman(t, "network", "create", "other")
	r.create("network", "back", values{"subnet": text("10.250.3.0/24")})
	r.create("volume", "data", values{})
	r.create("container", "taken",
		values{
			"image": text(podmantest.Image),
			"ports": resource.List{object(values{"container_port": resource.Int(80), "host_port": resource.Int(18481)})},
		})
	r.host.Podman(t, "run", "-d", "--name", "by-hand", podmantest.Image)
	r.host.Podman(t, "pod", "create", "--name", "pod-by-hand")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	busy := int64(l.Addr().(*net.TCPAddr).Port)
	port := func(n int64) resource.Value {
		return resource.List{object(values{"container_port": resource.Int(80), "host_port": resource.Int(n)})}
	}
	image := text(podmantest.Image)
	before := r.everything()
	apart := !r.host.Before5(t) // there a pod and a container may have one name, which ovi refuses all the same
	for _, c := range []struct {
		name, kind, resource string
		set                  values
		class                provider.Cause
		says, hint           string
		late                 bool // Check cannot know
	}{
		{
			"an image that no registry has", "container", "a",
			values{"image": text(r.host.Registry + "/nope:1")},
			provider.Configuration, "/nope:1' not found", "name and tag", false,
		},
		{
			"a registry that does not exist", "container", "a",
			values{"image": text("registry.invalid/nope:1")},
			provider.Unreachable, "registry.invalid", "", false,
		},
		{
			"an image that may not be pulled", "container", "a",
			values{"image": text("localhost/nope:1"), "image_pull_policy": text("Never")},
			provider.Configuration,
			"localhost/nope:1 is not on the host", "image_pull_policy", false,
		},
		{
			"a port of another container", "container", "a",
			values{"image": image, "ports": port(18481)},
			provider.InUse,
			"host port 18481 is used by the container taken", "host_port", false,
		},
		{
			"a port of another program", "container", "a",
			values{"image": image, "ports": port(busy)},
			provider.InUse,
			fmt.Sprintf("host port %d is in use", busy), "host_port", false,
		},
		{
			"a name of another container", "container", "by-hand",
			values{"image": image},
			provider.InUse,
			"a container named by-hand exists", "ovi adopt container/by-hand", false,
		},
		{
			"a command that does not exist", "container", "a",
			values{"image": image, "command": texts("/nope")},
			provider.Configuration, "no such file or directory", "check command and args", true,
		},
		{
			"a program that fails", "container", "a",
			values{"image": image, "command": texts("sh", "-c", "echo the disk is on fire; exit 7")},
			provider.Unclassified,
			"exited with 7: the disk is on fire", "check its image", true,
		},
		{
			"a health check that fails", "container", "a",
			values{
				"image": image,
				"health": object(values{
					"command": texts("sh", "-c", "echo not today; exit 1"), "interval_seconds": resource.Int(1),
					"retries": resource.Int(1),
				}),
			},
			provider.Unclassified, "unhealthy: not today", "", true,
		},
		{
			"a folder of the volume that does not exist", "container", "a",
			values{
				"image": image,
				"volumes": resource.List{
					object(values{"name": r.of("volume", "data"), "mount_path": text("/d"), "sub_path": text("nope")}),
				},
			},
			provider.Configuration, "no such file or directory", "on the host", true,
		},
		{
			"a subnet of another network", "network", "a",
			values{"subnet": text("10.250.3.128/25")},
			provider.InUse,
			"overlaps with 10.250.3.0/24 of the network back", "another subnet", false,
		},
		{
			"a name of another network", "network", "other",
			values{},
			provider.InUse, "a network named other exists",
			"ovi adopt network/other", false,
		},
		{
			"a path that does not exist", "volume", "a",
			values{"host_path": object(values{"path": text("/nope/zz")})},
			provider.Configuration, "/nope/zz does not exist", "on the host", false,
		},
		{
			"a file instead of a folder", "volume", "a",
			values{"host_path": object(values{"path": text("/etc/passwd")})},
			provider.Configuration, "/etc/passwd is not a directory", "host_path.type", false,
		},
		{
			"a volume driver that does not exist", "volume", "a",
			values{"driver": text("nope")},
			provider.Configuration, "nope",
			"", true,
		},
		{
			"a secret without a value", "secret", "a",
			values{"data": object(values{"A": resource.NewSecret("", "d")})},
			provider.Configuration, "data.A is empty", "value", true,
		},
		{
			"a name of a pod", "container", "pod-by-hand",
			values{"image": image},
			provider.InUse,
			"a pod named pod-by-hand exists", "rename one", false,
		},
		{
			"a pod with a name of a container", "pod", "by-hand",
			values{},
			provider.InUse,
			"a container named by-hand exists", "rename one", false,
		},
		{
			"a pod with a port in use", "pod", "a",
			values{"ports": port(18481)},
			provider.InUse,
			"host port 18481 is used by the container taken", "host_port", false,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r.t = t
			d := r.checked(c.kind, c.resource, c.set)
			fails := func(verb string, err error) {
				t.Helper()
				switch {
				case err == nil:
					t.Errorf("%s accepts it", verb)
				case provider.CauseOf(err) != c.class || !strings.Contains(err.Error(), c.says) ||
					!strings.Contains(err.Error(), c.hint):
					t.Errorf("%s says %v, class %s; want %q, %q, class %s", verb, err, provider.CauseOf(err), c.says, c.hint, c.class)
				}
			}
			if err := r.p.Check(r.context(), r.request(d)); !c.late {
				fails("check", err)
			} else if err != nil {
				t.Errorf("check refuses it: %v", err)
			}
			if apart && c.hint == "rename one" {
				return
			}
			_, err := r.p.Create(r.context(), r.request(d))
			if !strings.HasPrefix(c.name, "a port of another program") { // Podman says it in its own words
				if c.late {
					fails("create", err)
				} else if err == nil && c.kind != "volume" {
					t.Error("create accepts it")
				}
			}
			if c.kind == "volume" && err == nil {
				_ = r.host.Podman(t, "volume", "rm", c.resource)
			}
			if after := r.everything(); after != before {
				t.Errorf("something is left:\n%s\nbefore:\n%s", after, before)
			}
		})
	}
	r.t = t
}

// everything lists what the host has, for comparison.
func (r *real) everything() string {
	var out []string
	for _, o := range r.observe().Resources {
		out = append(out, o.Ref.Kind+" "+o.Ref.Name+" "+string(o.Health))
	}
	return strings.Join(out, "\n")
}

// TestAnUnreachablePodman: reading is an error of its own class, and nothing of the host is
// known to be absent.
func TestAnUnreachablePodman(t *testing.T) {
	r := newReal(t)
	d, o := r.create("volume", "data", values{})
	r.host.Kill()
	_, err := r.p.Observe(r.context(), provider.ObserveRequest{Scope: r.scope})
	if provider.CauseOf(err) != provider.Unreachable || !strings.Contains(err.Error(), "cannot reach Podman") ||
		!strings.Contains(err.Error(), "CONTAINER_HOST") {
		t.Errorf("observe: %v, class %s", err, provider.CauseOf(err))
	}
	if _, err := r.p.Create(r.context(), r.request(d)); provider.CauseOf(err) != provider.Unreachable {
		t.Errorf("create: %v, class %s", err, provider.CauseOf(err))
	}
	r.host.Serve(t)
	if again, ok := r.byID(o.ID); !ok || again.UID != o.UID {
		t.Errorf("reachable again, the volume is %+v", again)
	}
}

// TestPullsFollowThePolicy: an image is pulled if it is missing, always or never, with progress,
// and a tag that moved in the registry is found with Always.
func TestPullsFollowThePolicy(t *testing.T) {
	r := newReal(t)
	name := r.host.Registry + "/shop/app:1"
	push := func(version string) string {
		id := r.host.Import(t, name, map[string]string{"version": version}, `CMD ["/bin/idle"]`)
		r.host.Podman(t, "push", "-q", name)
		r.host.Podman(t, "rmi", name)
		return id
	}
	first := push("1")
	var lines []string
	create := func(resourceName, policy string) (resource.Observed, error) {
		d := r.checked("container", resourceName, values{"image": text(name), "image_pull_policy": text(policy)})
		q := r.request(d)
		q.Progress = func(p provider.Progress) { lines = append(lines, p.Text) }
		if err := r.p.Check(r.context(), q); err != nil && policy != "Never" {
			t.Errorf("check: %v", err)
		}
		return r.p.Create(r.context(), q)
	}
	if _, err := create("never", "Never"); err == nil {
		t.Error("Never pulls")
	}
	if o, err := create("missing", "IfNotPresent"); err != nil || !imageIs(o, first) {
		t.Errorf("IfNotPresent: %+v, %v; want image %s", o.Attrs, err, first)
	}
	if !strings.Contains(strings.Join(lines, "\n"), "pulling "+name) {
		t.Errorf("the progress is %q", lines)
	}
	r.host.Podman(t, "tag", name, "localhost/kept:1")
	second := push("2")
	r.host.Podman(t, "tag", "localhost/kept:1", name)
	if o, err := create("present", "IfNotPresent"); err != nil || !imageIs(o, first) {
		t.Errorf("IfNotPresent with an older image: %+v, %v", o.Attrs, err)
	}
	o, err := create("always", "Always")
	if err != nil || !imageIs(o, second) {
		t.Errorf("Always: %+v, %v; want image %s", o.Attrs, err, second)
	}
	third := push("3")
	r.connect() // what the registry said is remembered for a while
	o, _ = r.byID(o.ID)
	if v, _ := o.Attrs.Get("image"); v != resource.Value(text(fmt.Sprintf("%s (image %s; its registry has %s)", name,
		second[:12], third[:12]))) {
		t.Errorf("after the tag moved in the registry the image is %v", v)
	}
}

func imageIs(o resource.Observed, id string) bool {
	v, _ := o.Attrs.Get("image_id")
	return v == resource.Value(text(id))
}

// TestANetworkInUseByOthersStays: replacing a network disconnects the containers of its stack
// alone, and never removes a container.
func TestANetworkInUseByOthersStays(t *testing.T) {
	r := newReal(t)
	_, back := r.create("network", "back", values{})
	web, created := r.create("container", "web",
		values{"image": text(podmantest.Image), "networks": resource.List{r.of("network", "back")}})
	r.host.Podman(t, "run", "-d", "--name", "by-hand", "--network", "back", podmantest.Image)
	remove := provider.Request{Key: "delete", Owner: "ovi", Have: back}
	err := r.p.Delete(r.context(), remove)
	if provider.CauseOf(err) != provider.InUse || !strings.Contains(err.Error(), "by-hand") {
		t.Errorf("deleted beside a container of something else: %v", err)
	}
	if o, _ := r.byID(created.ID); len(r.changes(web, o)) > 0 {
		t.Errorf("after a refused delete the container has %q", show(r.changes(web, o)))
	}
	r.host.Podman(t, "rm", "-f", "-t", "0", "by-hand")
	if err := r.p.Delete(r.context(), remove); err != nil {
		t.Fatal(err)
	}
	o, ok := r.byID(created.ID)
	if !ok || o.Health != resource.Healthy {
		t.Fatalf("the container is %+v", o)
	}
	_, again := r.create("network", "back", values{})
	q := r.request(web)
	q.Have, q.Changes = o, r.changes(web, o)
	if o, err = r.p.Update(r.context(), q); err != nil || len(r.changes(web, o)) > 0 {
		t.Errorf("connected to %s again: %q, %v", again.ID, show(r.changes(web, o)), err)
	}
}

// TestSecretsStayOut: of what is observed and of what programs print into messages.
func TestSecretsStayOut(t *testing.T) {
	r := newReal(t)
	const plain = "fake-tr0ub4dor-and-3"
	r.create("secret", "password", values{"data": object(values{"PASSWORD": secretOf(plain)})})
	r.patience = time.Second
	variable, file := object(values{
		"name": r.of("secret", "password"), "env": resource.Bool(true),
	}), object(values{"name": r.of("secret", "password")})
	const hidden = "(1 line is not shown: the container has a secret)"
	for _, c := range []struct {
		name    string
		secret  resource.Value
		command string
		says    string
	}{
		{
			"a variable", variable, `test -e /run/secrets/password && exit 9; echo "login failed: $PASSWORD"; exit 3`,
			"exited with 3: " + hidden,
		},
		{"a file", file, `echo "$(cat /run/secrets/password) is wrong"; exit 3`, "exited with 3: " + hidden},
		{
			"in an encoding of its own, on two lines", file, `echo "$(tr a-m n-z </run/secrets/password)"; echo more; exit 3`,
			"exited with 3: (2 lines are not shown",
		},
		{"a health check", file, "", "unhealthy: " + hidden},
		{"a health check of a variable", variable, "", "unhealthy: " + hidden},
	} {
		set := values{"image": text(podmantest.Image), "secrets": resource.List{c.secret}}
		if c.command != "" {
			set["command"] = texts("sh", "-c", c.command)
		} else {
			set["health"] = object(values{
				"command": texts("sh", "-c",
					`cat /run/secrets/password 2>/dev/null || printf %s "$PASSWORD"; echo " is wrong"; exit 1`),
				"interval_seconds": resource.Int(1), "retries": resource.Int(1),
			})
		}
		_, err := r.p.Create(r.context(), r.request(r.checked("container", "web", set)))
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), plain) {
			t.Errorf("%s: the error is %v, want %q", c.name, err, c.says)
		}
		if whole, more := provider.Loud(err); !more || c.command == "" && !strings.Contains(whole, plain+" is wrong") {
			t.Errorf("%s: for the operator of the host alone, the error is %q", c.name, whole)
		}
	}
	ok := r.checked("container", "web", values{
		"image": text(podmantest.Image),
		"secrets": resource.List{
			object(values{"name": r.of("secret", "password"), "env": resource.Bool(true), "path": text("/etc/password")}),
		},
	})
	o, err := r.p.Create(r.context(), r.request(ok))
	if err != nil {
		t.Fatal(err)
	}
	if out := r.host.Read(t, "web", "sh", "-c", `test "$PASSWORD" = "$(cat /etc/password)" && echo same`); out != "same" {
		t.Errorf("the container has other secrets: %s", out)
	}
	for _, x := range append(r.observe().Resources, o) {
		if strings.Contains(string(x.AppendJSON(nil)), plain) {
			t.Errorf("%s shows the secret", x.Ref)
		}
	}
	labels := r.host.Podman(t, "inspect", "-f", "{{json .Config.Labels}}", "web")
	if strings.Contains(labels, plain) {
		t.Errorf("the labels show the secret: %s", labels)
	}
}

// TestACreateThatWasInterruptedGoesOn: the same key finds what an earlier attempt left, at every
// step of it.
func TestACreateThatWasInterruptedGoesOn(t *testing.T) {
	r := newReal(t)
	d := r.checked("container", "web", values{"image": text(podmantest.Image)})
	q := r.request(d)
	beside := q
	beside.Beside = &resource.Observed{}
	created, err := r.p.Create(r.context(), beside)
	if err != nil || created.Health != resource.Stopped {
		t.Fatalf("%+v, %v", created, err)
	}
	o, err := r.p.Create(r.context(), q)
	if err != nil || o.ID != created.ID || o.Health != resource.Healthy {
		t.Errorf("continued, it is %+v, %v", o, err)
	}
	s := r.checked("secret", "pair", values{"data": object(values{"A": secretOf("fake-a"), "B": secretOf("fake-b")})})
	q = r.request(s)
	if out, err := r.host.Try("half", "secret", "create", "--label", "ovi/part="+q.Key, "pair.A", "-"); err != nil {
		t.Fatal(errors.New(out))
	}
	if _, err := r.p.Create(r.context(), q); err != nil {
		t.Errorf("continued: %v", err)
	}
	if names := strings.Fields(r.host.Podman(t, "secret", "ls", "--format", "{{.Name}}")); len(names) != 3 {
		t.Errorf("the secrets are %v", names)
	}
}
