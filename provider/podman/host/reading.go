package host

import (
	"context"
	"sync"
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
	networks once[facts.Networks]
	images   sync.Map // by name or ID: a *once[libpod.Image]; it has no value if the image is not on the host
	Digest   func(plain string) string
}

// Reading starts an observation of the host.
func (h *Host) Reading() *Reading {
	return &Reading{
		Reader: h.Reader, Registry: &h.Registry, Scope: h.Scope(), Now: h.Clock(), Clock: h.Clock, Digest: h.Digest,
	}
}

// IsKnown reports that a resource is to be read in full although its labels do not mark it.
func (g *Reading) IsKnown(kind, id string) bool { return g.Known[kind+"/"+id] }

// ImageOf reads an image once; nil if it is not on the host.
func (g *Reading) ImageOf(ctx context.Context, name string) (*libpod.Image, error) {
	v, _ := g.images.LoadOrStore(name, &once[libpod.Image]{})
	return v.(*once[libpod.Image]).get(func() (*libpod.Image, error) {
		i, err := g.Image(ctx, name)
		switch {
		case IsMissingImage(err):
			return nil, nil
		case err != nil:
			return nil, err
		}
		return &i, nil
	})
}

// NetworksOf reads the networks of the host once.
func (g *Reading) NetworksOf(ctx context.Context) (*facts.Networks, error) {
	return g.networks.get(func() (*facts.Networks, error) {
		all, err := g.Networks(ctx)
		if err != nil {
			return nil, err
		}
		out := &facts.Networks{All: all, ByName: map[string]string{}}
		for _, n := range all {
			out.ByName[n.Name] = n.ID
		}
		return out, nil
	})
}

// once reads a value that several kinds need: the first kind that needs it reads it, the others wait for
// the result. A failed read is tried again by the next that needs it.
type once[T any] struct {
	mu   sync.Mutex
	read bool
	v    *T
}

func (o *once[T]) get(read func() (*T, error)) (*T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.read {
		return o.v, nil
	}
	v, err := read()
	if err != nil {
		return nil, err
	}
	o.v, o.read = v, true
	return v, nil
}
