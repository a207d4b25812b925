package container

import (
	"context"
	"errors"
	"time"

	"github.com/ovi-project/ovi/internal/engineapi"
	"github.com/ovi-project/ovi/provider/podman/failure"
	"github.com/ovi-project/ovi/provider/podman/host"
)

const (
	// StopWait is the time that a container may take to stop before it is killed.
	StopWait = 10 * time.Second
	// settleWait bounds the wait for a container that ends at the moment at which it is stopped.
	settleWait = 10 * time.Second
)

// Stop stops a container, a paused one too, and kills it after 10 seconds. Its restart policy does not start it again.
// Between the end of a process and its clean-up ("stopped"), Podman takes a stop for done and starts the container
// again all the same, even if the container ran at the first look. In the moment before, the stop fails with "container
// state improper". All of this happens to containers that crash again and again. So Stop reads the state until it
// lasts, and stops again.
func Stop(ctx context.Context, h *host.Host, id string) error {
	start := h.Clock()
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		refused := h.StopContainer(ctx, id, StopWait)
		if refused != nil && !IsImproper(refused) {
			return refused
		}
		c, err := h.Container(ctx, id)
		over := h.Clock().Sub(start) > StopWait+settleWait
		switch {
		case err != nil:
			return err
		case c.State.Paused:
			err = h.UnpauseContainer(ctx, id)
		case c.State.Running || c.State.Status == "stopping":
			err = refused
		case c.State.Status != "stopped" || over: // its clean-up was lost, and the start with it
			return nil
		}
		switch {
		case err != nil && (over || !IsImproper(err)):
			return err
		case over:
			return failure.InUse("", "stop what starts it on the host", "it runs again each time it is stopped")
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// IsImproper reports whether Podman refused a request because the container changed its state meanwhile.
func IsImproper(err error) bool {
	var said *engineapi.Error
	return errors.As(err, &said) && said.Cause == "container state improper"
}
