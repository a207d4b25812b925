package podman

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/resource"
)

// checkContainer finds out whether the image exists, the name is free and the ports of the host
// are, before anything is changed.
func checkContainer(ctx context.Context, h *host, r provider.Request) error {
	if err := checkImage(ctx, h, r); err != nil {
		return err
	}
	all, err := h.Containers(ctx, nil)
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.ID != r.Have.ID && !madeBy(c.Labels, r.Key) && slices.Contains(c.Names, r.Desired.Ref.Name) {
			return conflict("check", "rename one of them, or run `ovi adopt "+r.Desired.Ref.Short()+"`", "a container named %s exists", r.Desired.Ref.Name)
		}
	}
	pods, err := h.Pods(ctx)
	if err != nil {
		return err
	}
	for _, p := range pods {
		if p.Name == r.Desired.Ref.Name {
			return conflict("check", "rename one of them: Podman has one table of names for containers and pods", "a pod named %s exists", p.Name)
		}
	}
	return h.checkPorts(ctx, r, all)
}

// checkPortsOf refuses a container whose ports are in use, before it is created. The one that a swap
// replaces uses the same.
func checkPortsOf(ctx context.Context, h *host, r provider.Request) error {
	fixed := slices.ContainsFunc(portMappings(r.Desired.Attrs), func(m libpod.PortMapping) bool { return m.HostPort != 0 })
	if r.Beside != nil || !fixed {
		return nil
	}
	all, err := h.Containers(ctx, nil)
	if err != nil {
		return err
	}
	return h.checkPorts(ctx, r, all)
}

// checkPorts finds ports of the host that something else uses: another container, or, where the
// host is this machine, any program.
func (h *host) checkPorts(ctx context.Context, r provider.Request, all []libpod.ListedContainer) error {
	ours := map[string]bool{}
	for _, m := range portMappings(r.Have.Attrs) {
		ours[portKey(m)] = true
	}
	for _, m := range portMappings(r.Desired.Attrs) {
		if m.HostPort == 0 {
			continue
		}
		for _, c := range all {
			if c.ID == r.Have.ID || labeled(c.Labels, r.Desired.Ref) || madeBy(c.Labels, r.Key) {
				continue // what is replaced
			}
			if c.State == "running" && slices.ContainsFunc(c.Ports, func(p libpod.PortMapping) bool { return overlap(m, p) }) {
				return conflict("check", "use another host_port, or stop it", "host port %d is used by the container %s", m.HostPort, strings.Join(c.Names, ","))
			}
		}
		if h.local && !ours[portKey(m)] && !h.listens(ctx, m) {
			return conflict("check", "use another host_port, or stop what uses it", "host port %d is in use", m.HostPort)
		}
	}
	return nil
}

// madeBy reports that a resource was made by an earlier attempt of a create.
func madeBy(labels map[string]string, key string) bool { return key != "" && labels[labelKey] == key }

func portKey(m libpod.PortMapping) string {
	return fmt.Sprint(m.HostIP, " ", m.HostPort, " ", m.Protocol)
}

// sameAddress reports whether two addresses of a host are one, or one of them is all.
func sameAddress(one, other string) bool {
	ip := func(s string) string {
		if a, err := netip.ParseAddr(s); err == nil && a.IsUnspecified() {
			return ""
		}
		return s
	}
	return ip(one) == ip(other) || ip(one) == "" || ip(other) == ""
}

func overlap(m, p libpod.PortMapping) bool {
	return sameAddress(m.HostIP, p.HostIP) && m.Protocol == p.Protocol && m.HostPort >= p.HostPort && m.HostPort < p.HostPort+max(1, p.Range)
}

// listens reports whether a port is free, by listening on it for a moment. What it cannot try
// counts as free.
func (h *host) listens(ctx context.Context, m libpod.PortMapping) bool {
	address := net.JoinHostPort(m.HostIP, fmt.Sprint(m.HostPort))
	var l net.ListenConfig
	switch m.Protocol {
	case "tcp":
		s, err := l.Listen(ctx, "tcp", address)
		if err != nil {
			return !inUse(err)
		}
		_ = s.Close() // nothing was accepted
	case "udp":
		s, err := l.ListenPacket(ctx, "udp", address)
		if err != nil {
			return !inUse(err)
		}
		_ = s.Close() // nothing was received
	}
	return true
}

func inUse(err error) bool { return strings.Contains(err.Error(), "address already in use") }

// has reports whether a container has aliases in a network.
func (f *facts) has(e libpod.Endpoint, aliases []string) bool {
	return !slices.ContainsFunc(aliases, func(a string) bool { return !slices.Contains(e.Aliases, a) })
}

var _ = resource.Healthy
