package podman

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/container"
	"github.com/ovi-project/ovi/provider/podman/failure"
	"github.com/ovi-project/ovi/provider/podman/host"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/provider/podman/spec"
	"github.com/ovi-project/ovi/resource"
)

// Options are the settings of a Provider.
type Options struct {
	// Host is the service that the location "local" means, as in CONTAINER_HOST; "" finds it.
	Host   string
	Getenv func(string) string
	TLS    libpod.Certificates // of tcp:// hosts; none: without TLS
	Clock  func() time.Time
	// Digest is a keyed digest, from which a host gets an ID that two plans agree on before
	// anything is created there. Nil: the ID is random.
	Digest func(plain string) string
	// Transport replaces the connection to a service, for tests.
	Transport func(endpoint string) (http.RoundTripper, error)
	// Patience bounds how long a container may take to become healthy beyond what its health check
	// says; 0 is 10 s.
	Patience time.Duration
}

// Provider runs containers on the hosts that its configurations name.
type Provider struct {
	opts    Options
	schemas []resource.Kind
	mu      sync.Mutex
	hosts   map[string]*host.Host // by the word of the configuration

	closers []func() error
}

var (
	_ provider.Provider = (*Provider)(nil)
	_ provider.Locator  = (*Provider)(nil)
	_ provider.Checker  = (*Provider)(nil)
	_ provider.Swapper  = (*Provider)(nil)

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
	if o.Patience == 0 {
		o.Patience = 10 * time.Second
	}
	return &Provider{opts: o, schemas: schema.Kinds(), hosts: map[string]*host.Host{}}
}

// Kinds implements provider.Provider.
func (p *Provider) Kinds() []resource.Kind { return p.schemas }

// Check implements provider.Checker.
func (p *Provider) Check(ctx context.Context, r provider.Request) error {
	k, h, err := p.at(ctx, r.Desired.Ref)
	if err != nil {
		return err
	}
	return failure.Classify("check", k.check(ctx, h, r))
}

// Create implements provider.Provider.
func (p *Provider) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	k, h, err := p.at(ctx, r.Desired.Ref)
	if err != nil {
		return resource.Observed{}, err
	}
	if err := h.KeepID(ctx); err != nil {
		return resource.Observed{}, failure.Classify("create", err)
	}
	id, err := k.create(ctx, h, r)
	if err != nil {
		return resource.Observed{}, failure.Classify("create "+r.Desired.Ref.Kind, err)
	}
	return k.after(ctx, h, "create", id)
}

// Update implements provider.Provider.
func (p *Provider) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	k, h, err := p.at(ctx, r.Have.Ref)
	if err != nil {
		return resource.Observed{}, err
	}
	if err := k.update(ctx, h, r); err != nil {
		return resource.Observed{}, failure.Classify("update "+r.Have.Ref.Kind, err)
	}
	return k.after(ctx, h, "update", r.Have.ID)
}

// Delete implements provider.Provider.
func (p *Provider) Delete(ctx context.Context, r provider.Request) error {
	k, h, err := p.at(ctx, r.Have.Ref)
	if err != nil {
		return err
	}
	if err := k.remove(ctx, h, r); err != nil && !failure.IsNotFound(err) {
		return failure.Classify("delete "+r.Have.Ref.Kind, err)
	}
	return nil
}

// at finds the kind and the host of a resource.
func (p *Provider) at(ctx context.Context, ref resource.Ref) (kind, *host.Host, error) {
	k, err := kindOf(ref.Kind)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return kind{}, nil, failure.Classify("", err)
	}
	h, err := p.resolved(ctx, ref.Location)
	if err != nil {
		return kind{}, nil, failure.Classify("", err)
	}
	return k, h, nil
}

// Locate implements provider.Locator: "local" is resolved to ID/local. A host that nothing was
// created on has no ID yet: it gets a random one, which the first create keeps.
func (p *Provider) Locate(ctx context.Context, location string) (string, error) {
	h, err := p.resolved(ctx, location)
	if err != nil {
		return "", failure.Classify("", err)
	}
	return h.Scope().Location, nil
}

// resolved gives the host of a location, in the form of a configuration or ID/WORD.
func (p *Provider) resolved(ctx context.Context, location string) (*host.Host, error) {
	id, word := host.SplitLocation(location)
	h, err := p.host(word)
	if err != nil {
		return nil, err
	}
	if err := h.Identify(ctx, id); err != nil {
		return nil, err
	}
	if id != "" && h.Known() != id {
		return nil, fmt.Errorf("%s is host %s, not the host of %s: %w", word, h.Known(), location,
			provider.ErrElsewhere)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for other, x := range p.hosts { // Two words for one host would configure its resources twice.
		if x != h && x.Known() == h.Known() {
			return h, failure.Mistake("", "use one of them everywhere", "%s and %s are the same host", h.Word, other)
		}
	}
	return h, nil
}

// host gives the host of a word, without connecting.
func (p *Provider) host(word string) (*host.Host, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h, ok := p.hosts[word]; ok {
		return h, nil
	}
	c, isLocal, err := p.connect(word)
	if err != nil {
		return nil, err
	}
	h := &host.Host{
		Client: c, Word: word, IsLocal: isLocal, Clock: p.opts.Clock, Patience: p.opts.Patience, Digest: p.opts.Digest,
	}
	p.hosts[word] = h
	return h, nil
}

// Describe implements provider.Describer.
func (p *Provider) Describe(location string) string {
	_, word := host.SplitLocation(location)
	p.mu.Lock()
	h := p.hosts[word]
	p.mu.Unlock()
	if h != nil && h.IsNew() {
		return "new host " + word
	}
	return "host " + word
}

// Observe implements provider.Provider.
func (p *Provider) Observe(ctx context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
	h, err := p.resolved(ctx, r.Scope.Location)
	if err != nil {
		return resource.Snapshot{}, failure.Classify("observe", err)
	}
	g := h.Reading()
	g.Known = make(map[string]bool, len(r.Known))
	for _, b := range r.Known {
		g.Known[b.Kind+"/"+b.ID] = true
	}
	lists := map[string]func(context.Context, *host.Reading) ([]resource.Observed, error){}
	var names []string
	for _, k := range kinds() {
		if r.Kinds == nil || slices.Contains(r.Kinds, k.schema.Name) {
			lists[k.schema.Name], names = k.list, append(names, k.schema.Name)
		}
	}
	listings := provider.ReadKinds(ctx, r, names, h.Clock, func(ctx context.Context, name string) provider.Listing {
		found, err := lists[name](ctx, g)
		return provider.Listing{Resources: found, Err: failure.Classify("list "+name, err)}
	})
	if ctx.Err() != nil {
		return resource.Snapshot{}, failure.Classify("observe", context.Cause(ctx))
	}
	return provider.SnapshotOf(g.Scope, g.Now, listings)
}

// SetAside implements provider.Swapper: it renames the container, which runs on.
func (p *Provider) SetAside(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return p.swapStep(ctx, "set aside", r, func(h *host.Host) error {
		return container.Rename(ctx, h, r.Have.ID, spec.AsideName(r.Desired.Ref.Name, r.Have.ID))
	})
}

// Switch implements provider.Swapper. Where the new container starts first, the old one is
// stopped only once the new one is healthy.
func (p *Provider) Switch(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return p.swapStep(ctx, "switch", r, func(h *host.Host) error {
		if r.Desired.Replace != resource.StartFirst {
			return container.TakeOver(ctx, h, r)
		}
		if err := container.Start(ctx, h, r); err != nil {
			return err
		}
		if container.InService(ctx, h, r.Have.ID) != nil {
			return nil // the caller reads that it is failing, and the old one serves
		}
		return container.StopOld(ctx, h, r.Beside)
	})
}

// Restore implements provider.Swapper.
func (p *Provider) Restore(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return p.swapStep(ctx, "restore", r, func(h *host.Host) error {
		if err := container.Rename(ctx, h, r.Have.ID, r.Desired.Ref.Name); err != nil {
			return err
		}
		return container.Start(ctx, h, r)
	})
}

func (p *Provider) swapStep(ctx context.Context, verb string, r provider.Request,
	do func(*host.Host) error,
) (resource.Observed, error) {
	k, h, err := p.at(ctx, r.Have.Ref)
	if err != nil {
		return resource.Observed{}, err
	}
	if err := do(h); err != nil {
		return resource.Observed{}, failure.Classify(verb, err)
	}
	return k.after(ctx, h, verb, r.Have.ID)
}
