package cluster

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/provider"
)

// check: the program is installed, the image can be had, and ports, name and subnet are free.
func (h *host) check(ctx context.Context, r provider.Request) error {
	with, _ := r.Desired.Attrs.Text("provider")
	if len(h.opts.Hooks.Create) == 0 {
		if err := h.installed(ctx, with); err != nil {
			return err
		}
	}
	have, err := h.named(ctx, with, r.Desired.Ref.Name)
	switch {
	case err != nil:
		return err
	case have != nil && have.id != "" && have.id != r.Have.ID:
		return conflict("", "rename one of them, or run `ovi adopt "+r.Desired.Ref.Short()+"`", "a cluster %s of %s exists", have.name, with)
	}
	if err := h.checkImage(ctx, r); err != nil {
		return err
	}
	if err := h.checkSubnet(ctx, r); err != nil {
		return err
	}
	return h.checkPorts(r)
}

// installed: kind or k3d is, and the program of the engine, without which kind does nothing.
func (h *host) installed(ctx context.Context, with string) error {
	if _, err := h.find(with); err != nil || with != withKind {
		return err
	}
	podman, err := h.Podman(ctx)
	if err != nil {
		return err
	}
	program := "docker"
	if podman {
		program = "podman"
	}
	if _, err := h.find(program); err != nil {
		return permanent("", "install "+program+", which kind runs", "%w", err)
	}
	return nil
}

// checkImage finds an image that no registry has.
func (h *host) checkImage(ctx context.Context, r provider.Request) error {
	image, ok := r.Desired.Attrs.Text("image")
	if !ok || !strings.HasPrefix(image, "localhost/") {
		return nil
	}
	has, err := h.HasImage(ctx, image)
	if err != nil || has {
		return err
	}
	return permanent("", "build or load it first", "the engine has no image %s", image)
}

// checkSubnet finds a network with the addresses of a new one.
func (h *host) checkSubnet(ctx context.Context, r provider.Request) error {
	mine, ok := subnetOf(&r.Desired)
	if !ok {
		return nil
	}
	all, err := h.Networks(ctx)
	if err != nil {
		return err
	}
	for _, n := range all {
		for _, c := range n.IPAM.Config {
			theirs, err := netip.ParsePrefix(c.Subnet)
			if err == nil && n.Name != k3dNetwork(r.Desired.Ref.Name) && mine.Overlaps(theirs) {
				return conflict("", "use another subnet", "the subnet %s overlaps with %s of the network %s", mine, theirs, n.Name)
			}
		}
	}
	return nil
}

// checkPorts finds ports of this host that are in use. Those of the cluster itself are.
func (h *host) checkPorts(r provider.Request) error {
	if !strings.HasPrefix(h.endpoint, "unix://") {
		return nil // of another host
	}
	for _, x := range ingress() {
		n, ok := r.Desired.Attrs.Int(x.attr)
		if had, has := r.Have.Attrs.Int(x.attr); !ok || has && had == n {
			continue
		}
		l, err := net.Listen("tcp", net.JoinHostPort(everywhere, strconv.FormatInt(n, 10)))
		if err != nil {
			return conflict("", "use another port, or stop what uses it", "%s %d of the host is in use", x.attr, n)
		}
		if err := l.Close(); err != nil {
			return err
		}
	}
	return nil
}
