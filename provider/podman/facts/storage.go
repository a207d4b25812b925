package facts

import (
	"path"

	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/provider/podman/marks"
	"github.com/ovi-project/ovi/resource"
)

// volumes compares each mount with the one at its path. A folder of the host is mounted by
// itself, so its source is kept in a label.
func (f *Container) volumes(want resource.Value) resource.Value {
	said, _ := want.(resource.List)
	at := map[string]libpod.Mount{}
	for _, m := range f.Mounts {
		at[m.Destination] = m
	}
	sources := marks.SourcesOf(f.Config.Labels)
	out := resource.List{}
	for _, v := range said {
		e, _ := v.(resource.Attrs)
		where, _ := e.Text("mount_path")
		m, mounted := at[where]
		delete(at, where)
		switch name, _ := e.Text("name"); {
		case !mounted:
		case m.RW == !e.Bool("read_only") && (m.Name == name || m.Name == "" && path.Clean(m.Source) == sources[where]):
			out = append(out, e)
		default:
			out = append(out, mountOf(m))
		}
	}
	if !f.Ours {
		for _, m := range at {
			if m.Type == "volume" && f.Anonymous[m.Destination] == "" {
				out = append(out, mountOf(m))
			}
		}
	}
	if len(out) == 0 && len(said) == 0 {
		return nil
	}
	return resource.SortSet(out)
}

func mountOf(m libpod.Mount) resource.Attrs {
	name := m.Name
	if name == "" {
		name = m.Source
	}
	return resource.NewAttrs(
		resource.Attr{Name: "name", Value: resource.String(name)},
		resource.Attr{Name: "mount_path", Value: resource.String(m.Destination)},
		resource.Attr{Name: "read_only", Value: resource.Bool(!m.RW)})
}

func (f *Container) ownVolumes(resource.Value) resource.Value {
	if len(f.Anonymous) == 0 {
		return nil
	}
	out := map[string]resource.Value{}
	for where, name := range f.Anonymous {
		out[where] = resource.String(name)
	}
	return resource.AttrsOf(out)
}
