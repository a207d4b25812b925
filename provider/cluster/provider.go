package cluster

import (
	"context"
	"slices"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/command"
	"github.com/ovi-project/ovi/provider/cluster/engine"
	"github.com/ovi-project/ovi/provider/cluster/haproxy"
	"github.com/ovi-project/ovi/provider/cluster/portainer"
	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

// Options are the settings of a Provider.
type Options struct {
	// Engine is the URL of the engine that the location "local" means; "" finds it.
	Engine string
	// Management is the context of the management cluster in Kubeconfig; "" means that there is none. Kubeconfig is a
	// list of files as in KUBECONFIG; "" is that of the user.
	Management, Kubeconfig string
	// HAProxy is the folder and the sockets that the location "haproxy" means.
	HAProxy haproxy.Folder
	// Portainer is the one that the location "portainer" means, and the token for any.
	Portainer portainer.Client
	// Git is the URL of the repository that the location "git" means, and Clones the folder of clones of
	// repositories, which is a cache.
	Git, Clones string
	// OperatorGit is the URL of the repository that an operator named; "" means that none did.
	OperatorGit string

	Hooks   command.Hooks
	Getenv  func(string) string
	Environ func() []string // of kind and k3d
	Clock   func() time.Time
	// Digest returns the keyed digest of a secret. If it is nil, kubeconfigs are not reported.
	Digest func(ref resource.Ref, path, plain string) resource.Digest
}

// Provider creates clusters on the engines that its configurations name.
type Provider struct {
	opts    Options
	schemas []resource.Kind
	reached engine.Reached
	routing haproxy.Group
}

var (
	_ provider.Provider  = (*Provider)(nil)
	_ provider.Locator   = (*Provider)(nil)
	_ provider.Checker   = (*Provider)(nil)
	_ provider.Marker    = (*Provider)(nil)
	_ provider.Revealer  = (*Provider)(nil)
	_ provider.Describer = (*Provider)(nil)
)

// New returns a provider. It connects when it is first used.
func New(o Options) *Provider {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if o.Environ == nil {
		o.Environ = func() []string { return nil }
	}
	return &Provider{opts: o, schemas: Kinds()}
}

// Kinds implements provider.Provider.
func (p *Provider) Kinds() []resource.Kind { return p.schemas }

// Check implements provider.Checker.
func (p *Provider) Check(ctx context.Context, r provider.Request) error {
	v, err := p.at(ctx, r.Desired.Ref)
	if err == nil {
		err = v.Check(ctx, r)
	}
	return classify("check", err)
}

// Create implements provider.Provider.
func (p *Provider) Create(ctx context.Context, r provider.Request) (o resource.Observed, err error) {
	v, err := p.at(ctx, r.Desired.Ref)
	if err == nil {
		o, err = v.Create(ctx, r)
	}
	return o, classify("create "+r.Desired.Ref.Kind, err)
}

// Update implements provider.Provider.
func (p *Provider) Update(ctx context.Context, r provider.Request) (o resource.Observed, err error) {
	v, err := p.at(ctx, r.Have.Ref)
	// Objects, applications and routes that are named by the resource keep the name that they have.
	r.Desired.Ref.Name = r.Have.NaturalRef().Name
	if err == nil {
		o, err = v.Update(ctx, r)
	}
	return o, classify("update "+r.Have.Ref.Kind, err)
}

// Delete implements provider.Provider.
func (p *Provider) Delete(ctx context.Context, r provider.Request) error {
	v, err := p.at(ctx, r.Have.Ref)
	if err == nil {
		err = v.Remove(ctx, r)
	}
	return classify("delete "+r.Have.Ref.Kind, err)
}

// Mark implements provider.Marker.
func (p *Provider) Mark(ctx context.Context, r provider.Request) (o resource.Observed, err error) {
	v, err := p.at(ctx, r.Have.Ref)
	if m, ok := v.(system.Marker); ok && err == nil {
		o, err = m.Mark(ctx, r)
	}
	return o, classify("mark "+r.Have.Ref.Kind, err)
}

// Observe implements provider.Provider. A kind that cannot be read costs no other.
func (p *Provider) Observe(ctx context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
	at := p.opts.Clock()
	here := map[string]kind{}
	var names []string
	elsewhere := []provider.Listing{}
	for _, k := range kinds() {
		name := k.schema.Name
		switch {
		case r.Kinds != nil && !slices.Contains(r.Kinds, name):
		case k.area == system.AreaOf(r.Scope.Location):
			here[name], names = k, append(names, name)
		default: // a location of another area has none of it
			elsewhere = append(elsewhere, provider.Listing{Kind: name})
		}
	}
	listings := provider.ReadKinds(ctx, r, names, p.opts.Clock, func(ctx context.Context, name string) provider.Listing {
		var found []resource.Observed
		v, err := here[name].open(p, ctx, r.Scope.Location)
		if err == nil {
			found, err = v.List(ctx)
		}
		return provider.Listing{Resources: found, Err: classify("observe", err)}
	})
	if err := ctx.Err(); err != nil {
		return resource.Snapshot{}, classify("observe", err)
	}
	if _, err := provider.SnapshotOf(r.Scope, at, listings); err != nil { // of what is here, nothing could be read
		return resource.Snapshot{}, err
	}
	return provider.SnapshotOf(r.Scope, at, append(listings, elsewhere...))
}

// Reveal implements provider.Revealer.
func (p *Provider) Reveal(ctx context.Context, have resource.Observed, path string) (out resource.Secret, err error) {
	v, err := p.at(ctx, have.Ref)
	switch x, ok := v.(system.Revealer); {
	case err != nil:
	case ok:
		out, err = x.Reveal(ctx, have, path)
	default:
		err = system.Mistake("", "", "%s has no %s", have.Ref.Short(), path)
	}
	return out, classify("read "+path, err)
}
