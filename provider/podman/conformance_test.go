package podman_test

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/podmantest"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/providertest"
	"github.com/ovi-project/ovi/resource"
)

func (r *real) samples() []providertest.Sample {
	sample := func(kind, name string, set, then values) providertest.Sample {
		out := providertest.Sample{Desired: resource.Desired{Ref: r.ref(kind, name), Attrs: resource.AttrsOf(set)}}
		if then != nil {
			out.Then = resource.AttrsOf(then)
		}
		return out
	}
	return []providertest.Sample{
		sample("network", "front", values{"labels": object(values{"team": text("shop")})}, nil),
		sample("network", "back", values{"subnet": text("10.250.7.0/24"), "gateway": text("10.250.7.9")}, nil),
		sample("volume", "data", values{}, nil),
		sample("secret", "password", values{"data": object(values{"PASSWORD": secretOf("fake-password-of-a-sample")})}, nil),
		sample("secret", "pair",
			values{"data": object(values{"user": secretOf("fake-user-a"), "token": secretOf("fake-token-b")})}, nil),
		sample("pod", "shop", values{"networks": resource.List{r.of("network", "front")}}, nil),
		sample("container", "db", values{
			"image": text(podmantest.Image), "networks": resource.List{r.of("network", "back")},
			"network_aliases": texts("database"),
			"volumes":         resource.List{object(values{"name": r.of("volume", "data"), "mount_path": text("/data")})},
			"secrets":         resource.List{object(values{"name": r.of("secret", "password"), "env": resource.Bool(true)})},
		}, values{"networks": resource.List{r.of("network", "back"), r.of("network", "front")}}),
		sample("container", "web", values{
			"image": text(podmantest.Image), "command": texts("/bin/serve", "80"), "pod": r.of("pod", "shop"),
			"health":  object(values{"http_get": object(values{"port": resource.Int(80)}), "interval_seconds": resource.Int(1)}),
			"secrets": resource.List{object(values{"name": r.of("secret", "pair")})},
		}, nil),
	}
}

// rivals are what excludes a sample by a part of its attributes, or by another kind, and what is close to that.
func (r *real) rivals(all []providertest.Sample, port int64) []providertest.Sample {
	one := func(kind, name string, set values) resource.Desired {
		return resource.Desired{Ref: r.ref(kind, name), Attrs: resource.AttrsOf(set)}
	}
	on := func(name, ip string, state resource.State) resource.Desired {
		d := one("container", name, values{
			"image": text(podmantest.Image),
			"ports": resource.List{object(values{"container_port": resource.Int(80), "host_port": resource.Int(port), "host_ip": text(ip)})},
		})
		d.State = state
		return d
	}
	pod := one("pod", "rival", values{
		"ports": resource.List{object(values{"container_port": resource.Int(80), "host_port": resource.Int(port), "host_ip": text("127.0.0.1")})},
	})
	all = append(all, providertest.Sample{Desired: on("public", "127.0.0.1", "")})
	for i := range all {
		s := &all[i]
		switch s.Desired.Ref.Kind + "/" + s.Desired.Ref.Name {
		case "network/back":
			s.Rivals = []resource.Desired{
				one("network", "rival", values{"subnet": text("10.250.7.128/25")}), one("network", "rival", values{"subnet": text("10.250.8.0/24")}),
			}
		case "pod/shop": // Podman 5 lets a container have the name of a pod. ovi manages hosts of both versions alike.
			if !strings.Contains(r.host.Podman(r.t, "--version"), " 5.") {
				s.Rivals = []resource.Desired{one("container", "shop", values{"image": text(podmantest.Image)})}
			}
		case "container/public":
			s.Rivals = []resource.Desired{
				on("rival", "127.0.0.1", ""), on("rival", "0.0.0.0", ""), on("rival", "127.0.0.2", ""),
				on("rival", "127.0.0.1", resource.StateStopped), pod,
			}
		}
	}
	return all
}

func TestProviderKeepsItsPromises(t *testing.T) {
	providertest.Run(t, func(t *testing.T) providertest.Harness {
		r := newReal(t)
		return providertest.Harness{
			Provider: r.p, Scope: r.scope, Samples: r.rivals(r.samples(), freePort(t)),
			Unmanaged: func(t *testing.T) string {
				return strings.TrimSpace(r.host.Podman(t, "run", "-d", "--name", "by-hand", podmantest.Image))
			},
			Recreate: func(t *testing.T, o resource.Observed) { r.recreate(t, o) },
		}
	})
}

// TestAContainerMadeByHandHoldsItsPorts while it runs, so that nothing of ovi's is given up for them.
func TestAContainerMadeByHandHoldsItsPorts(t *testing.T) {
	r := newReal(t)
	port := freePort(t)
	id := strings.TrimSpace(r.host.Podman(t, "run", "-d", "-p", fmt.Sprintf("127.0.0.1:%d:80", port), podmantest.Image))
	want := resource.Hold{
		What: "host port", Of: r.scope.String(), Name: fmt.Sprintf("%d/tcp", port), Range: netip.MustParsePrefix("127.0.0.1/32"),
	}
	held := func() bool {
		r.observe()
		o, there := r.byID(id)
		k, _ := (provider.Set{"podman": r.p}).Kind("podman", "container")
		return there && slices.Contains(k.HeldBy(&o), want)
	}
	if !held() {
		t.Error("it runs, and does not hold its port")
	}
	r.host.Podman(t, "stop", "-t", "0", id)
	if held() {
		t.Error("it is stopped, and holds its port")
	}
}

// recreate deletes a resource and creates one of its name, by hand.
func (r *real) recreate(t *testing.T, o resource.Observed) {
	t.Helper()
	name := o.Ref.Name
	switch o.Ref.Kind {
	case "container":
		r.host.Podman(t, "rm", "-f", "-t", "0", o.ID)
		r.host.Podman(t, "create", "--name", name, podmantest.Image)
	case "pod":
		r.host.Podman(t, "pod", "rm", "-f", "-t", "0", o.ID)
		r.host.Podman(t, "pod", "create", "--name", name)
	case "network":
		r.host.Podman(t, "network", "rm", "-f", "-t", "0", name)
		r.host.Podman(t, "network", "create", name)
	case "volume":
		r.host.Podman(t, "volume", "rm", "-f", name)
		r.host.Podman(t, "volume", "create", name)
	case "secret":
		r.host.Podman(t, "secret", "rm", o.ID)
		if out, err := r.host.Try("other", "secret", "create", name, "-"); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
}

func freePort(t *testing.T) int64 {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return int64(l.Addr().(*net.TCPAddr).Port)
}
