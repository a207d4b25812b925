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

// TakeOver stops the container that a swap replaces, and starts the new one at once: an outage lies between them. An
// old container whose process ended at that moment may run again, and hold what the new one needs: it is stopped once
// more, and the new one is started then.
func TakeOver(ctx context.Context, h *host.Host, r provider.Request) error {
	if r.Beside == nil || r.Desired.State == resource.StateStopped {
		if err := StopOld(ctx, h, r.Beside); err != nil {
			return err
		}
		return Start(ctx, h, r)
	}
	err := h.StopContainer(ctx, r.Beside.ID, StopWait)
	if IsImproper(err) {
		err = Stop(ctx, h, r.Beside.ID)
	}
	if err != nil && !failure.IsNotFound(err) {
		return err
	}
	refused := h.StartContainer(ctx, r.Have.ID)
	if err := StopOld(ctx, h, r.Beside); err != nil {
		return err
	}
	if refused != nil {
		return Start(ctx, h, r)
	}
	return await(ctx, h, r.Have.ID, r.Progress)
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
