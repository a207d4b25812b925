package podman_test

import (
	"context"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/podmantest"
	"github.com/ovi-project/ovi/provider/podman"
	"github.com/ovi-project/ovi/resource"
)

type values = map[string]resource.Value

func text(s string) resource.String { return resource.String(s) }

func texts(all ...string) (out resource.List) {
	for _, s := range all {
		out = append(out, resource.String(s))
	}
	return out
}

func object(m values) resource.Attrs { return resource.AttrsOf(m) }

func secretOf(plain string) resource.Secret {
	return resource.NewSecret(plain, resource.Digest("digest of "+plain[len(plain)-1:]))
}

// real is a provider on a Podman of its own.
type real struct {
	t     *testing.T
	host  *podmantest.Host
	p     *podman.Provider
	scope resource.Scope
	ids   map[resource.Ref]string
	keys  int
	last  []resource.Observed

	patience time.Duration // of the provider
}

func newReal(t *testing.T) *real {
	t.Helper()
	r := &real{t: t, host: podmantest.Start(t), ids: map[resource.Ref]string{}}
	r.connect()
	return r
}

// connect starts with a provider that has read nothing yet.
func (r *real) connect() {
	r.t.Helper()
	r.p = podman.New(podman.Options{Host: "unix://" + r.host.Socket, Patience: r.patience})
	location, err := r.p.Locate(r.context(), "local")
	if err != nil {
		r.t.Fatal(err)
	}
	r.scope = resource.Scope{Provider: podman.Name, Location: location}
}

func (r *real) context() context.Context {
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	r.t.Cleanup(cancel)
	return ctx
}

func (r *real) ref(kind, name string) resource.Ref {
	return resource.Ref{Stack: "shop", Provider: podman.Name, Location: r.scope.Location, Kind: kind, Name: name}
}

func (r *real) of(kind, name string) resource.Value {
	return resource.Reference{Ref: r.ref(kind, name)}
}

func kindNamed(t *testing.T, name string) resource.Kind {
	t.Helper()
	for _, k := range podman.Kinds() {
		if k.Name == name {
			return k
		}
	}
	t.Fatalf("no kind %s", name)
	return resource.Kind{}
}
