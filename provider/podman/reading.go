package podman

import (
	"context"
	"slices"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/resource"
)

// reading is one observation of a host: it can read alone, and reads what several resources need
// once.
type reading struct {
	*libpod.Reader
	registry *registryAnswers
	scope    resource.Scope
	local    bool
	now      time.Time
	clock    clock
	known    map[string]bool // KIND/ID: to be read in full even if nothing marks it
	networks *networkNames
	images   map[string]*libpod.Image // by name or ID; nil: not on the host
	digest   func(plain string) string
	plain    func(resource.Digest) (string, bool)
}

func (h *host) reading() *reading {
	return &reading{Reader: h.Reader, registry: &h.registry, scope: h.scope(), local: h.local, now: h.clock(), clock: h.clock, digest: h.digest, plain: h.plain, images: map[string]*libpod.Image{}}
}

// Observe implements provider.Provider.
func (p *Provider) Observe(ctx context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
	h, err := p.resolved(ctx, r.Scope.Location)
	if err != nil {
		return resource.Snapshot{}, classify("observe", err)
	}
	g := h.reading()
	g.known = make(map[string]bool, len(r.Known))
	for _, b := range r.Known {
		g.known[b.Kind+"/"+b.ID] = true
	}
	snap := resource.Snapshot{Scope: g.scope, At: g.now, Complete: []string{}, Unreachable: map[string]error{}}
	for _, k := range kinds() {
		if r.Kinds != nil && !slices.Contains(r.Kinds, k.schema.Name) {
			continue
		}
		found, err := k.list(ctx, g)
		switch {
		case ctx.Err() != nil:
			return resource.Snapshot{}, classify("observe", context.Cause(ctx))
		case err != nil:
			snap.Unreachable[k.schema.Name] = classify("list "+k.schema.Name, err)
			continue
		}
		snap.Complete = append(snap.Complete, k.schema.Name)
		snap.Resources = append(snap.Resources, found...)
	}
	if len(snap.Complete) == 0 {
		for _, err := range snap.Unreachable {
			return resource.Snapshot{}, err
		}
	}
	slices.Sort(snap.Complete)
	slices.SortStableFunc(snap.Resources, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
	return snap, nil
}

// isKnown reports that a resource is to be read in full although its labels do not mark it.
func (g *reading) isKnown(kind, id string) bool { return g.known[kind+"/"+id] }

// image reads an image once; nil if it is not on the host.
func (g *reading) image(ctx context.Context, name string) (*libpod.Image, error) {
	if i, ok := g.images[name]; ok {
		return i, nil
	}
	i, err := g.Image(ctx, name)
	switch {
	case isMissingImage(err):
		g.images[name] = nil
	case err != nil:
		return nil, err
	default:
		g.images[name] = &i
	}
	return g.images[name], nil
}

// networkNames are the networks of a host.
type networkNames struct {
	all    []libpod.Network
	byName map[string]string
}

func (g *reading) networksOf(ctx context.Context) (*networkNames, error) {
	if g.networks != nil {
		return g.networks, nil
	}
	all, err := g.Networks(ctx)
	if err != nil {
		return nil, err
	}
	g.networks = &networkNames{all: all, byName: map[string]string{}}
	for _, n := range all {
		g.networks.byName[n.Name] = n.ID
	}
	return g.networks, nil
}

func (n *networkNames) byID(id string) (libpod.Network, bool) {
	for _, x := range n.all {
		if x.ID == id {
			return x, true
		}
	}
	return libpod.Network{}, false
}
