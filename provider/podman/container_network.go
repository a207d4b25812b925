package podman

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/resource"
)

// ports: a port of the host that Podman chose is not compared.
func (f *facts) ports(want resource.Value) resource.Value {
	return portsFacts(want, f.HostConfig.PortBindings)
}

func portsFacts(want resource.Value, bindings map[string][]libpod.PortBinding) resource.Value {
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
				resource.Attr{Name: "container_port", Value: resource.Int(inside)}, resource.Attr{Name: "host_port", Value: resource.Int(outside)},
				resource.Attr{Name: "protocol", Value: resource.String(cmp.Or(protocol, "tcp"))})
			if ip := canonicalAddress(b.HostIP); ip != "" {
				p = p.With("host_ip", resource.String(ip))
			}
			out = append(out, p)
		}
	}
	return out
}

// networkIDs: a container without networks of its own is connected to Podman's default network,
// which no one configured.
func (f *facts) networkIDs(want resource.Value) resource.Value {
	if f.Pod != "" {
		return want
	}
	out := resource.List{}
	foreign := 0
	for name := range f.NetworkSettings.Networks {
		id := cmp.Or(f.networks.byName[name], name)
		if n, _ := f.networks.byID(id); n.Labels[labelRef] == "" {
			foreign++
		}
		out = append(out, resource.String(id))
	}
	if want == nil && f.ours && len(out) == 1 && foreign == 1 {
		return nil
	}
	return resource.SortSet(out)
}

// aliases are those that the container has in each of its networks; Podman adds its ID.
func (f *facts) aliases(want resource.Value) resource.Value {
	said, _ := want.(resource.List)
	if _, networks := f.want.Get("networks"); !networks || f.Pod != "" {
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
