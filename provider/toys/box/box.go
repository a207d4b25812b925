// Package box is a toy provider of boxes, like containers: their labels are fixed at creation,
// their names are unique, and they are replaced by a swap. The names of pods are not, so that they
// are replaced create-first, and routes refer to them. A volume's id is its name, which another one
// can get, so it has a UID.
//
// The image tells how a box or pod fares: "typo" is refused, "crash" fails once it runs, "slow" is
// pending for a few observations, "stuck" always.
package box

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
		Name: "box", Doc: "Boxes on a host.", Kinds: kinds,
		Locations: provider.Locations{
			Word: "host", Example: "here",
			Default: func(func(string) string) string { return "here" },
		},
		Open: func(context.Context, provider.Config) (provider.Provider, error) { return New(), nil },
	}
}

// Provider is the provider. Any location exists in it, empty at first.
type Provider struct {
	Shelf shelf.Shelf
	// Fault, if set, is called before and after each effect of a call; an error stops the call
	// there. It is set before the first call.
	Fault func(verb string) error
}

var (
	_ provider.Provider = (*Provider)(nil)
	_ provider.Checker  = (*Provider)(nil)
	_ provider.Swapper  = (*Provider)(nil)
)

// New returns an empty provider.
func New() *Provider { return &Provider{} }

func kinds() []resource.Kind {
	strategies := func(all ...resource.Strategy) func(resource.Desired, resource.Observed) []resource.Strategy {
		return func(resource.Desired, resource.Observed) []resource.Strategy { return all }
	}
	image := resource.Attribute{
		Name: "image", Type: resource.TString, Required: true, Effect: resource.Replace,
		Doc: "The image that it runs.", Example: "web:1",
	}
	return []resource.Kind{
		{
			Provider: "box", Name: "box", Doc: "A box that runs an image.", NoTags: true,
			Carrier: resource.AtCreate, State: resource.StateRunning, Holds: shelf.HoldsName, HoldsDoc: shelf.HoldsNameDoc,
			Replace: strategies(resource.Swap, resource.StartFirst, resource.DestroyFirst),
			Attrs: []resource.Attribute{
				image,
				{Name: "size", Type: resource.TInt, Default: resource.Int(1), Doc: "Its memory, in MiB."},
			},
		},
		{
			Provider: "box", Name: "pod", Doc: "Boxes that run an image.", NoTags: true,
			Carrier: resource.AtCreate, Replace: strategies(resource.CreateFirst, resource.DestroyFirst),
			Holds: resource.HoldsNothing,
			Attrs: []resource.Attribute{image},
		},
		{
			Provider: "box", Name: "route", Doc: "A way to a pod.", NoTags: true, Carrier: resource.AtCreate,
			Holds: shelf.HoldsName, HoldsDoc: shelf.HoldsNameDoc,
			Attrs: []resource.Attribute{{
				Name: "to", Type: resource.TString, RefKind: "pod", IDPrefix: "pod-", Required: true,
				Doc: "The pod.", Example: "web",
			}},
		},
		{
			Provider: "box", Name: "volume", Doc: "A volume.", NoTags: true, Carrier: resource.AtCreate,
			Holds: shelf.HoldsName, HoldsDoc: shelf.HoldsNameDoc,
			Attrs: []resource.Attribute{{Name: "size", Type: resource.TInt, Required: true, Doc: "In MiB.", Example: "10"}},
		},
	}
}

// Kinds implements provider.Provider.
func (p *Provider) Kinds() []resource.Kind { return kinds() }

// Observe implements provider.Provider.
func (p *Provider) Observe(ctx context.Context, r provider.ObserveRequest) (snap resource.Snapshot, err error) {
	snap = resource.Snapshot{Scope: r.Scope, At: time.Now()}
	err = p.Shelf.Do(ctx, func() error {
		for _, x := range p.Shelf.List(r.Scope) { // A box that is starting comes one observation nearer to healthy.
			switch o := p.Shelf.ByID(x.Ref, x.ID); o.Message {
			case "starting: 3":
				o.Message = "starting: 2"
			case "starting: 2":
				o.Message = "starting: 1"
			case "starting: 1":
				o.Health, o.Message = resource.Healthy, ""
			}
		}
		snap.Resources = p.Shelf.List(r.Scope)
		return nil
	})
	return snap, err
}

// Check implements provider.Checker.
func (p *Provider) Check(ctx context.Context, r provider.Request) error {
	return p.Shelf.Do(ctx, func() error { return refuses(r) })
}

func refuses(r provider.Request) error {
	if shelf.Text(r.Desired.Attrs, "image") == "typo" {
		return shelf.Fail(provider.Configuration, "image typo does not exist")
	}
	return nil
}

// Create implements provider.Provider.
func (p *Provider) Create(ctx context.Context, r provider.Request) (out resource.Observed, err error) {
	err = p.Shelf.Do(ctx, func() error {
		if x := p.Shelf.ByKey(r.Key); x != nil {
			out = *x
			return nil
		}
		if err := refuses(r); err != nil {
			return err
		}
		if x := p.Shelf.ByName(r.Desired.Ref); x != nil && x.Ref.Kind != "pod" {
			return shelf.Fail(provider.InUse, "the name %s is in use by %s", r.Desired.Ref.Name, x.ID)
		}
		n := p.Shelf.Next()
		o := resource.Observed{Ref: r.Desired.Ref, Marks: shelf.Marks(r), Attrs: r.Desired.Attrs, Health: resource.Healthy}
		o.ID = fmt.Sprintf("%s-%d", o.Ref.Kind, n)
		if o.Ref.Kind == "volume" {
			o.ID, o.UID = o.Ref.Name, fmt.Sprintf("uid-%d", n)
		} else if r.Beside != nil || r.Desired.State == resource.StateStopped {
			o.Health = resource.Stopped
		} else {
			run(&o)
		}
		return p.effect("create", func() { out = p.Shelf.Put(o) })
	})
	return out, err
}

// run starts a box or pod.
func run(o *resource.Observed) {
	o.Health, o.Message = resource.Healthy, ""
	switch shelf.Text(o.Attrs, "image") {
	case "crash":
		o.Health, o.Message = resource.Failing, "exited with 1"
	case "slow":
		o.Health, o.Message = resource.Pending, "starting: 3"
	case "stuck":
		o.Health = resource.Pending
	}
}

// effect does one effect of a call, with the faults around it.
func (p *Provider) effect(verb string, do func()) error {
	if p.Fault != nil {
		if err := p.Fault(verb); err != nil {
			return err
		}
	}
	do()
	if p.Fault != nil {
		return p.Fault(verb)
	}
	return nil
}

// Update implements provider.Provider.
func (p *Provider) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return p.change(ctx, r, "update", func(o *resource.Observed) error {
		if err := shelf.Apply(o, r.Changes); err != nil {
			return err
		}
		for _, c := range r.Changes {
			switch {
			case c.On != resource.OnState:
			case c.To == resource.String(resource.StateStopped):
				o.Health, o.Message = resource.Stopped, ""
			default:
				run(o)
			}
		}
		return nil
	})
}

// Delete implements provider.Provider.
func (p *Provider) Delete(ctx context.Context, r provider.Request) error {
	return p.Shelf.Do(ctx, func() error {
		return p.effect("delete", func() {
			if x := p.Shelf.ByID(r.Have.Ref, r.Have.ID); x != nil && x.UID == r.Have.UID {
				p.Shelf.Remove(r.Have.Ref, r.Have.ID)
			}
		})
	})
}

// change makes one change of a resource that exists.
func (p *Provider) change(ctx context.Context, r provider.Request, verb string,
	do func(*resource.Observed) error,
) (out resource.Observed, err error) {
	err = p.Shelf.Do(ctx, func() error {
		x := p.Shelf.ByID(r.Have.Ref, r.Have.ID)
		if x == nil {
			return shelf.Missing("%s does not exist", r.Have.ID)
		}
		var failed error
		err := p.effect(verb, func() { failed = do(x) })
		out = *x
		if failed != nil {
			return failed
		}
		return err
	})
	return out, err
}
