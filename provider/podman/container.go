package podman

import (
	"context"
	"slices"

	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/resource"
)

func containers() kind {
	return kind{
		schema: containerKind(), list: listContainers, read: readContainer, check: checkContainer,
		create: createContainer, update: updateContainer, remove: removeContainer,
	}
}

// listContainers inspects the containers that ovi created or knows; of the others their names
// are enough.
func listContainers(ctx context.Context, g *reading) (out []resource.Observed, err error) {
	all, err := g.Containers(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		switch {
		case c.IsInfra:
			continue
		case c.Labels[labelRef] == "" && !g.isKnown(kindContainer, c.ID):
			out = append(out, unmanagedContainer(g, c))
			continue
		}
		o, err := readContainer(ctx, g, c.ID)
		if isNotFound(err) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

func unmanagedContainer(g *reading, c libpod.ListedContainer) resource.Observed {
	o := resource.Observed{ID: c.ID, Health: resource.Stopped, Since: c.Created}
	name := c.ID
	if len(c.Names) > 0 {
		name = c.Names[0]
	}
	identify(&o, g.scope, kindContainer, name, c.Labels)
	if c.State == "running" {
		o.Health = resource.Healthy
	}
	o.Attrs = resource.Attrs{{Name: "image", Value: resource.String(c.Image)}}
	return o
}

func readContainer(ctx context.Context, g *reading, id string) (resource.Observed, error) {
	c, err := g.Container(ctx, id)
	if err != nil {
		return resource.Observed{}, err
	}
	f := facts{Container: c, env: envOf(c), digest: g.digest}
	f.want, f.ours = applied(c.Config.Labels)
	if f.image, err = g.image(ctx, c.Image); err != nil {
		return resource.Observed{}, err
	}
	f.tag = c.ImageName
	if named, ok := f.want.Text("image"); ok {
		f.tag = named
	}
	if f.tagged, err = g.image(ctx, f.tag); err != nil {
		return resource.Observed{}, err
	}
	if policy, _ := f.want.Text("image_pull_policy"); policy == "Always" && f.image != nil {
		f.moved = g.registry.moved(ctx, g, f.tag, f.image)
	}
	if f.networks, err = g.networksOf(ctx); err != nil {
		return resource.Observed{}, err
	}
	if f.anonymous, err = g.anonymousVolumes(ctx, &c, f.want); err != nil {
		return resource.Observed{}, err
	}
	o := resource.Observed{ID: c.ID, Since: c.Created}
	identify(&o, g.scope, kindContainer, c.Name, c.Config.Labels)
	o.Attrs = f.attributes()
	if v := g.Version(); v != "" {
		o.Attrs = o.Attrs.With("podman_version", resource.String(v))
	}
	o.Health, o.Message, err = g.health(ctx, &c)
	return o, err
}

// facts are what is known of one container.
type facts struct {
	libpod.Container
	want     resource.Attrs // its attributes at creation
	ours     bool           // they are known
	env      map[string]string
	image    *libpod.Image // that it runs; nil if it was deleted
	tag      string        // the name of its image
	tagged   *libpod.Image // that has the name now; nil if none has
	moved    string        // the ID that its registry has for the name, if it is another one
	networks *networkNames
	// anonymous are the names of the volumes that Podman made for it, by path.
	anonymous map[string]string
	digest    func(plain string) string // keyed; may be nil
}

// attributes compares each attribute, as far as it can be read, with what it was at creation:
// where both mean the same, it is reported as it was configured, else as it is.
func (f *facts) attributes() resource.Attrs {
	out := make([]resource.Attr, 0, 16)
	for _, field := range []struct {
		name string
		read func(want resource.Value) resource.Value
	}{
		{"image", f.imageName},
		{"command", f.command},
		{"args", f.args},
		{"env", f.environment},
		{"working_dir", f.workingDir},
		{"uid", f.uid},
		{"gid", f.gid},
		{"labels", f.labels},
		{"ports", f.ports},
		{"networks", f.networkIDs},
		{"network_aliases", f.aliases},
		{"pod", f.pod},
		{"volumes", f.volumes},
		{"secrets", f.unread},
		{"health", f.healthcheck},
		{"resources", f.resources},
		{"restart_policy", f.restartPolicy},
		{"sysctl", f.unread},
		{"security_context", f.security},
		{"address", f.address},
		{"own_volumes", f.ownVolumes},
		{"image_id", f.imageID},
	} {
		want, _ := f.want.Get(field.name)
		if v := field.read(want); v != nil {
			out = append(out, resource.Attr{Name: field.name, Value: v})
		}
	}
	return resource.NewAttrs(out...)
}

// unread is what Podman does not tell: it cannot change while the container exists.
func (f *facts) unread(want resource.Value) resource.Value { return want }

// imageName: the image is compared by its ID, because its name stays when a tag moves.
func (f *facts) imageName(resource.Value) resource.Value {
	switch {
	case f.moved != "":
		return resource.String(f.tag + " (image " + shortID(f.Image) + "; its registry has " + shortID(f.moved) + ")")
	case f.tagged == nil || f.tagged.ID == f.Image:
		return resource.String(f.tag)
	}
	return resource.String(f.tag + " (image " + shortID(f.Image) + "; that tag is now " + shortID(f.tagged.ID) + ")")
}

func (f *facts) imageID(resource.Value) resource.Value { return resource.String(f.Image) }

func shortID(id string) string { return id[:min(12, len(id))] }

func (f *facts) workingDir(want resource.Value) resource.Value {
	if want == nil && f.ours || f.Config.WorkingDir == "" {
		return nil
	}
	return resource.String(f.Config.WorkingDir)
}

func (f *facts) labels(resource.Value) resource.Value {
	var image map[string]string
	if f.image != nil {
		image = f.image.Labels
	}
	return userLabels(f.Config.Labels, image, f.want.Object("labels"))
}

func (f *facts) pod(resource.Value) resource.Value {
	if f.Pod == "" {
		return nil
	}
	return resource.String(f.Pod)
}

func (f *facts) address(resource.Value) resource.Value {
	names := make([]string, 0, len(f.NetworkSettings.Networks))
	for name := range f.NetworkSettings.Networks {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if ip := f.NetworkSettings.Networks[name].IPAddress; ip != "" {
			return resource.String(ip)
		}
	}
	return nil
}
