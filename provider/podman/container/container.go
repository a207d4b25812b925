// Package container reads, creates, changes, swaps and removes containers of one host. A container that does not
// start, or does not become healthy, is removed again.
package container

import (
	"context"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/internal/engineapi"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/facts"
	"github.com/ovi-project/ovi/provider/podman/failure"
	"github.com/ovi-project/ovi/provider/podman/host"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/provider/podman/marks"
	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/provider/podman/spec"
	"github.com/ovi-project/ovi/resource"
)

// List inspects the containers that ovi created or knows; for the others, their names are enough.
func List(ctx context.Context, g *host.Reading) (out []resource.Observed, err error) {
	all, err := g.Containers(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		switch {
		case c.IsInfra:
			continue
		case c.Labels[marks.LabelRef] == "" && !g.IsKnown(schema.Container, c.ID):
			out = append(out, unmanagedContainer(g, c))
			continue
		}
		o, err := Read(ctx, g, c.ID)
		if failure.IsNotFound(err) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

func unmanagedContainer(g *host.Reading, c libpod.ListedContainer) resource.Observed {
	o := resource.Observed{ID: c.ID, Health: resource.Stopped, Since: c.Created}
	name := c.ID
	if len(c.Names) > 0 {
		name = c.Names[0]
	}
	marks.Identify(&o, g.Scope, schema.Container, name, c.Labels)
	if c.State == "running" {
		o.Health = resource.Healthy
	}
	o.Attrs = resource.Attrs{{Name: "image", Value: resource.String(c.Image)}}
	if c.Pod == "" && len(c.Ports) > 0 { // ports of a pod are not its own
		o.Attrs = o.Attrs.With("ports", facts.Listed(c.Ports))
	}
	return o
}

// Read reads one container in full.
func Read(ctx context.Context, g *host.Reading, id string) (resource.Observed, error) {
	c, err := g.Container(ctx, id)
	if err != nil {
		return resource.Observed{}, err
	}
	f := facts.Container{Container: c, Env: facts.EnvOf(c), Digest: g.Digest}
	f.Want, f.Ours = marks.Applied(c.Config.Labels)
	if f.RunImage, err = g.ImageOf(ctx, c.Image); err != nil {
		return resource.Observed{}, err
	}
	f.Tag = c.ImageName
	if named, ok := f.Want.Text("image"); ok {
		f.Tag = named
	}
	if f.Tagged, err = g.ImageOf(ctx, f.Tag); err != nil {
		return resource.Observed{}, err
	}
	if policy, _ := f.Want.Text("image_pull_policy"); policy == "Always" && f.RunImage != nil {
		f.Moved = g.Registry.Moved(ctx, g, f.Tag, f.RunImage)
	}
	if f.Networks, err = g.NetworksOf(ctx); err != nil {
		return resource.Observed{}, err
	}
	if f.Anonymous, err = anonymousVolumes(ctx, g, &c, f.Want); err != nil {
		return resource.Observed{}, err
	}
	o := resource.Observed{ID: c.ID, Since: c.Created}
	marks.Identify(&o, g.Scope, schema.Container, c.Name, c.Config.Labels)
	o.Attrs = f.Attributes()
	if v := g.Version(); v != "" {
		o.Attrs = o.Attrs.With("podman_version", resource.String(v))
	}
	o.Health, o.Message, err = health(ctx, g, &c)
	return o, err
}

// Create creates a container and, unless it is the new one of a swap, starts it. What
// does not start, or does not become healthy, is removed again: nothing was in service before.
func Create(ctx context.Context, h *host.Host, r provider.Request) (string, error) {
	found, err := h.Containers(ctx, libpod.Filters{"label": {marks.LabelKey + "=" + r.Key}})
	if err != nil {
		return "", err
	}
	id := ""
	if len(found) > 0 { // an earlier call made it
		id = found[0].ID
	} else {
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
	return id, startNew(ctx, h, id, r)
}

// startNew starts a container that was just created, and removes it if that fails for good.
func startNew(ctx context.Context, h *host.Host, id string, r provider.Request) error {
	err := h.StartContainer(ctx, id)
	if err == nil {
		if err = await(ctx, h, id, r.Progress); err == nil {
			err = InService(ctx, h, id)
		}
	}
	if err == nil || provider.Repeats(failure.Classify("", err)) || ctx.Err() != nil {
		return err
	}
	if removeErr := stopAndRemove(ctx, h, id, h.RemoveNewContainer); removeErr != nil && !failure.IsNotFound(removeErr) {
		return fmt.Errorf("%w; it is left, because it cannot be removed: %w", err, removeErr)
	}
	return err
}

// InService returns why a container that was started is not in service.
func InService(ctx context.Context, h *host.Host, id string) error {
	g := h.Reading()
	o, err := Read(ctx, g, id)
	switch {
	case err != nil:
		return err
	case o.Health == resource.Failing:
		err = failure.NotHealthy("check its image, command, args and env", "it does not run as configured: %s%s",
			o.Message, outputOfLoop(ctx, g, id))
	case o.Health == resource.Pending:
		err = failure.NotHealthy("give its health check more time", "it did not become healthy: %s", o.Message)
	}
	if err != nil {
		err = withOutput(ctx, g, id, err)
	}
	return err
}

// Update makes the changes that need no new container.
func Update(ctx context.Context, h *host.Host, r provider.Request) error {
	for _, c := range r.Changes {
		var err error
		switch {
		case c.On == resource.OnState:
			err = setState(ctx, h, r)
		case c.On == resource.OnName:
			err = Rename(ctx, h, r.Have.ID, r.Desired.Ref.Name)
		case c.On != resource.OnAttribute:
		case c.Path == "networks" || c.Path == "network_aliases":
			err = reconnect(ctx, h, r.Have.ID, r.Desired.Attrs)
		case c.Path == "image_pull_policy":
		case schema.PathIn(c.Path, "resources"):
			err = limit(ctx, h, r)
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
func setState(ctx context.Context, h *host.Host, r provider.Request) error {
	id := r.Have.ID
	c, err := h.Container(ctx, id)
	switch {
	case err != nil:
		return err
	case r.Desired.State == resource.StateStopped:
		return Stop(ctx, h, id)
	case c.State.Paused:
		err = h.UnpauseContainer(ctx, id)
	case c.State.Running:
		if err = Stop(ctx, h, id); err == nil {
			err = h.StartContainer(ctx, id)
		}
	default:
		err = h.StartContainer(ctx, id)
	}
	if err != nil {
		return err
	}
	if err := await(ctx, h, id, r.Progress); err != nil {
		return err
	}
	return InService(ctx, h, id)
}

// limit changes the limits of a container. Before Podman 5 a change is lost when it stops, and
// no limit can be removed: it is replaced.
func limit(ctx context.Context, h *host.Host, r provider.Request) error {
	have, _ := r.Have.Attrs.Get("resources")
	want, _ := r.Desired.Attrs.Get("resources")
	from, to := spec.LimitsOf(have), spec.LimitsOf(want)
	removed := from.Quota > 0 && to.Quota == 0 || from.Memory > 0 && to.Memory == 0 ||
		from.Shares > 0 && to.Shares == 0 || from.Reservation > 0 && to.Reservation == 0
	if !schema.ChangesLimits(schema.VersionOf(r.Have)) || removed {
		return provider.ErrReplace
	}
	return h.UpdateContainer(ctx, r.Have.ID, to.Spec())
}

// reconnect connects a container to its networks, and disconnects it from the others.
func reconnect(ctx context.Context, h *host.Host, id string, a resource.Attrs) error {
	c, err := h.Container(ctx, id)
	if err != nil {
		return err
	}
	wanted := spec.LinksOf(a) // style:ok
	if len(wanted) == 0 {
		return provider.ErrReplace // only Podman knows its default network
	}
	names, err := h.Reading().NetworksOf(ctx)
	if err != nil {
		return err
	}
	for network, link := range wanted {
		n, ok := names.ByID(network)
		if !ok {
			return &engineapi.Error{Cause: "network not found", Message: "network " + network + " not found"}
		}
		e, connected := c.NetworkSettings.Networks[n.Name]
		lacks := func(alias string) bool { return !slices.Contains(e.Aliases, alias) }
		if connected && !slices.ContainsFunc(link.Aliases, lacks) {
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
		if _, stays := wanted[names.ByName[name]]; !stays {
			if err := h.Disconnect(ctx, name, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// Remove stops and removes a container.
func Remove(ctx context.Context, h *host.Host, r provider.Request) error {
	return stopAndRemove(ctx, h, r.Have.ID, h.RemoveContainer)
}

func stopAndRemove(ctx context.Context, h *host.Host, id string,
	remove func(ctx context.Context, id string) error,
) error {
	if err := Stop(ctx, h, id); err != nil {
		return err
	}
	return remove(ctx, id)
}

// anonymousVolumes are the names of the volumes that Podman made for a container, by path.
func anonymousVolumes(ctx context.Context, g *host.Reading, c *libpod.Container,
	want resource.Attrs,
) (map[string]string, error) {
	configured := map[string]bool{}
	for _, e := range want.List("volumes") {
		m, _ := e.(resource.Attrs)
		where, _ := m.Text("mount_path")
		configured[where] = true
	}
	out := map[string]string{}
	for _, m := range c.Mounts {
		if m.Type != "volume" || m.Name == "" || configured[m.Destination] {
			continue
		}
		v, err := g.Volume(ctx, m.Name)
		if failure.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if v.Anonymous {
			out[m.Destination] = m.Name
		}
	}
	return out, nil
}
