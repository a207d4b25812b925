package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/cluster/docker"
	"github.com/ovi-project/ovi/provider/cluster/k3d"
	"github.com/ovi-project/ovi/provider/cluster/kind"
	"github.com/ovi-project/ovi/provider/cluster/program"
)

// found is a cluster as the engine lists its containers.
type found struct {
	program.Program
	name    string // of the cluster
	id      string // of its first server; "" means that it has none
	servers []docker.Summary
	others  []docker.Summary // agents, workers, load balancers
}

// nodes are all its containers, in the order in which they start.
func (f *found) nodes() []docker.Summary { return slices.Concat(f.servers, f.others) }

// clusters lists everything that kind and k3d left on the engine, sorted by name. The list is complete, or
// an error.
func (h *Host) clusters(ctx context.Context) (out []*found, err error) {
	for _, p := range []program.Program{kind.Program(), k3d.Program()} {
		list, err := h.Containers(ctx, p.Label)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(list, func(a, b docker.Summary) int { return strings.Compare(a.Name(), b.Name()) })
		byName := map[string]*found{}
		for _, c := range list {
			name := c.Labels[p.Label]
			f := byName[name]
			if f == nil {
				f = &found{Program: p, name: name}
				byName[name] = f
				out = append(out, f)
			}
			switch role := c.Labels[f.Role]; {
			case role == f.Server:
				f.servers = append(f.servers, c)
				f.id = f.servers[0].ID
			case role == f.Balancer:
				f.others = append(f.others, c) // after the workers in time, by its name
			default:
				f.others = slices.Insert(f.others, 0, c)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *found) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// named finds what is left of a cluster of a name; nil if there is nothing.
func (h *Host) named(ctx context.Context, with, name string) (*found, error) {
	return h.one(ctx, func(f *found) bool { return f.name == name && f.Program.Name == with })
}

// byID finds the cluster whose first server has an ID; nil if there is none.
func (h *Host) byID(ctx context.Context, id string) (*found, error) {
	return h.one(ctx, func(f *found) bool { return f.id == id })
}

func (h *Host) one(ctx context.Context, is func(*found) bool) (*found, error) {
	all, err := h.clusters(ctx)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i], nil
	}
	return nil, nil
}
