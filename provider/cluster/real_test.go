package cluster_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/clustertest"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster"
	"github.com/ovi-project/ovi/resource"
)

type values = map[string]resource.Value

// real is a provider on an engine of its own.
type real struct {
	t     *testing.T
	e     *clustertest.Engine
	p     *cluster.Provider
	scope resource.Scope
}

func newReal(t *testing.T, e *clustertest.Engine) *real {
	t.Helper()
	p := cluster.New(cluster.Options{
		Engine: "unix://" + e.Socket, Environ: e.Env,
		Digest: func(_ resource.Ref, _, plain string) resource.Digest {
			return resource.Digest("digest " + string(rune('a'+len(plain)%26)))
		},
	})
	return &real{t: t, e: e, p: p, scope: resource.Scope{Provider: cluster.Name, Location: "unix://" + e.Socket}}
}

// call is how long one call may take here.
const call = 3 * time.Minute

func (r *real) context() context.Context {
	ctx, cancel := context.WithTimeout(r.t.Context(), call)
	r.t.Cleanup(cancel)
	return ctx
}

func (r *real) desired(name string, set values) resource.Desired {
	return resource.Desired{
		Ref:   resource.Ref{Stack: "fleet", Provider: cluster.Name, Location: r.scope.Location, Kind: "cluster", Name: name},
		Attrs: resource.AttrsOf(set),
	}
}

func (r *real) request(d resource.Desired) provider.Request {
	return provider.Request{Key: "key-" + d.Ref.Name, Token: 1, Owner: "ovi", Desired: d}
}

func (r *real) create(d resource.Desired) resource.Observed {
	r.t.Helper()
	o, err := r.p.Create(r.context(), r.request(d))
	if err != nil {
		r.t.Fatalf("create %s: %v", d.Ref.Name, err)
	}
	return o
}

// find gives the cluster of a name; false if there is none.
func (r *real) find(name string) (resource.Observed, bool) {
	r.t.Helper()
	s, err := r.p.Observe(r.context(), provider.ObserveRequest{Scope: r.scope})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, o := range s.Resources {
		if o.Ref.Name == name {
			return o, true
		}
	}
	return resource.Observed{}, false
}

// byHand runs kind or k3d as a user would.
func (r *real) byHand(program string, args ...string) string {
	r.t.Helper()
	return r.e.Run(r.t, filepath.Join(r.t.TempDir(), "kubeconfig"), program, args...)
}

func text(s string) resource.String { return resource.String(s) }
