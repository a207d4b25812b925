package podman

import (
	"context"
	"maps"
	"os"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/failure"
	"github.com/ovi-project/ovi/provider/podman/host"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/provider/podman/marks"
	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/provider/podman/spec"
	"github.com/ovi-project/ovi/resource"
)

func listVolumes(ctx context.Context, g *host.Reading) (out []resource.Observed, err error) {
	all, err := g.Volumes(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, v := range all {
		out = append(out, volumeObserved(g, v))
	}
	return out, nil
}

func readVolume(ctx context.Context, g *host.Reading, id string) (resource.Observed, error) {
	v, err := g.Volume(ctx, id)
	if err != nil {
		return resource.Observed{}, err
	}
	return volumeObserved(g, v), nil
}

// volumeObserved: a volume's ID is its name, which another can get; the time of its creation
// tells them apart.
func volumeObserved(g *host.Reading, v libpod.Volume) resource.Observed {
	o := resource.Observed{ID: v.Name, UID: v.CreatedAt, Health: resource.Healthy}
	o.Since, _ = time.Parse(time.RFC3339Nano, v.CreatedAt) // unknown if it is in another form
	marks.Identify(&o, g.Scope, schema.Volume, v.Name, v.Labels)
	if v.Anonymous || v.Name == host.Volume {
		o.Message = resource.ProviderDefault
	}
	want, ours := marks.Applied(v.Labels)
	set := map[string]resource.Value{"type": resource.String("volume"), "driver": resource.String(v.Driver)}
	if v.Mountpoint != "" {
		set["mountpoint"] = resource.String(v.Mountpoint)
	}
	if labels := marks.UserLabels(v.Labels, nil, want.Object("labels")); labels != nil {
		set["labels"] = labels
	}
	have := spec.ConfiguredOptions(v.Options, want.TextMap("options"))
	if ours && maps.Equal(spec.VolumeOptions(want), have) {
		for _, name := range []string{"type", "options", "host_path", "empty_dir", "security_context"} {
			if x, ok := want.Get(name); ok {
				set[name] = x
			}
		}
	} else if len(have) > 0 {
		options := map[string]resource.Value{}
		for k, x := range have {
			options[k] = resource.String(x)
		}
		set["options"] = resource.AttrsOf(options)
	}
	o.Attrs = resource.AttrsOf(set)
	return o
}

// checkVolume finds a path of the host that does not exist, where the host is this machine.
func checkVolume(ctx context.Context, h *host.Host, r provider.Request) error {
	v, err := h.Volume(ctx, r.Desired.Ref.Name)
	if err == nil && v.Name != r.Have.ID && !r.Gives(v.Name) && !marks.MadeBy(v.Labels, r.Key) {
		return failure.InUse("check", "rename one of them, or run `ovi adopt "+r.Desired.Ref.Short()+"`",
			"a volume named %s exists", v.Name)
	}
	if err != nil && !failure.IsNotFound(err) {
		return err
	}
	path, kind := spec.HostPath(r.Desired.Attrs)
	if path == "" || !h.IsLocal {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case os.IsNotExist(err):
		return failure.Mistake("check", "create it on the host first", "the host path %s does not exist", path)
	case err != nil:
		return nil // it may be hidden from this user
	case info.IsDir() != (kind == "Directory"):
		return failure.Mistake("check", "set host_path.type", "the host path %s is not a %s", path, strings.ToLower(kind))
	}
	return nil
}

func createVolume(ctx context.Context, h *host.Host, r provider.Request) (string, error) {
	name := r.Desired.Ref.Name
	driver, _ := r.Desired.Attrs.Text("driver")
	_, err := h.CreateVolume(ctx,
		&libpod.Volume{
			Name: name, Driver: driver, Labels: marks.BirthLabels(r), Options: spec.VolumeOptions(r.Desired.Attrs),
		})
	if err == nil {
		return name, nil
	}
	if v, readErr := h.Volume(ctx, name); readErr == nil && v.Labels[marks.LabelKey] == r.Key {
		return name, nil
	}
	return "", err
}

// removeVolume removes the volume that was bound, not another that has its name since.
func removeVolume(ctx context.Context, h *host.Host, r provider.Request) error {
	v, err := h.Volume(ctx, r.Have.ID)
	if err != nil {
		return err
	}
	if r.Have.UID != "" && v.CreatedAt != r.Have.UID {
		return nil
	}
	return h.RemoveVolume(ctx, v.Name)
}
