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

// Stop stops a container, a paused one too, and kills it after 10 seconds. It is not started again by its restart
// policy. Between the end of its process and its clean-up ("stopped"), Podman takes a stop for done and starts the
// container again all the same, and in the moment before it fails with "container state improper": both are seen at
// containers that crash again and again. Stop reads the state until it lasts, and stops again.
func Stop(ctx context.Context, h *host.Host, id string) error {
	start := h.Clock()
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		c, err := h.Container(ctx, id)
		if err != nil {
			return err
		}
		ends := c.State.Status == "stopped"
		switch {
		case c.State.Paused:
			err = h.UnpauseContainer(ctx, id)
		case c.State.Running || c.State.Status == "stopping":
			err = h.StopContainer(ctx, id, StopWait)
		case !ends:
			return nil
		}
		if err != nil && !IsImproper(err) {
			return err
		}
		if h.Clock().Sub(start) > StopWait+settleWait {
			if err == nil && !ends {
				err = failure.InUse("stop container", "stop what starts it on the host", "it runs again each time it is stopped")
			}
			return err // without an error its clean-up was lost, and so was the start
		}
		if err == nil && !ends {
			continue
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
