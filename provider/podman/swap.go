package podman

import (
	"context"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// asideName is the name of a container that was set aside: the name it had, with its ID.
func asideName(name, id string) string {
	const longestName = 63
	suffix := "-old-" + shortID(id)
	return name[:min(len(name), longestName-len(suffix))] + suffix
}

// SetAside implements provider.Swapper: it renames the container, which runs on.
func (p *Provider) SetAside(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return p.swapStep(ctx, "set aside", r, func(h *host) error {
		return h.rename(ctx, r.Have.ID, asideName(r.Desired.Ref.Name, r.Have.ID))
	})
}

// Switch implements provider.Swapper. Where the new container starts first, the old one is
// stopped only once the new one is healthy.
func (p *Provider) Switch(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return p.swapStep(ctx, "switch", r, func(h *host) error {
		if r.Desired.Replace != resource.StartFirst {
			if err := h.stopOld(ctx, r.Beside); err != nil {
				return err
			}
			return h.start(ctx, r)
		}
		if err := h.start(ctx, r); err != nil {
			return err
		}
		if h.inService(ctx, r.Have.ID) != nil {
			return nil // the caller reads that it is failing, and the old one serves
		}
		return h.stopOld(ctx, r.Beside)
	})
}

// Restore implements provider.Swapper.
func (p *Provider) Restore(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return p.swapStep(ctx, "restore", r, func(h *host) error {
		if err := h.rename(ctx, r.Have.ID, r.Desired.Ref.Name); err != nil {
			return err
		}
		return h.start(ctx, r)
	})
}

func (p *Provider) swapStep(ctx context.Context, verb string, r provider.Request, do func(*host) error) (resource.Observed, error) {
	k, h, err := p.at(ctx, r.Have.Ref)
	if err != nil {
		return resource.Observed{}, err
	}
	if err := do(h); err != nil {
		return resource.Observed{}, classify(verb, err)
	}
	return k.after(ctx, h, verb, r.Have.ID)
}

func (h *host) rename(ctx context.Context, id, name string) error {
	c, err := h.Container(ctx, id)
	if err != nil || c.Name == name {
		return err
	}
	return h.RenameContainer(ctx, id, name)
}

func (h *host) stopOld(ctx context.Context, old *resource.Observed) error {
	if old == nil {
		return nil
	}
	err := h.StopContainer(ctx, old.ID, stopWait)
	if isNotFound(err) {
		return nil
	}
	return err
}

// start starts a container that does not run, and waits until it is in service or has had its
// time.
func (h *host) start(ctx context.Context, r provider.Request) error {
	if r.Desired.State == resource.StateStopped {
		return nil
	}
	if err := h.StartContainer(ctx, r.Have.ID); err != nil {
		return err
	}
	return h.await(ctx, r.Have.ID, r.Progress)
}

// pathIn reports whether a path is an attribute or inside of it.
func pathIn(path, attribute string) bool {
	return path == attribute || strings.HasPrefix(path, attribute+".")
}
