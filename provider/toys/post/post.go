// Package post is a toy provider of nodes that report by themselves: it never asks a node, so
// that an observation is as old as the node's newest report.
package post

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/toys/shelf"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/offline"
)

// Lease is how long a report counts.
const Lease = time.Minute

// Entry is the line of the table.
func Entry() provider.Entry {
	return provider.Entry{
		Name: "post", Doc: "Nodes that report.", Kinds: kinds,
		Locations: provider.Locations{Word: "site", Example: "berlin/n1", Required: true},
		Open: func(_ context.Context, c provider.Config) (provider.Provider, error) {
			return New(c.Clock, c.Changed), nil
		},
	}
}

// Provider is the provider. A node exists once it has reported.
type Provider struct {
	shelf   shelf.Shelf // what runs on the nodes
	reports map[resource.Scope]resource.Snapshot
	clock   func() time.Time
	changed func(resource.Scope)
}

var _ provider.Provider = (*Provider)(nil)

// New returns a provider without nodes. changed may be nil.
func New(clock func() time.Time, changed func(resource.Scope)) *Provider {
	if changed == nil {
		changed = func(resource.Scope) {}
	}
	return &Provider{reports: map[resource.Scope]resource.Snapshot{}, clock: clock, changed: changed}
}

func kinds() []resource.Kind {
	return []resource.Kind{{
		Provider: "post", Name: "app", Doc: "An app on a node.", NoTags: true, Carrier: resource.AtCreate, Async: true,
		Holds: resource.HoldsNothing,
		Attrs: []resource.Attribute{{
			Name: "version", Type: resource.TString, Required: true, Doc: "The version that runs.",
			Example: "1",
		}},
	}}
}

// Kinds implements provider.Provider.
func (p *Provider) Kinds() []resource.Kind { return kinds() }

// Report lets a node do what was accepted, and report what runs on it.
func (p *Provider) Report(ctx context.Context, node resource.Scope) error {
	err := p.shelf.Do(ctx, func() error {
		for _, o := range p.shelf.List(node) {
			o.Health = resource.Healthy
			p.shelf.Put(o)
		}
		p.send(node)
		return nil
	})
	if err == nil {
		p.changed(node)
	}
	return err
}

func (p *Provider) send(node resource.Scope) {
	p.reports[node] = resource.Snapshot{Scope: node, At: p.clock(), Reported: true, Resources: p.shelf.List(node)}
}

// online fails for a node whose newest report is older than the lease.
func (p *Provider) online(node resource.Scope) error {
	switch r, ok := p.reports[node]; {
	case !ok:
		return &offline.Error{}
	case p.clock().Sub(r.At) > Lease:
		return &offline.Error{Since: r.At}
	}
	return nil
}

// Observe implements provider.Provider. A snapshot is of the time of its report.
func (p *Provider) Observe(ctx context.Context, r provider.ObserveRequest) (snap resource.Snapshot, err error) {
	err = p.shelf.Do(ctx, func() error {
		snap = p.reports[r.Scope]
		snap.Resources = slices.Clone(snap.Resources)
		return p.online(r.Scope)
	})
	if err != nil {
		return resource.Snapshot{}, err
	}
	return snap, nil
}

// act sends a node a request, which it accepts only while it is online.
func (p *Provider) act(ctx context.Context, node resource.Scope, do func() error) error {
	return p.shelf.Do(ctx, func() error {
		if err := p.online(node); err != nil {
			return &provider.Error{Cause: provider.Unreachable, Op: "post", Code: "Offline", Err: err}
		}
		return do()
	})
}

// Create implements provider.Provider.
func (p *Provider) Create(ctx context.Context, r provider.Request) (out resource.Observed, err error) {
	ref := r.Desired.Ref
	err = p.act(ctx, ref.Scope(), func() error {
		if x := p.shelf.ByKey(r.Key); x != nil {
			out = *x
			return nil
		}
		out = p.shelf.Put(resource.Observed{
			Ref: ref, ID: fmt.Sprintf("app-%d", p.shelf.Next()), Marks: shelf.Marks(r), Attrs: r.Desired.Attrs,
			Health: resource.Pending,
		})
		return nil
	})
	return out, err
}

// Update implements provider.Provider.
func (p *Provider) Update(ctx context.Context, r provider.Request) (out resource.Observed, err error) {
	err = p.act(ctx, r.Have.Ref.Scope(), func() error {
		x := p.shelf.ByID(r.Have.Ref, r.Have.ID)
		if x == nil {
			return shelf.Missing("%s does not exist", r.Have.ID)
		}
		x.Health = resource.Pending
		err := shelf.Apply(x, r.Changes)
		out = *x
		return err
	})
	return out, err
}

// Delete implements provider.Provider. The node reports at once that it is gone.
func (p *Provider) Delete(ctx context.Context, r provider.Request) error {
	return p.act(ctx, r.Have.Ref.Scope(), func() error {
		p.shelf.Remove(r.Have.Ref, r.Have.ID)
		p.send(r.Have.Ref.Scope())
		return nil
	})
}
