package schema

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// The HoldsDoc of containers and pods.
const heldNamePorts = "its name among the containers and pods of the host; its host ports, on their addresses, while " +
	"it runs"

// holdsNamePorts: Podman has one table of names for containers and pods. What is stopped publishes no port.
func holdsNamePorts(ref resource.Ref, a resource.Attrs, state resource.State) []resource.Hold {
	out := []resource.Hold{{What: "container or pod name", Name: ref.Name, Identity: true}}
	if state == resource.StateStopped {
		return out
	}
	for _, v := range a.List("ports") {
		p, _ := v.(resource.Attrs)
		n, _ := p.Int("host_port")
		if n == 0 {
			continue
		}
		protocol, _ := p.Text("protocol")
		if protocol == "" {
			protocol = "tcp"
		}
		ip, _ := p.Text("host_ip")
		out = append(out, resource.Hold{
			What: "host port", Name: strconv.FormatInt(n, 10) + "/" + strings.ToLower(protocol), Range: only(ip),
		})
	}
	return out
}

// only is the range of one address; all addresses if it is none or stands for all.
func only(ip string) netip.Prefix {
	if a, err := netip.ParseAddr(ip); err == nil && !a.IsUnspecified() {
		return netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen())
	}
	return netip.Prefix{}
}

// holdsNetwork: Podman refuses a subnet that overlaps with the subnet of another network.
func holdsNetwork(ref resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
	out := []resource.Hold{{What: "network name", Name: ref.Name, Identity: true}}
	text, _ := a.Text("subnet")
	if p, err := netip.ParsePrefix(text); err == nil {
		out = append(out, resource.Hold{What: "subnet", Range: p.Masked()})
	}
	return out
}

func holdsVolume(ref resource.Ref, _ resource.Attrs, _ resource.State) []resource.Hold {
	return []resource.Hold{{What: "volume name", Name: ref.Name, Identity: true}}
}
