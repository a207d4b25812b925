package host

import (
	"context"
	"time"

	"github.com/ovi-project/ovi/provider/podman/facts"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/resource"
)

// Reading is one observation of a host: it can read alone, and reads what several resources need
// once.
type Reading struct {
	*libpod.Reader
	Registry *RegistryAnswers
	Scope    resource.Scope
	Now      time.Time
	Clock    func() time.Time
	Known    map[string]bool // KIND/ID: to be read in full even if nothing marks it
	networks *facts.Networks
	images   map[string]*libpod.Image // by name or ID; nil: not on the host
	Digest   func(plain string) string
	Plain    func(resource.Digest) (string, bool)
}

// Reading starts an observation of the host.
func (h *Host) Reading() *Reading {
	return &Reading{
		Reader: h.Reader, Registry: &h.Registry, Scope: h.Scope(), Now: h.Clock(), Clock: h.Clock, Digest: h.Digest,
		Plain:  h.Plain,
		images: map[string]*libpod.Image{},
	}
}

// IsKnown reports that a resource is to be read in full although its labels do not mark it.
func (g *Reading) IsKnown(kind, id string) bool { return g.Known[kind+"/"+id] }

// ImageOf reads an image once; nil if it is not on the host.
func (g *Reading) ImageOf(ctx context.Context, name string) (*libpod.Image, error) {
	if i, ok := g.images[name]; ok {
		return i, nil
	}
	i, err := g.Image(ctx, name)
	switch {
	case IsMissingImage(err):
		g.images[name] = nil
	case err != nil:
		return nil, err
	default:
		g.images[name] = &i
	}
	return g.images[name], nil
}

// NetworksOf reads the networks of the host once.
func (g *Reading) NetworksOf(ctx context.Context) (*facts.Networks, error) {
	if g.networks != nil {
		return g.networks, nil
	}
	all, err := g.Networks(ctx)
	if err != nil {
		return nil, err
	}
	g.networks = &facts.Networks{All: all, ByName: map[string]string{}}
	for _, n := range all {
		g.networks.ByName[n.Name] = n.ID
	}
	return g.networks, nil
}
