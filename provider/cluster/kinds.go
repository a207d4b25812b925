package cluster

import (
	"context"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Name is the provider's name in refs and configurations.
const Name = "cluster"

// The names of the kinds.
const (
	kindCluster = "cluster"
	kindSecret  = "argocd_secret"
)

// Kinds lists the schemas of all kinds, sorted by name, without I/O. Each call gives a fresh list.
func Kinds() []resource.Kind { return []resource.Kind{secretKind(), clusterKind()} }

func bound(n int64) *int64 { return &n }

// verbs are the actions on resources of one kind.
type verbs interface {
	check(ctx context.Context, r provider.Request) error
	create(ctx context.Context, r provider.Request) (resource.Observed, error)
	update(ctx context.Context, r provider.Request) (resource.Observed, error)
	remove(ctx context.Context, r provider.Request) error
}

// at finds the system that resources of a kind are in, at a location.
func (p *Provider) at(ctx context.Context, ref resource.Ref) (verbs, error) {
	switch ref.Kind {
	case kindCluster:
		return p.host(ctx, ref.Location)
	case kindSecret:
		return p.argo(ctx, ref.Location)
	}
	return nil, permanent("", "", "unknown kind %q", ref.Kind)
}
