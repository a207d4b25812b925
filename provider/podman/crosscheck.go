package podman

import (
	"fmt"

	"github.com/ovi-project/ovi/resource"
)

// crossCheckContainers finds host ports that two containers or pods of a stack publish.
func crossCheckContainers(configured []*resource.Desired, find func(resource.Ref) *resource.Desired) (out []resource.Finding) {
	type address struct {
		location, ip, protocol string
		port                   int64
	}
	taken := map[address]resource.Ref{}
	pods := map[resource.Ref]bool{}
	publish := func(user resource.Ref, d *resource.Desired, path string) {
		for i, v := range listOf(d.Attrs, "ports") {
			p, _ := v.(resource.Attrs)
			a := address{location: d.Ref.Location}
			a.port, _ = intOf(p, "host_port")
			a.ip, _ = textOf(p, "host_ip")
			a.protocol, _ = textOf(p, "protocol")
			if a.port == 0 {
				continue
			}
			if other, clash := taken[a]; clash {
				at := path
				if path == "" {
					at = fmt.Sprintf("ports[%d].host_port", i)
				}
				out = append(out, resource.Finding{Ref: user, Problem: resource.Problem{
					Path:    at,
					Summary: fmt.Sprintf("host port %d is also published by %s/%s", a.port, other.Kind, other.Name), Suggestion: "use another host_port",
				}})
				continue
			}
			taken[a] = d.Ref
		}
	}
	for _, d := range configured {
		publish(d.Ref, d, "")
	}
	for _, d := range configured {
		v, _ := d.Attrs.Get("pod")
		ref, ok := v.(resource.Reference)
		if pod := find(ref.Ref); ok && pod != nil && !pods[ref.Ref] {
			pods[ref.Ref] = true
			publish(d.Ref, pod, "pod")
		}
	}
	return out
}
