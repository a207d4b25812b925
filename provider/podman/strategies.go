package podman

import (
	"slices"

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

// sharesNetwork reports whether two containers like this would ask for the same port.
func sharesNetwork(a resource.Attrs) bool {
	_, pod := a.Get("pod")
	return pod || slices.ContainsFunc(listOf(a, "ports"), func(v resource.Value) bool {
		p, _ := v.(resource.Attrs)
		port, _ := intOf(p, "host_port")
		return port != 0
	})
}

func writes(a resource.Attrs) bool {
	return slices.ContainsFunc(listOf(a, "volumes"), func(v resource.Value) bool {
		m, _ := v.(resource.Attrs)
		return !boolOf(m, "read_only")
	})
}

// volumeDataLoss: the data of a path of the host, or in memory, is not in the volume.
func volumeDataLoss(o resource.Observed) string {
	if kind, _ := textOf(o.Attrs, "type"); kind == "bind" {
		return ""
	}
	if medium, _ := textOf(attrsOf(o.Attrs, "empty_dir"), "medium"); medium == "Memory" {
		return ""
	}
	return "volume"
}
