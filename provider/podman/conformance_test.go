package podman_test

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/podmantest"
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

func TestProviderKeepsItsPromises(t *testing.T) {
	providertest.Run(t, func(t *testing.T) providertest.Harness {
		r := newReal(t)
		return providertest.Harness{
			Provider: r.p, Scope: r.scope, Samples: r.samples(),
			Unmanaged: func(t *testing.T) string {
				return strings.TrimSpace(r.host.Podman(t, "run", "-d", "--name", "by-hand", podmantest.Image))
			},
			Recreate: func(t *testing.T, o resource.Observed) { r.recreate(t, o) },
		}
	})
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
