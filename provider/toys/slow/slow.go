// Package slow is a toy provider that accepts a create or an update, and does it later: the
// resource is Pending until then.
package slow

import (
	"context"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/toys/shelf"
	"github.com/ovi-project/ovi/resource"
)

// Entry is the line of the table.
func Entry() provider.Entry {
	return provider.Entry{
		Name: "slow", Doc: "Jobs that take their time.", Kinds: kinds,
		Locations: provider.Locations{
			Word: "queue", Example: "here",
			Default: func(func(string) string) string { return "here" },
		},
		Options: []provider.Option{{Key: "delay", Doc: "How long a job takes.", Default: "1m"}},
		Open: func(_ context.Context, c provider.Config) (provider.Provider, error) {
			delay, err := time.ParseDuration(c.Options("delay"))
			if err != nil {
				return nil, fmt.Errorf("invalid delay: %w", err)
			}
			return New(delay, c.Clock), nil
		},
	}
}

// Provider is the provider. Any location exists in it, empty at first.
type Provider struct {
	Shelf shelf.Shelf
	delay time.Duration
	clock func() time.Time
}

var _ provider.Provider = (*Provider)(nil)

// New returns an empty provider, whose jobs take a delay.
func New(delay time.Duration, clock func() time.Time) *Provider {
	return &Provider{delay: delay, clock: clock}
}

func kinds() []resource.Kind {
	return []resource.Kind{{
		Provider: "slow", Name: "job", Doc: "A job.", NoTags: true, Carrier: resource.AtCreate,
		Async: true, Supersede: true, Grace: 5 * time.Minute, Holds: resource.HoldsNothing,
		Attrs: []resource.Attribute{
			{
				Name: "version", Type: resource.TString, Required: true, Doc: "The version to run. The version " +
					"bad fails.",
				Example: "1",
			},
		},
	}}
}

// Kinds implements provider.Provider.
func (p *Provider) Kinds() []resource.Kind { return kinds() }

// Observe implements provider.Provider.
func (p *Provider) Observe(ctx context.Context, r provider.ObserveRequest) (snap resource.Snapshot, err error) {
	now := p.clock()
	snap = resource.Snapshot{Scope: r.Scope, At: now}
	err = p.Shelf.Do(ctx, func() error {
		snap.Resources = p.Shelf.List(r.Scope)
		for i := range snap.Resources {
			p.progress(&snap.Resources[i], now)
		}
		return nil
	})
	return snap, err
}

// progress is how far a job has come; Since is when it was accepted.
func (p *Provider) progress(o *resource.Observed, now time.Time) {
	switch {
	case now.Sub(o.Since) < p.delay:
		o.Health = resource.Pending
	case shelf.Text(o.Attrs, "version") == "bad":
		o.Health, o.Message = resource.Failing, "the version is bad"
	default:
		o.Health = resource.Healthy
	}
}

// Create implements provider.Provider.
func (p *Provider) Create(ctx context.Context, r provider.Request) (out resource.Observed, err error) {
	err = p.Shelf.Do(ctx, func() error {
		x := p.Shelf.ByKey(r.Key)
		if x == nil {
			o := resource.Observed{
				Ref: r.Desired.Ref, ID: fmt.Sprintf("job-%d", p.Shelf.Next()), Marks: shelf.Marks(r),
				Attrs: r.Desired.Attrs, Since: p.clock().UTC().Round(0),
			}
			o = p.Shelf.Put(o)
			x = &o
		}
		out = *x
		p.progress(&out, p.clock())
		return nil
	})
	return out, err
}

// Update implements provider.Provider.
func (p *Provider) Update(ctx context.Context, r provider.Request) (out resource.Observed, err error) {
	err = p.Shelf.Do(ctx, func() error {
		x := p.Shelf.ByID(r.Have.Ref, r.Have.ID)
		if x == nil {
			return shelf.Missing("%s does not exist", r.Have.ID)
		}
		before := x.Attrs
		if err := shelf.Apply(x, r.Changes); err != nil {
			return err
		}
		if !before.Equal(x.Attrs) {
			x.Since = p.clock().UTC().Round(0)
		}
		out = *x
		p.progress(&out, p.clock())
		return nil
	})
	return out, err
}

// Delete implements provider.Provider.
func (p *Provider) Delete(ctx context.Context, r provider.Request) error {
	return p.Shelf.Do(ctx, func() error {
		p.Shelf.Remove(r.Have.Ref, r.Have.ID)
		return nil
	})
}
