package box

import (
	"context"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// SetAside implements provider.Swapper.
func (p *Provider) SetAside(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return p.change(ctx, r, "set_aside", func(o *resource.Observed) error {
		o.Ref.Name = r.Desired.Ref.Name + "-old"
		return nil
	})
}

// Switch implements provider.Swapper.
func (p *Provider) Switch(ctx context.Context, r provider.Request) (resource.Observed, error) {
	start := func() (resource.Observed, error) {
		return p.change(ctx, r, "switch", func(o *resource.Observed) error {
			if o.Health == resource.Stopped {
				run(o)
			}
			return nil
		})
	}
	if r.Desired.Replace == resource.StartFirst {
		if o, err := start(); err != nil || o.Health != resource.Healthy {
			return o, err
		}
	}
	if r.Beside != nil {
		old := r
		old.Have = *r.Beside
		_, err := p.change(ctx, old, "switch", func(o *resource.Observed) error {
			o.Health, o.Message = resource.Stopped, ""
			return nil
		})
		if err != nil && !provider.Absent(err) { // it may be gone
			return resource.Observed{}, err
		}
	}
	return start()
}

// Restore implements provider.Swapper.
func (p *Provider) Restore(ctx context.Context, r provider.Request) (resource.Observed, error) {
	if _, err := p.change(ctx, r, "restore", func(o *resource.Observed) error {
		o.Ref.Name = r.Desired.Ref.Name
		return nil
	}); err != nil {
		return resource.Observed{}, err
	}
	have := r
	have.Have.Ref.Name = r.Desired.Ref.Name
	return p.change(ctx, have, "restore", func(o *resource.Observed) error {
		if o.Health == resource.Stopped {
			run(o)
		}
		return nil
	})
}
