package podman

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// containerStrategies starts the new container first only where the old one cannot be in its
// way: no port of the host is fixed, and all that is mounted is read-only. A file can choose it
// for a container that writes.
func containerStrategies(desired resource.Desired, have resource.Observed) []resource.Strategy {
	both := []resource.Attrs{desired.Attrs, have.Attrs}
	if slices.ContainsFunc(both, sharesNetwork) {
		return []resource.Strategy{resource.Swap, resource.DestroyFirst}
	}
	if slices.ContainsFunc(both, writes) {
		return []resource.Strategy{resource.Swap, resource.StartFirst, resource.DestroyFirst}
	}
	return []resource.Strategy{resource.StartFirst, resource.Swap, resource.DestroyFirst}
}

// containerEffect: before Podman 5 limits cannot be changed for good, no version can remove one,
// and only Podman knows the network of a container without networks.
func containerEffect(have resource.Observed, c resource.Change) resource.Effect {
	switch {
	case c.Path == "networks" && c.To == nil:
		return resource.Replace
	case pathIn(c.Path, "resources") && (c.To == nil || !changesLimits(versionOf(have))):
		return resource.Replace
	}
	return resource.InPlace
}

func versionOf(o resource.Observed) string {
	v, _ := o.Attrs.Text("podman_version")
	return v
}

// changesLimits reports whether a version of Podman keeps changed limits.
func changesLimits(version string) bool {
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	return err == nil && n >= 5
}

// sharesNetwork reports whether two containers like this would ask for the same port.
func sharesNetwork(a resource.Attrs) bool {
	_, pod := a.Get("pod")
	return pod || slices.ContainsFunc(a.List("ports"), func(v resource.Value) bool {
		p, _ := v.(resource.Attrs)
		port, _ := p.Int("host_port")
		return port != 0
	})
}

func writes(a resource.Attrs) bool {
	if len(a.Object(ownVolumes)) > 0 {
		return true
	}
	return slices.ContainsFunc(a.List("volumes"), func(v resource.Value) bool {
		m, _ := v.(resource.Attrs)
		return !m.Bool("read_only")
	})
}

// volumeDataLoss: the data of a path of the host, or in memory, is not in the volume.
func volumeDataLoss(o resource.Observed, _ resource.Attrs) string {
	if kind, _ := o.Attrs.Text("type"); kind == "bind" {
		return ""
	}
	if medium, _ := o.Attrs.Object("empty_dir").Text("medium"); medium == "Memory" {
		return ""
	}
	return "volume " + o.ID
}
