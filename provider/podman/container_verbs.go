package podman

import (
	"context"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/internal/engineapi"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/resource"
)

// stopWait is how long a container may take to stop before it is killed.
const stopWait = 10 * time.Second

// createContainer creates a container and, unless it is the new one of a swap, starts it. What
// does not start, or does not become healthy, is removed again: nothing was in service before.
func createContainer(ctx context.Context, h *host, r provider.Request) (string, error) {
	id, err := h.byKey(ctx, r.Key)
	if err != nil {
		return "", err
	}
	if id == "" {
		if err := checkPortsOf(ctx, h, r); err != nil {
			return "", err
		}
		if err := ensureImage(ctx, h, r); err != nil {
			return "", err
		}
		s, err := specOf(ctx, h, r)
		if err != nil {
			return "", err
		}
		if id, err = h.CreateContainer(ctx, s); err != nil {
			return "", err
		}
	}
	if r.Beside != nil || r.Desired.State == resource.StateStopped {
		return id, nil
	}
	return id, h.startNew(ctx, id, r)
}

// byKey finds the container of an idempotency key.
func (h *host) byKey(ctx context.Context, key string) (string, error) {
	found, err := h.Containers(ctx, libpod.Filters{"label": {labelKey + "=" + key}})
	if err != nil || len(found) == 0 {
		return "", err
	}
	return found[0].ID, nil
}

// startNew starts a container that was just created, and removes it if that fails for good.
func (h *host) startNew(ctx context.Context, id string, r provider.Request) error {
	err := h.StartContainer(ctx, id)
	if err == nil {
		if err = h.await(ctx, id, r.Progress); err == nil {
			err = h.inService(ctx, id)
		}
	}
	if err == nil || provider.Recoverable(classify("", err)) || ctx.Err() != nil {
		return err
	}
	if removeErr := h.stopAndRemove(ctx, id, h.RemoveNewContainer); removeErr != nil && !isNotFound(removeErr) {
		return fmt.Errorf("%w; it is left, because it cannot be removed: %w", err, removeErr)
	}
	return err
}

// inService returns why a container that was started is not in service.
func (h *host) inService(ctx context.Context, id string) error {
	o, err := readContainer(ctx, h.reading(), id)
	switch {
	case err != nil:
		return err
	case o.Health == resource.Failing:
		return notHealthy("check its image, command, args and env", "it does not run as configured: %s", o.Message)
	case o.Health == resource.Pending:
		return notHealthy("give its health check more time", "it did not become healthy: %s", o.Message)
	}
	return nil
}

// updateContainer makes the changes that need no new container.
func updateContainer(ctx context.Context, h *host, r provider.Request) error {
	for _, c := range r.Changes {
		var err error
		switch {
		case c.On == resource.OnState:
			err = h.setState(ctx, r)
		case c.On == resource.OnName:
			err = h.rename(ctx, r.Have.ID, r.Desired.Ref.Name)
		case c.On != resource.OnAttribute:
		case c.Path == "networks" || c.Path == "network_aliases":
			err = h.reconnect(ctx, r.Have.ID, r.Desired.Attrs)
		case c.Path == "image_pull_policy":
		case pathIn(c.Path, "resources"):
			err = h.limit(ctx, r)
		default:
			err = provider.ErrReplace
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// setState starts or stops a container; one that is unhealthy is restarted.
func (h *host) setState(ctx context.Context, r provider.Request) error {
	id := r.Have.ID
	c, err := h.Container(ctx, id)
	switch {
	case err != nil:
		return err
	case r.Desired.State == resource.StateStopped:
		return h.StopContainer(ctx, id, stopWait)
	case c.State.Paused:
		err = h.UnpauseContainer(ctx, id)
	case c.State.Running:
		if err = h.StopContainer(ctx, id, stopWait); err == nil {
			err = h.StartContainer(ctx, id)
		}
	default:
		err = h.StartContainer(ctx, id)
	}
	if err != nil {
		return err
	}
	if err := h.await(ctx, id, r.Progress); err != nil {
		return err
	}
	return h.inService(ctx, id)
}

// limit changes the limits of a container. Before Podman 5 a change is lost when it stops, and
// no limit can be removed: it is replaced.
func (h *host) limit(ctx context.Context, r provider.Request) error {
	have, _ := r.Have.Attrs.Get("resources")
	want, _ := r.Desired.Attrs.Get("resources")
	from, to := limitsOf(have), limitsOf(want)
	removed := from.quota > 0 && to.quota == 0 || from.memory > 0 && to.memory == 0 ||
		from.shares > 0 && to.shares == 0 || from.reservation > 0 && to.reservation == 0
	if !changesLimits(versionOf(r.Have)) || removed {
		return provider.ErrReplace
	}
	return h.UpdateContainer(ctx, r.Have.ID, to.spec())
}

// reconnect connects a container to its networks, and disconnects it from the others.
func (h *host) reconnect(ctx context.Context, id string, a resource.Attrs) error {
	c, err := h.Container(ctx, id)
	if err != nil {
		return err
	}
	wanted := linksOf(a) // style:ok
	if len(wanted) == 0 {
		return provider.ErrReplace // only Podman knows its default network
	}
	names, err := h.reading().networksOf(ctx)
	if err != nil {
		return err
	}
	f := facts{Container: c, want: a, networks: names}
	for network, link := range wanted {
		n, ok := names.byID(network)
		if !ok {
			return &engineapi.Error{Cause: "network not found", Message: "network " + network + " not found"}
		}
		e, connected := c.NetworkSettings.Networks[n.Name]
		if connected && f.has(e, link.Aliases) {
			continue
		}
		if connected {
			if err := h.Disconnect(ctx, n.Name, id); err != nil {
				return err
			}
		}
		if err := h.Connect(ctx, n.Name, id, link.Aliases); err != nil {
			return err
		}
	}
	for name := range c.NetworkSettings.Networks {
		if _, stays := wanted[names.byName[name]]; !stays {
			if err := h.Disconnect(ctx, name, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeContainer stops and removes a container.
func removeContainer(ctx context.Context, h *host, r provider.Request) error {
	return h.stopAndRemove(ctx, r.Have.ID, h.RemoveContainer)
}

func (h *host) stopAndRemove(ctx context.Context, id string, remove func(ctx context.Context, id string) error) error {
	c, err := h.Container(ctx, id)
	if err != nil {
		return err
	}
	if c.State.Paused {
		if err := h.UnpauseContainer(ctx, id); err != nil {
			return err
		}
	}
	if c.State.Running || c.State.Paused {
		if err := h.StopContainer(ctx, id, stopWait); err != nil {
			return err
		}
	}
	return remove(ctx, id)
}
