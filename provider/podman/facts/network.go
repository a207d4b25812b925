package facts

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/provider/podman/marks"
	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/resource"
)

// ports: a port of the host that Podman chose is not compared.
func (f *Container) ports(want resource.Value) resource.Value {
	return Ports(want, f.HostConfig.PortBindings)
}

// Ports compares published ports with the configured ones. A port of the host that Podman chose is not compared.
func Ports(want resource.Value, bindings map[string][]libpod.PortBinding) resource.Value {
	have := portsOf(bindings)
	said, _ := want.(resource.List)
	if len(said) == len(have) {
		left := slices.Clone(have)
		for _, v := range said {
			p, _ := v.(resource.Attrs)
			i := slices.IndexFunc(left, func(h resource.Attrs) bool { return samePort(p, h) })
			if i < 0 {
				break
			}
			left = slices.Delete(left, i, i+1)
		}
		if len(left) == 0 {
			return want
		}
	}
	out := make(resource.List, len(have))
	for i, p := range have {
		out[i] = p
	}
	return resource.SortSet(out)
}

// Listed returns the ports of a container as a list of containers has them, where several in a row are one range.
func Listed(all []libpod.PortMapping) resource.Value {
	var out resource.List
	for _, m := range all {
		for i := range max(m.Range, 1) {
			p := resource.NewAttrs(
				resource.Attr{Name: "container_port", Value: resource.Int(m.ContainerPort + i)},
				resource.Attr{Name: "host_port", Value: resource.Int(m.HostPort + i)},
				resource.Attr{Name: "protocol", Value: resource.String(m.Protocol)},
			)
			if m.HostIP != "" && m.HostIP != "0.0.0.0" {
				p = p.With("host_ip", resource.String(m.HostIP))
			}
			out = append(out, p)
		}
	}
	return resource.SortSet(out)
}

func samePort(want, have resource.Attrs) bool {
	if port, _ := want.Int("host_port"); port == 0 {
		want, have = want.With("host_port", resource.Int(0)), have.With("host_port", resource.Int(0))
	}
	return resource.Equal(want, have)
}

func portsOf(bindings map[string][]libpod.PortBinding) (out []resource.Attrs) {
	for key, all := range bindings {
		port, protocol, _ := strings.Cut(key, "/")
		inside, err := strconv.ParseInt(port, 10, 64)
		if err != nil {
			continue
		}
		for _, b := range all {
			outside, _ := strconv.ParseInt(b.HostPort, 10, 64) // none yet is 0
			p := resource.NewAttrs(
				resource.Attr{Name: "container_port", Value: resource.Int(inside)},
				resource.Attr{Name: "host_port", Value: resource.Int(outside)},
				resource.Attr{Name: "protocol", Value: resource.String(cmp.Or(protocol, "tcp"))})
			if ip := schema.CanonicalAddress(b.HostIP); ip != "" {
				p = p.With("host_ip", resource.String(ip))
			}
			out = append(out, p)
		}
	}
	return out
}

// networkIDs: a container without networks of its own is connected to Podman's default network,
// which no one configured.
func (f *Container) networkIDs(want resource.Value) resource.Value {
	if f.Pod != "" {
		return want
	}
	out := resource.List{}
	foreign := 0
	for name := range f.NetworkSettings.Networks {
		id := cmp.Or(f.Networks.ByName[name], name)
		if n, _ := f.Networks.ByID(id); n.Labels[marks.LabelRef] == "" {
			foreign++
		}
		out = append(out, resource.String(id))
	}
	if want == nil && f.Ours && len(out) == 1 && foreign == 1 {
		return nil
	}
	return resource.SortSet(out)
}

// aliases are those that the container has in each of its networks; Podman adds its ID.
func (f *Container) aliases(want resource.Value) resource.Value {
	said, _ := want.(resource.List)
	if _, networks := f.Want.Get("networks"); !networks || f.Pod != "" {
		return want
	}
	out := resource.List{}
	for _, v := range said {
		alias, _ := v.(resource.String)
		everywhere := true
		for _, e := range f.NetworkSettings.Networks {
			everywhere = everywhere && slices.Contains(e.Aliases, string(alias))
		}
		if everywhere {
			out = append(out, v)
		}
	}
	if want == nil {
		return nil
	}
	return out
}

// Networks are the networks of a host.
type Networks struct {
	All    []libpod.Network
	ByName map[string]string
}

// ByID finds a network by its ID; false if the host has none.
func (n *Networks) ByID(id string) (libpod.Network, bool) {
	for _, x := range n.All {
		if x.ID == id {
			return x, true
		}
	}
	return libpod.Network{}, false
}
