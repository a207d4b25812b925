package podman_test

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// TestTheDataOfAnImagesVolumeStaysInService: a container that replaces another gets the volumes that
// Podman made for it, and no deletion removes them; a container that never ran leaves none.
func TestTheDataOfAnImagesVolumeStaysInService(t *testing.T) {
	r := newReal(t)
	r.host.Import(t, "localhost/db:1", map[string]string{"version": "1"}, `CMD ["/bin/idle"]`, "VOLUME /data")
	volumes := func() int { return len(strings.Fields(r.host.Podman(t, "volume", "ls", "-q"))) }
	set := values{"image": text("localhost/db:1"), "env": object(values{"A": text("1")})}
	d, old := r.create("container", "db", set)
	if c := r.changes(d, old); len(c) > 0 {
		t.Errorf("created, it has %q", show(c))
	}
	r.host.Podman(t, "exec", "db", "sh", "-c", "echo orders > /data/orders")
	set["env"] = object(values{"A": text("2")})
	next := r.checked("container", "db", set)
	if got := kindNamed(t, "container").Strategies(next, old)[0]; got != resource.Swap {
		t.Errorf("two containers would write to one volume: %s", got)
	}
	before := volumes()
	q := r.request(next)
	aside, err := r.p.SetAside(r.context(), provider.Request{Desired: q.Desired, Have: old})
	if err != nil {
		t.Fatal(err)
	}
	q.Beside = &aside
	created, err := r.p.Create(r.context(), q)
	if err != nil {
		t.Fatal(err)
	}
	q.Have = created
	if _, err = r.p.Switch(r.context(), q); err == nil {
		err = r.p.Delete(r.context(), provider.Request{Have: aside})
	}
	if err != nil {
		t.Fatal(err)
	}
	if out := r.host.Read(t, "db", "cat", "/data/orders"); out != "orders" {
		t.Errorf("after the swap, the data is %q", out)
	}
	now, _ := r.byID(created.ID)
	if c := r.changes(next, now); len(c) > 0 || now.Health != resource.Healthy {
		t.Errorf("it is %s with %q", now.Health, show(c))
	}
	if err := r.p.Delete(r.context(), provider.Request{Have: now}); err != nil {
		t.Fatal(err)
	}
	q = r.request(next)
	q.Key, q.Replaces = "destroy-first", &now
	created, err = r.p.Create(r.context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if out := r.host.Read(t, "db", "cat", "/data/orders"); out != "orders" {
		t.Errorf("after destroy-first, the data is %q", out)
	}
	if err := r.p.Delete(r.context(), provider.Request{Have: created}); err != nil {
		t.Fatal(err)
	}
	if after := volumes(); after != before {
		t.Errorf("there were %d volumes, after the deletion there are %d", before, after)
	}
	set["command"] = texts("sh", "-c", "exit 3")
	if _, err := r.p.Create(r.context(), r.request(r.checked("container", "db", set))); err == nil {
		t.Error("a container that fails was created")
	}
	if after := volumes(); after != before {
		t.Errorf("there were %d volumes, after a container that failed there are %d", before, after)
	}
}
