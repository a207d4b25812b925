package cluster

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/docker"
	"github.com/ovi-project/ovi/provider/cluster/haproxy"
	"github.com/ovi-project/ovi/provider/cluster/portainer"
	"github.com/ovi-project/ovi/resource"
)

// How long kind and k3d, and a cluster that they made, may take.
const (
	createWait = 10 * time.Minute
	deleteWait = 3 * time.Minute
	startWait  = 2 * time.Minute
	stopWait   = 10 * time.Second
)

// Options are the settings of a Provider.
type Options struct {
	// Engine is the URL of the engine that the location "local" means; "" finds it.
	Engine string
	// Management is the context of the management cluster in Kubeconfig; "": there is none. Kubeconfig is a
	// list of files as in KUBECONFIG; "" is that of the user.
	Management, Kubeconfig string
	// HAProxy is the folder and the sockets that the location "haproxy" means.
	HAProxy haproxy.Folder
	// Portainer is the one that the location "portainer" means, and the token for any.
	Portainer portainer.Client
	Hooks     Hooks
	// Git is the URL of the repository that the location "git" means, and Clones the folder of clones of
	// repositories, which is a cache.
	Git, Clones string

	Getenv  func(string) string
	Environ func() []string // of kind and k3d
	Clock   func() time.Time
	// Digest is the keyed digest of a secret. Nil: kubeconfigs are not reported.
	Digest func(ref resource.Ref, path, plain string) resource.Digest
}

// Provider creates clusters on the engines that its configurations name.
type Provider struct {
	opts    Options
	reached reached
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
	return &Provider{opts: o}
}

// Kinds implements provider.Provider.
func (p *Provider) Kinds() []resource.Kind { return Kinds() }

// host is one engine, and what is known of it.
type host struct {
	*docker.Client
	endpoint string
	scope    resource.Scope
	opts     Options
	reached  *reached
	networks func(context.Context) ([]docker.Network, error)
	notes    func(context.Context) ([]docker.Volume, error)
}

func (p *Provider) host(ctx context.Context, location string) (*host, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	endpoint, err := p.Locate(ctx, location)
	if err != nil {
		return nil, err
	}
	c, err := docker.Dial(endpoint)
	if err != nil {
		return nil, err
	}
	return &host{
		Client: c, endpoint: endpoint, scope: resource.Scope{Provider: Name, Location: endpoint}, opts: p.opts,
		reached: &p.reached, networks: c.Networks,
		notes: func(ctx context.Context) ([]docker.Volume, error) { return c.Volumes(ctx, noteLabel) },
	}, nil
}

// Check implements provider.Checker.
func (p *Provider) Check(ctx context.Context, r provider.Request) error {
	v, err := p.at(ctx, r.Desired.Ref)
	if err == nil {
		err = v.check(ctx, r)
	}
	return classify("check", err)
}

// Create implements provider.Provider.
func (p *Provider) Create(ctx context.Context, r provider.Request) (o resource.Observed, err error) {
	v, err := p.at(ctx, r.Desired.Ref)
	if err == nil {
		o, err = v.create(ctx, r)
	}
	return o, classify("create "+r.Desired.Ref.Kind, err)
}

// Update implements provider.Provider.
func (p *Provider) Update(ctx context.Context, r provider.Request) (o resource.Observed, err error) {
	v, err := p.at(ctx, r.Have.Ref)
	if err == nil {
		o, err = v.update(ctx, r)
	}
	return o, classify("update "+r.Have.Ref.Kind, err)
}

// Delete implements provider.Provider.
func (p *Provider) Delete(ctx context.Context, r provider.Request) error {
	v, err := p.at(ctx, r.Have.Ref)
	if err == nil {
		err = v.remove(ctx, r)
	}
	return classify("delete "+r.Have.Ref.Kind, err)
}

// Mark implements provider.Marker.
func (p *Provider) Mark(ctx context.Context, r provider.Request) (o resource.Observed, err error) {
	v, err := p.at(ctx, r.Have.Ref)
	if m, ok := v.(marker); ok && err == nil {
		o, err = m.mark(ctx, r)
	}
	return o, classify("mark "+r.Have.Ref.Kind, err)
}

// Observe implements provider.Provider. A kind that cannot be read costs no other.
func (p *Provider) Observe(ctx context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
	out := resource.Snapshot{Scope: r.Scope, At: p.opts.Clock(), Complete: []string{}, Unreachable: map[string]error{}}
	read := 0
	for _, k := range kinds() {
		name := k.schema.Name
		if r.Kinds != nil && !slices.Contains(r.Kinds, name) {
			continue
		}
		if k.area == areaOf(r.Scope.Location) {
			list, err := p.read(ctx, k, r.Scope)
			if err != nil {
				out.Unreachable[name] = classify("observe", err)
				continue
			}
			read++
			out.Resources = append(out.Resources, list...)
		}
		out.Complete = append(out.Complete, name)
	}
	if err := ctx.Err(); err != nil {
		return resource.Snapshot{}, classify("observe", err)
	}
	if len(out.Unreachable) > 0 && read == 0 { // nothing of the scope could be read
		for _, name := range slices.Sorted(maps.Keys(out.Unreachable)) {
			return resource.Snapshot{}, out.Unreachable[name]
		}
	}
	slices.SortFunc(out.Resources, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
	return out, nil
}

func (p *Provider) read(ctx context.Context, k kind, s resource.Scope) ([]resource.Observed, error) {
	v, err := k.open(p, ctx, s.Location)
	if err != nil {
		return nil, err
	}
	return v.list(ctx)
}

// Reveal implements provider.Revealer.
func (p *Provider) Reveal(ctx context.Context, have resource.Observed, path string) (out resource.Secret, err error) {
	v, err := p.at(ctx, have.Ref)
	switch x, ok := v.(revealer); {
	case err != nil:
	case ok:
		out, err = x.reveal(ctx, have, path)
	default:
		err = permanent("", "", "%s has no %s", have.Ref.Short(), path)
	}
	return out, classify("read "+path, err)
}

func (h *host) reveal(ctx context.Context, have resource.Observed, path string) (resource.Secret, error) {
	c, err := h.byID(ctx, have.ID)
	switch {
	case err != nil:
		return resource.Secret{}, err
	case c == nil || path != "kubeconfig":
		return resource.Secret{}, permanent("", "", "%s has no %s", have.Ref.Short(), path)
	}
	text, err := h.kubeconfig(ctx, c)
	if err != nil {
		return resource.Secret{}, err
	}
	return resource.NewSecret(string(text), h.digest(c.name, path, text)), nil
}

func (h *host) digest(cluster, path string, plain []byte) resource.Digest {
	if h.opts.Digest == nil {
		return ""
	}
	return h.opts.Digest(h.ref(cluster), path, string(plain))
}

func (h *host) ref(cluster string) resource.Ref {
	return resource.Ref{Provider: Name, Location: h.scope.Location, Kind: kindCluster, Name: cluster}
}
