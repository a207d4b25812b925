package podman

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/libpod"
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
	// Plain returns the secret of a keyed digest, to keep it out of what programs print; false if it
	// is not known. Nil: none is known.
	Plain func(resource.Digest) (string, bool)
	// Transport replaces the connection to a service, for tests.
	Transport func(endpoint string) (http.RoundTripper, error)
	// Patience bounds how long a container may take to become healthy beyond what its health check
	// says; 0 is 10 s.
	Patience time.Duration
}

// Provider runs containers on the hosts that its configurations name.
type Provider struct {
	opts  Options
	mu    sync.Mutex
	hosts map[string]*host // by the word of the configuration

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
	return &Provider{opts: o, hosts: map[string]*host{}}
}

// Kinds implements provider.Provider.
func (p *Provider) Kinds() []resource.Kind { return Kinds() }

// kind is everything this provider knows about one kind of resource.
type kind struct {
	schema resource.Kind
	list   func(context.Context, *reading) ([]resource.Observed, error)
	read   func(ctx context.Context, g *reading, id string) (resource.Observed, error)
	check  func(context.Context, *host, provider.Request) error
	create func(context.Context, *host, provider.Request) (id string, err error)
	update func(context.Context, *host, provider.Request) error
	remove func(context.Context, *host, provider.Request) error
}

func kinds() []kind {
	return []kind{containers(), networks(), pods(), secrets(), volumes()}
}

func kindOf(name string) (kind, error) {
	for _, k := range kinds() {
		if k.schema.Name == name {
			return k, nil
		}
	}
	return kind{}, permanent("", "", "unknown kind %q", name)
}

// Check implements provider.Checker.
func (p *Provider) Check(ctx context.Context, r provider.Request) error {
	k, h, err := p.at(ctx, r.Desired.Ref)
	if err != nil {
		return err
	}
	return classify("check", k.check(ctx, h, r))
}

// Create implements provider.Provider.
func (p *Provider) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	k, h, err := p.at(ctx, r.Desired.Ref)
	if err != nil {
		return resource.Observed{}, err
	}
	if err := h.keepID(ctx); err != nil {
		return resource.Observed{}, classify("create", err)
	}
	id, err := k.create(ctx, h, r)
	if err != nil {
		return resource.Observed{}, classify("create "+r.Desired.Ref.Kind, err)
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
		return resource.Observed{}, classify("update "+r.Have.Ref.Kind, err)
	}
	return k.after(ctx, h, "update", r.Have.ID)
}

// Delete implements provider.Provider.
func (p *Provider) Delete(ctx context.Context, r provider.Request) error {
	k, h, err := p.at(ctx, r.Have.Ref)
	if err != nil {
		return err
	}
	if err := k.remove(ctx, h, r); err != nil && !isNotFound(err) {
		return classify("delete "+r.Have.Ref.Kind, err)
	}
	return nil
}

// after reads what an action made. Its result is uncertain if that fails.
func (k kind) after(ctx context.Context, h *host, verb, id string) (resource.Observed, error) {
	o, err := k.read(ctx, h.reading(), id)
	if err != nil {
		return o, &provider.Error{Class: provider.Uncertain, Op: verb + " " + k.schema.Name, Err: fmt.Errorf("cannot read the result: %w", err)}
	}
	return o, nil
}

// at finds the kind and the host of a resource.
func (p *Provider) at(ctx context.Context, ref resource.Ref) (kind, *host, error) {
	k, err := kindOf(ref.Kind)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return kind{}, nil, classify("", err)
	}
	h, err := p.resolved(ctx, ref.Location)
	if err != nil {
		return kind{}, nil, classify("", err)
	}
	return k, h, nil
}

// noUpdate is of kinds that Podman cannot change.
func noUpdate(context.Context, *host, provider.Request) error { return provider.ErrReplace }

// relabel changes nothing: labels of what exists are in the record alone.
func relabel(_ context.Context, _ *host, r provider.Request) error {
	for _, c := range r.Changes {
		if c.On != resource.OnAttribute || !pathIn(c.Path, "labels") {
			return provider.ErrReplace
		}
	}
	return nil
}

func noCheck(context.Context, *host, provider.Request) error { return nil }
