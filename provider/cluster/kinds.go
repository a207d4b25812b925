package cluster

import (
	"context"

	"github.com/ovi-project/ovi/provider/cluster/argocd"
	"github.com/ovi-project/ovi/provider/cluster/command"
	"github.com/ovi-project/ovi/provider/cluster/engine"
	"github.com/ovi-project/ovi/provider/cluster/git"
	"github.com/ovi-project/ovi/provider/cluster/haproxy/route"
	"github.com/ovi-project/ovi/provider/cluster/kube"
	"github.com/ovi-project/ovi/provider/cluster/portainer/environment"
	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

// Name is the provider's name in refs and configurations.
const Name = system.Name

// Hooks are commands of the user.
type Hooks = command.Hooks

// Inside returns the scope that a cluster opens.
func Inside(cluster resource.Ref) resource.Scope { return system.Inside(cluster) }

// kind is everything this provider knows about one kind of resource.
type kind struct {
	schema resource.Kind
	area   system.Area // where its resources are
	open   opener
}

// kinds lists all kinds, sorted by name.
func kinds() []kind {
	return []kind{
		{argocd.AppSetKind(), system.InCluster, within(argocd.AppSets)},
		{argocd.SecretKind(), system.InCluster, within(argocd.Secrets)},
		{engine.Kind(), system.OnEngine, func(p *Provider, ctx context.Context, location string) (system.Verbs, error) {
			return p.host(ctx, location)
		}},
		{environment.AgentKind(), system.InCluster, within(environment.Agents)},
		{git.Kind(), system.OnGit, func(p *Provider, _ context.Context, location string) (system.Verbs, error) {
			return git.Open(location, p.opts.Git, p.opts.OperatorGit, p.opts.Clones, p.opts.Getenv)
		}},
		{route.Kind(), system.OnHAProxy, func(p *Provider, _ context.Context, location string) (system.Verbs, error) {
			return route.Open(location, p.opts.HAProxy, &p.routing)
		}},
		{
			environment.EndpointKind(), system.OnPortainer,
			func(p *Provider, _ context.Context, location string) (system.Verbs, error) {
				return environment.Endpoints(location, p.opts.Portainer, p.opts.Digest)
			},
		},
	}
}

// opener opens the system that resources of a kind are in, at a location.
type opener func(p *Provider, ctx context.Context, location string) (system.Verbs, error)

// within opens what is inside of a cluster.
func within(open func(*kube.Client, resource.Scope) system.Verbs) opener {
	return func(p *Provider, ctx context.Context, location string) (system.Verbs, error) {
		at, err := p.Locate(ctx, location)
		if err != nil {
			return nil, err
		}
		c, err := p.api(ctx, at)
		if err != nil {
			return nil, err
		}
		return open(c, resource.Scope{Provider: system.Name, Location: at}), nil
	}
}

// Kinds lists the schemas of all kinds, sorted by name, without I/O. Each call gives a fresh list.
func Kinds() (out []resource.Kind) {
	for _, k := range kinds() {
		out = append(out, k.schema)
	}
	return out
}

// at finds the system that resources of a kind are in, at a location.
func (p *Provider) at(ctx context.Context, ref resource.Ref) (system.Verbs, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, k := range kinds() {
		if k.schema.Name == ref.Kind {
			return k.open(p, ctx, ref.Location)
		}
	}
	return nil, system.Mistake("", "", "unknown kind %q", ref.Kind)
}
