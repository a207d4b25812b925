package podman

import (
	"context"
	"fmt"
	"maps"
	"os"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/resource"
)

func volumes() kind {
	return kind{
		schema: volumeKind(), list: listVolumes, read: readVolume, check: checkVolume,
		create: createVolume, update: relabel, remove: removeVolume,
	}
}

func listVolumes(ctx context.Context, g *reading) (out []resource.Observed, err error) {
	all, err := g.Volumes(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, v := range all {
		out = append(out, volumeObserved(g, v))
	}
	return out, nil
}

func readVolume(ctx context.Context, g *reading, id string) (resource.Observed, error) {
	v, err := g.Volume(ctx, id)
	if err != nil {
		return resource.Observed{}, err
	}
	return volumeObserved(g, v), nil
}

// volumeObserved: a volume's ID is its name, which another can get; the time of its creation
// tells them apart.
func volumeObserved(g *reading, v libpod.Volume) resource.Observed {
	o := resource.Observed{ID: v.Name, UID: v.CreatedAt, Health: resource.Healthy}
	o.Since, _ = time.Parse(time.RFC3339Nano, v.CreatedAt) // unknown if it is in another form
	identify(&o, g.scope, kindVolume, v.Name, v.Labels)
	if v.Anonymous || v.Name == hostVolume {
		o.Message = resource.ProviderDefault
	}
	want, ours := applied(v.Labels)
	set := map[string]resource.Value{"type": resource.String("volume"), "driver": resource.String(v.Driver)}
	if v.Mountpoint != "" {
		set["mountpoint"] = resource.String(v.Mountpoint)
	}
	if labels := userLabels(v.Labels, nil, want.Object("labels")); labels != nil {
		set["labels"] = labels
	}
	have := configuredOptions(v.Options, want.TextMap("options"))
	if ours && maps.Equal(volumeOptions(want), have) {
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

// configuredOptions are options without those that Podman makes of parts of the option o.
func configuredOptions(have, configured map[string]string) map[string]string {
	out := maps.Clone(have)
	for _, k := range []string{"UID", "GID", "SIZE", "INODES", "NOQUOTA"} {
		if _, set := configured[k]; !set {
			delete(out, k)
		}
	}
	return out
}

// page is the block of a volume in memory.
const page = 4096

// volumeOptions are the options of the driver that the attributes of a volume mean.
func volumeOptions(a resource.Attrs) map[string]string {
	out := a.TextMap("options")
	var o []string
	if path, kind := hostPath(a); path != "" && kind == "Directory" {
		out["type"], out["device"] = "none", path
		o = append(o, "bind")
	}
	if empty := a.Object("empty_dir"); empty != nil {
		medium, _ := empty.Text("medium")
		if medium == "Memory" {
			out["type"], out["device"] = "tmpfs", "tmpfs"
		}
		limit, limited := empty.Text("size_limit")
		n, _ := memoryBytes(limit)
		switch {
		case limited && medium == "Memory":
			o = append(o, fmt.Sprintf("nr_blocks=%d", (n+page-1)/page)) // Podman takes size for a disk quota
		case limited:
			o = append(o, fmt.Sprintf("size=%d", n))
		}
	}
	security := a.Object("security_context")
	owner := security.Object("owner")
	for _, id := range []struct{ name, option string }{{"user", "uid"}, {"group", "gid"}} {
		if n, ok := owner.Int(id.name); ok {
			o = append(o, fmt.Sprintf("%s=%d", id.option, n))
		}
	}
	if level, ok := security.Object("se_linux_options").Text("level"); ok && out["type"] != "" {
		o = append(o, `context="system_u:object_r:container_file_t:`+level+`"`)
	}
	if given := out["o"]; given != "" {
		o = append([]string{given}, o...)
	}
	if len(o) > 0 {
		out["o"] = strings.Join(o, ",")
	}
	return out
}

// hostPath is the path of the host that a volume is; "" if it is none.
func hostPath(a resource.Attrs) (path, kind string) {
	p := a.Object("host_path")
	path, _ = p.Text("path")
	kind, _ = p.Text("type")
	return path, kind
}

// checkVolume finds a path of the host that does not exist, where the host is this machine.
func checkVolume(ctx context.Context, h *host, r provider.Request) error {
	v, err := h.Volume(ctx, r.Desired.Ref.Name)
	if err == nil && v.Name != r.Have.ID && !madeBy(v.Labels, r.Key) {
		return conflict("check", "rename one of them, or run `ovi adopt "+r.Desired.Ref.Short()+"`", "a volume named %s exists", v.Name)
	}
	if err != nil && !isNotFound(err) {
		return err
	}
	path, kind := hostPath(r.Desired.Attrs)
	if path == "" || !h.local {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case os.IsNotExist(err):
		return permanent("check", "create it on the host first", "the host path %s does not exist", path)
	case err != nil:
		return nil // it may be hidden from this user
	case info.IsDir() != (kind == "Directory"):
		return permanent("check", "set host_path.type", "the host path %s is not a %s", path, strings.ToLower(kind))
	}
	return nil
}

func createVolume(ctx context.Context, h *host, r provider.Request) (string, error) {
	name := r.Desired.Ref.Name
	driver, _ := r.Desired.Attrs.Text("driver")
	_, err := h.CreateVolume(ctx, &libpod.Volume{Name: name, Driver: driver, Labels: birthLabels(r), Options: volumeOptions(r.Desired.Attrs)})
	if err == nil {
		return name, nil
	}
	if v, readErr := h.Volume(ctx, name); readErr == nil && v.Labels[labelKey] == r.Key {
		return name, nil
	}
	return "", err
}

// removeVolume removes the volume that was bound, not another that has its name since.
func removeVolume(ctx context.Context, h *host, r provider.Request) error {
	v, err := h.Volume(ctx, r.Have.ID)
	if err != nil {
		return err
	}
	if r.Have.UID != "" && v.CreatedAt != r.Have.UID {
		return nil
	}
	return h.RemoveVolume(ctx, v.Name)
}
