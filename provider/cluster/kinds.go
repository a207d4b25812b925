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
	kindCluster  = "cluster"
	kindSecret   = "argocd_secret"
	kindRoute    = "haproxy_route"
	kindEndpoint = "portainer_endpoint"
	kindAppSet   = "applicationset"
	kindBranch   = "git_branch"
	kindAgent    = "edge_agent"
)

// kind is everything this provider knows about one kind of resource.
type kind struct {
	schema resource.Kind
	area   area // where its resources are
	open   func(p *Provider, ctx context.Context, location string) (verbs, error)
}

// kinds lists all kinds, sorted by name.
func kinds() []kind {
	return []kind{
		{applicationSetKind(), inCluster, (*Provider).applicationSets},
		{secretKind(), inCluster, (*Provider).argoSecrets},
		{clusterKind(), onEngine, func(p *Provider, ctx context.Context, location string) (verbs, error) { return p.host(ctx, location) }},
		{agentKind(), inCluster, (*Provider).agents},
		{branchKind(), onGit, (*Provider).branches},
		{routeKind(), onHAProxy, func(p *Provider, ctx context.Context, location string) (verbs, error) { return p.routes(ctx, location) }},
		{endpointKind(), onPortainer, (*Provider).endpoints},
	}
}

// Kinds lists the schemas of all kinds, sorted by name, without I/O. Each call gives a fresh list.
func Kinds() (out []resource.Kind) {
	for _, k := range kinds() {
		out = append(out, k.schema)
	}
	return out
}

func bound(n int64) *int64 { return &n }

// verbs are what can be done with resources of one kind, in one place.
type verbs interface {
	list(ctx context.Context) ([]resource.Observed, error) // all, or an error
	check(ctx context.Context, r provider.Request) error
	create(ctx context.Context, r provider.Request) (resource.Observed, error)
	update(ctx context.Context, r provider.Request) (resource.Observed, error)
	remove(ctx context.Context, r provider.Request) error
}

// marker is of kinds whose marks can be written at any time.
type marker interface {
	mark(ctx context.Context, r provider.Request) (resource.Observed, error)
}

// revealer is of kinds with secret values.
type revealer interface {
	reveal(ctx context.Context, have resource.Observed, path string) (resource.Secret, error)
}

// at finds the system that resources of a kind are in, at a location.
func (p *Provider) at(ctx context.Context, ref resource.Ref) (verbs, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, k := range kinds() {
		if k.schema.Name == ref.Kind {
			return k.open(p, ctx, ref.Location)
		}
	}
	return nil, permanent("", "", "unknown kind %q", ref.Kind)
}
