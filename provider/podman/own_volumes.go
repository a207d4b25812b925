package podman

import (
	"context"

	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/resource"
)

// An image can say that a path is a volume. Podman then makes one without a name of the user's for
// each container, so a container that replaces another would start without its data.

// ownVolumes is the attribute that has the names of these volumes by path.
const ownVolumes = "own_volumes"

// anonymousVolumes are the names of the volumes that Podman made for a container, by path.
func (g *reading) anonymousVolumes(ctx context.Context, c *libpod.Container, want resource.Attrs) (map[string]string, error) {
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
		if isNotFound(err) {
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

func (f *facts) ownVolumes(resource.Value) resource.Value {
	if len(f.anonymous) == 0 {
		return nil
	}
	out := map[string]resource.Value{}
	for where, name := range f.anonymous {
		out[where] = resource.String(name)
	}
	return resource.AttrsOf(out)
}

// inheritSettings are the options of `podman run` that do what inherit does.
func inheritSettings(old resource.Attrs) (out []setting) {
	for _, a := range old.Object(ownVolumes) {
		if name, ok := a.Value.(resource.String); ok {
			out = append(out, setting{flag: "--volume", value: string(name) + ":" + a.Name})
		}
	}
	return out
}

// inherit gives a new container the volumes that Podman made for the one that it replaces, except
// where something else is configured.
func inherit(s *libpod.ContainerSpec, old resource.Attrs) {
	taken := map[string]bool{}
	for _, v := range s.Volumes {
		taken[v.Dest] = true
	}
	for _, m := range s.Mounts {
		taken[m.Destination] = true
	}
	for _, a := range old.Object(ownVolumes) {
		if name, ok := a.Value.(resource.String); ok && !taken[a.Name] {
			s.Volumes = append(s.Volumes, libpod.NamedVolume{Name: string(name), Dest: a.Name, Options: []string{"rw"}})
		}
	}
}
