package podman_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/internal/podmantest"
	"github.com/ovi-project/ovi/resource"
)

// TestChangesOutsideAreFound: each change by hand shows, and the update that a plan would make
// repairs it without replacing the container where Podman can.
func TestChangesOutsideAreFound(t *testing.T) {
	r := newReal(t)
	r.create("network", "back", values{})
	r.create("network", "front", values{})
	back, front := r.ids[r.ref("network", "back")], r.ids[r.ref("network", "front")]
	d, created := r.create("container", "web", values{
		"image": text(podmantest.Image), "networks": resource.List{r.of("network", "back")}, "network_aliases": texts("shop"),
		"resources": object(values{"limits": object(values{"memory": text("64Mi")})}),
		"health":    object(values{"command": texts("test", "!", "-e", "/tmp/sick"), "retries": resource.Int(1)}),
	})
	var limits []string // before Podman 5 a changed limit is not shown, and lost at the next start
	if !r.host.Before5(t) {
		limits = []string{`resources.limits.memory: "32Mi" -> "64Mi" (in_place)`}
	}
	for _, c := range []struct {
		name   string
		change func()
		want   []string // changes
		health resource.Health
		again  bool // restored by creating it again
	}{
		{"nothing", func() {}, nil, resource.Healthy, false},
		{"stopped", func() { r.host.Podman(t, "stop", "web") }, nil, resource.Stopped, false},
		{"killed", func() { r.host.Podman(t, "kill", "web") }, nil, resource.Stopped, false},
		{"paused", func() { r.host.Podman(t, "pause", "web") }, nil, resource.Stopped, false},
		{"sick", func() {
			r.host.Podman(t, "exec", "web", "touch", "/tmp/sick")
			_, _ = r.host.Try("", "healthcheck", "run", "web") // it fails, as it should
			r.host.Podman(t, "exec", "web", "rm", "-f", "/tmp/sick")
		}, nil, resource.Failing, false},
		{
			"disconnected", func() { r.host.Podman(t, "network", "disconnect", "back", "web") },
			[]string{`networks: [] -> [{"$ref":"` + r.ref("network", "back").String() + `"}] (in_place)`},
			resource.Healthy, false,
		},
		{
			"connected to another", func() { r.host.Podman(t, "network", "connect", "--alias", "shop", "front", "web") },
			[]string{
				`networks: ["` + min(back,
					front) + `","` + max(back, front) + `"] -> [{"$ref":"` + r.ref("network", "back").String() + `"}] (in_place)`,
			},
			resource.Healthy, false,
		},
		{"an alias lost", func() {
			r.host.Podman(t, "network", "disconnect", "back", "web")
			r.host.Podman(t, "network", "connect", "back", "web")
		}, []string{`network_aliases: [] -> ["shop"] (in_place)`}, resource.Healthy, false},
		{"limits changed", func() { r.host.Podman(t, "update", "--memory", "32m", "web") }, limits, resource.Healthy, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r.t = t
			c.change()
			o, ok := r.byID(created.ID)
			if !ok {
				t.Fatal("it is gone")
			}
			if diff := cmp.Diff(c.want, show(r.changes(d, o))); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if o.Health != c.health {
				t.Errorf("it is %s (%s), want %s", o.Health, o.Message, c.health)
			}
			d.State = "running"
			req := r.request(d)
			req.Have, req.Changes = o, r.changes(d, o)
			if o.Health != resource.Healthy {
				req.Changes = append(req.Changes, resource.Change{On: resource.OnState, Path: "state", Effect: resource.Restart})
			}
			answer, err := r.p.Update(r.context(), req)
			if err != nil {
				t.Fatal(err)
			}
			after, _ := r.byID(created.ID)
			for _, o := range []resource.Observed{answer, after} {
				if left := r.changes(d, o); len(left) > 0 || o.Health != resource.Healthy {
					t.Errorf("repaired, it is %s (%s) with %q", o.Health, o.Message, show(left))
				}
			}
		})
	}
	r.t = t
}

// TestWhatIsGoneOrMovedIsFound: what needs a new container, or is no longer there.
func TestWhatIsGoneOrMovedIsFound(t *testing.T) {
	r := newReal(t)
	r.create("volume", "data", values{})
	secret, created := r.create("secret", "password",
		values{"data": object(values{"PASSWORD": secretOf("fake-password")})})
	r.host.Podman(t, "tag", podmantest.Image, "localhost/app:1")
	app, container := r.create("container", "app", values{
		"image":   text("localhost/app:1"),
		"secrets": resource.List{object(values{"name": r.of("secret", "password"), "env": resource.Bool(true)})},
	})

	other := r.host.Import(t, "localhost/app:1", map[string]string{"version": "2"}, `CMD ["/bin/idle"]`)
	o, _ := r.byID(container.ID)
	got := show(r.changes(app, o))
	if len(got) != 1 || !strings.HasPrefix(got[0], `image: "localhost/app:1 (image `) ||
		!strings.Contains(got[0], other[:12]) || !strings.HasSuffix(got[0], `-> "localhost/app:1" (replace)`) {
		t.Errorf("a moved tag: %q", got)
	}
	r.host.Podman(t, "untag", "localhost/app:1")
	if o, _ := r.byID(container.ID); len(r.changes(app, o)) > 0 {
		t.Errorf("a tag that was removed: %q", show(r.changes(app, o)))
	}

	r.host.Podman(t, "secret", "rm", created.ID)
	if out, err := r.host.Try("by hand", "secret", "create", "password", "-"); err != nil {
		t.Fatal(out)
	}
	if _, still := r.byID(created.ID); still {
		t.Error("a secret that was replaced by hand is still observed")
	}
	again, err := r.p.Create(r.context(), r.request(secret))
	if err != nil {
		t.Fatalf("it cannot be created again beside the other: %v", err)
	}
	if names := r.host.Podman(t, "secret", "ls", "--format", "{{.Name}}"); len(strings.Fields(names)) != 2 {
		t.Errorf("the secrets are %s", names)
	}
	r.ids[secret.Ref] = again.ID
	o, _ = r.byID(container.ID)
	if got := show(r.changes(app, o)); len(got) != 1 || !strings.HasPrefix(got[0], "secrets: ") ||
		!strings.HasSuffix(got[0], "(replace)") {
		t.Errorf("after the secret was created again, the container has %q", got)
	}

	volume, _ := r.byRef(r.ref("volume", "data"))
	r.host.Podman(t, "volume", "rm", "data")
	r.host.Podman(t, "volume", "create", "data")
	if o, ok := r.byID("data"); !ok || o.UID == volume.UID || !o.Marks.IsZero() {
		t.Errorf("a volume made by hand is %+v, before it was %+v", o, volume)
	}
	r.host.Podman(t, "rm", "-f", "-t", "0", "app")
	if _, still := r.byID(container.ID); still {
		t.Error("a container that was removed is still observed")
	}
}
