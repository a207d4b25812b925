package engine

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/command"
	"github.com/ovi-project/ovi/provider/cluster/k3d"
	"github.com/ovi-project/ovi/provider/cluster/kind"
	"github.com/ovi-project/ovi/provider/cluster/program"
	"github.com/ovi-project/ovi/provider/cluster/system"
)

// Check: the program is installed, the image can be had, and ports, name and subnet are free.
func (h *Host) Check(ctx context.Context, r provider.Request) error {
	with, _ := r.Desired.Attrs.Text("provider")
	if len(h.Hooks.Create) == 0 {
		if err := h.installed(ctx, with); err != nil {
			return err
		}
	}
	have, err := h.named(ctx, with, r.Desired.Ref.Name)
	switch {
	case err != nil:
		return err
	case have != nil && have.id != "" && have.id != r.Have.ID && !r.Gives(have.id):
		return system.InUse("", "rename one of them, or run `ovi adopt "+r.Desired.Ref.Short()+"`",
			"a cluster %s of %s exists", have.name, with)
	}
	if err := h.checkImage(ctx, r); err != nil {
		return err
	}
	if err := h.checkSubnet(ctx, r); err != nil {
		return err
	}
	if !strings.HasPrefix(h.endpoint, "unix://") {
		return nil // ports of another host
	}
	for _, x := range program.Ingress() {
		n, ok := r.Desired.Attrs.Int(x.Attr)
		if had, has := r.Have.Attrs.Int(x.Attr); !ok || has && had == n || r.Frees(holdsPort, strconv.FormatInt(n, 10)) {
			continue // The ports of the cluster itself are in use.
		}
		l, err := net.Listen("tcp", net.JoinHostPort(program.Everywhere, strconv.FormatInt(n, 10)))
		if err != nil {
			return system.InUse("", "use another port, or stop what uses it", "%s %d of the host is in use", x.Attr, n)
		}
		if err := l.Close(); err != nil {
			return err
		}
	}
	return nil
}

// installed: kind or k3d is, and the program of the engine, without which kind does nothing.
func (h *Host) installed(ctx context.Context, with string) error {
	if _, err := command.Find(h.Environ(), with); err != nil || with != kind.Name {
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
	if _, err := command.Find(h.Environ(), program); err != nil {
		return system.Mistake("", "install "+program+", which kind runs", "%w", err)
	}
	return nil
}

// checkImage finds an image that no registry has.
func (h *Host) checkImage(ctx context.Context, r provider.Request) error {
	image, ok := r.Desired.Attrs.Text("image")
	if !ok || !strings.HasPrefix(image, "localhost/") {
		return nil
	}
	has, err := h.HasImage(ctx, image)
	if err != nil || has {
		return err
	}
	return system.Mistake("", "build or load it first", "the engine has no image %s", image)
}

// checkSubnet finds a network with the addresses of a new cluster. It ignores the network of a cluster that is deleted
// before.
func (h *Host) checkSubnet(ctx context.Context, r provider.Request) error {
	mine, ok := subnetOf(&r.Desired)
	if !ok {
		return nil
	}
	all, err := h.Networks(ctx)
	if err != nil {
		return err
	}
	going := []string{k3d.Network(r.Desired.Ref.Name)}
	for _, v := range r.Vacated {
		if v.Hold.What != holdsSubnet {
			continue // only a port is given up, and the network stays
		}
		f, err := h.byID(ctx, v.ID)
		if err != nil {
			return err
		}
		if f != nil {
			going = append(going, k3d.Network(f.name))
		}
	}
	for _, n := range all {
		for _, c := range n.IPAM.Config {
			theirs, err := netip.ParsePrefix(c.Subnet)
			if err == nil && !slices.Contains(going, n.Name) && mine.Overlaps(theirs) {
				return system.InUse("", "use another subnet", "the subnet %s overlaps with %s of the network %s", mine, theirs,
					n.Name)
			}
		}
	}
	return nil
}
