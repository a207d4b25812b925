// Package nest is a toy provider whose clusters open a scope: apps exist inside a cluster, and
// can be observed only while it runs.
package nest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/toys/shelf"
	"github.com/ovi-project/ovi/resource"
)

// Entry is the line of the table.
func Entry() provider.Entry {
	return provider.Entry{
		Name: "nest", Doc: "Clusters, and apps inside them.", Kinds: kinds,
		Locations: provider.Locations{
			Word: "host", Example: "here",
			Default: func(func(string) string) string { return "here" },
		},
		Open: func(context.Context, provider.Config) (provider.Provider, error) { return New(), nil },
	}
}

// Provider is the provider. Any host exists in it, empty at first.
type Provider struct{ Shelf shelf.Shelf }

var (
	_ provider.Provider = (*Provider)(nil)
	_ provider.Marker   = (*Provider)(nil)
)

// New returns an empty provider.
func New() *Provider { return &Provider{} }

// Inside is the scope that a cluster opens.
func Inside(cluster resource.Ref) resource.Scope {
	return resource.Scope{Provider: cluster.Provider, Location: cluster.Location + "/" + cluster.Name}
}

func kinds() []resource.Kind {
	return []resource.Kind{
		{
			Provider: "nest", Name: "cluster", Doc: "A cluster.", NoTags: true, Opens: Inside,
			Holds: shelf.HoldsName, HoldsDoc: shelf.HoldsNameDoc,
			Attrs: []resource.Attribute{{
				Name: "nodes", Type: resource.TInt, Default: resource.Int(1),
				Doc: "How many nodes it has.",
			}},
		},
		{
			Provider: "nest", Name: "app", Doc: "An app inside a cluster.", NoTags: true, Carrier: resource.NoMarks,
			Holds: shelf.HoldsName, HoldsDoc: shelf.HoldsNameDoc,
			Attrs: []resource.Attribute{{
				Name: "version", Type: resource.TString, Required: true, Doc: "The version that runs.",
				Example: "1",
			}},
		},
	}
}

// Kinds implements provider.Provider.
func (p *Provider) Kinds() []resource.Kind { return kinds() }

// reach fails where a scope is inside a cluster that does not run.
func (p *Provider) reach(s resource.Scope) error {
	i := strings.LastIndexByte(s.Location, '/')
	if i < 0 { // No cluster opens this scope.
		return nil
	}
	c := p.Shelf.ByName(resource.Ref{
		Provider: s.Provider, Location: s.Location[:i], Kind: "cluster",
		Name: s.Location[i+1:],
	})
	switch {
	case c == nil:
		return shelf.Missing("cluster %s does not exist", s.Location)
	case c.Health != resource.Healthy:
		return shelf.Fail(provider.Unreachable, "cluster %s is %s", s.Location, c.Health)
	}
	return nil
}

// Observe implements provider.Provider.
func (p *Provider) Observe(ctx context.Context, r provider.ObserveRequest) (snap resource.Snapshot, err error) {
	snap = resource.Snapshot{Scope: r.Scope, At: time.Now()}
	err = p.Shelf.Do(ctx, func() error {
		snap.Resources = p.Shelf.List(r.Scope)
		return p.reach(r.Scope)
	})
	if err != nil {
		return resource.Snapshot{}, err
	}
	return snap, nil
}

// Create implements provider.Provider. An app has no marks: the same name is the same app.
func (p *Provider) Create(ctx context.Context, r provider.Request) (out resource.Observed, err error) {
	ref := r.Desired.Ref
	err = p.Shelf.Do(ctx, func() error {
		if err := p.reach(ref.Scope()); err != nil {
			return err
		}
		o := resource.Observed{Ref: ref, Attrs: r.Desired.Attrs, Health: resource.Healthy}
		if x := p.Shelf.ByKey(r.Key); x != nil {
			out = *x
			return nil
		}
		if x := p.Shelf.ByName(ref); x != nil && ref.Kind == "cluster" {
			return shelf.Fail(provider.InUse, "the name %s is in use", ref.Name)
		}
		o.ID, o.UID = ref.Name, fmt.Sprintf("uid-%d", p.Shelf.Next())
		if ref.Kind == "cluster" {
			o.Marks = shelf.Marks(r)
		} else if x := p.Shelf.ByName(ref); x != nil {
			o.UID = x.UID
		}
		out = p.Shelf.Put(o)
		return nil
	})
	return out, err
}

// Update implements provider.Provider.
func (p *Provider) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return p.change(ctx, r, func(o *resource.Observed) error { return shelf.Apply(o, r.Changes) })
}

// Mark implements provider.Marker.
func (p *Provider) Mark(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return p.change(ctx, r, func(o *resource.Observed) error {
		o.Marks = shelf.Marks(r)
		o.Marks.Key = r.MarkKey
		return nil
	})
}

func (p *Provider) change(ctx context.Context, r provider.Request,
	do func(*resource.Observed) error,
) (out resource.Observed, err error) {
	err = p.Shelf.Do(ctx, func() error {
		if err := p.reach(r.Have.Ref.Scope()); err != nil {
			return err
		}
		x := p.Shelf.ByID(r.Have.Ref, r.Have.ID)
		if x == nil {
			return shelf.Missing("%s does not exist", r.Have.ID)
		}
		err := do(x)
		out = *x
		return err
	})
	return out, err
}

// Delete implements provider.Provider. What is inside a cluster goes with it.
func (p *Provider) Delete(ctx context.Context, r provider.Request) error {
	ref := r.Have.Ref
	return p.Shelf.Do(ctx, func() error {
		x := p.Shelf.ByID(ref, r.Have.ID)
		if x == nil || x.UID != r.Have.UID {
			return nil
		}
		if ref.Kind == "cluster" {
			for _, o := range p.Shelf.List(Inside(x.Ref)) {
				p.Shelf.Remove(o.Ref, o.ID)
			}
		}
		p.Shelf.Remove(ref, r.Have.ID)
		return nil
	})
}
