package container

import (
	"context"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/failure"
	"github.com/ovi-project/ovi/provider/podman/host"
	"github.com/ovi-project/ovi/resource"
)

// Rename gives a container a name, unless it has it already.
func Rename(ctx context.Context, h *host.Host, id, name string) error {
	c, err := h.Container(ctx, id)
	if err != nil || c.Name == name {
		return err
	}
	return h.RenameContainer(ctx, id, name)
}

// StopOld stops the container that a swap replaces; nil means there is none.
func StopOld(ctx context.Context, h *host.Host, old *resource.Observed) error {
	if old == nil {
		return nil
	}
	err := Stop(ctx, h, old.ID)
	if failure.IsNotFound(err) {
		return nil
	}
	return err
}

// Start starts a container that does not run, and waits until it is in service or has had its
// time.
func Start(ctx context.Context, h *host.Host, r provider.Request) error {
	if r.Desired.State == resource.StateStopped {
		return nil
	}
	if err := h.StartContainer(ctx, r.Have.ID); err != nil {
		return err
	}
	return await(ctx, h, r.Have.ID, r.Progress)
}
