package container

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/failure"
	"github.com/ovi-project/ovi/provider/podman/host"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/provider/podman/marks"
	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/provider/podman/spec"
	"github.com/ovi-project/ovi/resource"
)

// Check finds out whether the image exists, the name is free and the ports of the host
// are, before anything is changed.
func Check(ctx context.Context, h *host.Host, r provider.Request) error {
	if err := checkImage(ctx, h, r); err != nil {
		return err
	}
	all, err := h.Containers(ctx, nil)
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.ID != r.Have.ID && !r.Gives(c.ID) && !marks.MadeBy(c.Labels, r.Key) &&
			slices.Contains(c.Names, r.Desired.Ref.Name) {
			return failure.InUse("check", "rename one of them, or run `ovi adopt "+r.Desired.Ref.Short()+"`",
				"a container named %s exists", r.Desired.Ref.Name)
		}
	}
	pods, err := h.Pods(ctx)
	if err != nil {
		return err
	}
	for _, p := range pods {
		if p.Name == r.Desired.Ref.Name && !r.Gives(p.ID) {
			return failure.InUse("check", "rename one of them: Podman has one table of names for containers and pods",
				"a pod named %s exists", p.Name)
		}
	}
	return CheckPorts(ctx, h, r, all)
}

// checkPortsOf refuses a container whose ports are in use, before it is created. The one that a swap
// replaces uses the same.
func checkPortsOf(ctx context.Context, h *host.Host, r provider.Request) error {
	fixed := slices.ContainsFunc(spec.PortMappings(r.Desired.Attrs),
		func(m libpod.PortMapping) bool { return m.HostPort != 0 })
	if r.Beside != nil || !fixed {
		return nil
	}
	all, err := h.Containers(ctx, nil)
	if err != nil {
		return err
	}
	return CheckPorts(ctx, h, r, all)
}

// CheckPorts finds ports of the host that something else uses: another container, or, where the
// host is this machine, any program. What is configured to be stopped uses none, and what gives its port up before
// is no obstacle.
func CheckPorts(ctx context.Context, h *host.Host, r provider.Request, all []libpod.ListedContainer) error {
	if r.Desired.State == resource.StateStopped {
		return nil
	}
	ours := map[string]bool{}
	for _, m := range spec.PortMappings(r.Have.Attrs) {
		ours[portKey(m)] = true
	}
	for _, m := range spec.PortMappings(r.Desired.Attrs) {
		if m.HostPort == 0 {
			continue
		}
		vacated := false
		for _, c := range all {
			if c.ID == r.Have.ID || marks.Labeled(c.Labels, r.Desired.Ref) || marks.MadeBy(c.Labels, r.Key) {
				continue // what is replaced
			}
			if c.State != "running" || !slices.ContainsFunc(c.Ports, func(p libpod.PortMapping) bool { return overlap(m, p) }) {
				continue
			}
			if vacated = r.Gives(c.ID) || c.Pod != "" && r.Gives(c.Pod); !vacated {
				return failure.InUse("check", "use another host_port, or stop it", "host port %d is used by the container %s",
					m.HostPort, strings.Join(c.Names, ","))
			}
		}
		if h.IsLocal && !vacated && !ours[portKey(m)] && !listens(ctx, h, m) {
			return failure.InUse("check", "use another host_port, or stop what uses it", "host port %d is in use", m.HostPort)
		}
	}
	return nil
}

func portKey(m libpod.PortMapping) string {
	return fmt.Sprint(m.HostIP, " ", m.HostPort, " ", m.Protocol)
}

func overlap(m, p libpod.PortMapping) bool {
	return schema.SameAddress(m.HostIP, p.HostIP) && m.Protocol == p.Protocol && m.HostPort >= p.HostPort &&
		m.HostPort < p.HostPort+max(1, p.Range)
}

// listens reports whether a port is free, by listening on it for a moment. A port that it cannot try counts
// as free.
func listens(ctx context.Context, h *host.Host, m libpod.PortMapping) bool {
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

// imageError names the image that its registry does not have.
func imageError(image string, err error) error {
	var said *provider.Error
	if !errors.As(failure.Classify("", err), &said) || said.Hint != failure.ImageHint {
		return err
	}
	return &provider.Error{
		Cause: said.Cause, Code: said.Code, Err: fmt.Errorf("image '%s' not found", image), Hint: failure.ImageHint,
	}
}
