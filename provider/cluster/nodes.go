package cluster

import (
	"context"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/cluster/docker"
)

// program is what the provider knows about kind or k3d: how they mark their containers.
type program struct {
	name       string
	label      string // of a container: the cluster that it is of
	role       string // of a container: the label of its role
	server     string // the role of a server
	balancer   string // the role of a load balancer
	kubeconfig string // the file in a server
}

func programs() []program {
	return []program{
		{name: withKind, label: "io.x-k8s.kind.cluster", role: "io.x-k8s.kind.role", server: "control-plane", balancer: "external-load-balancer", kubeconfig: "/etc/kubernetes/admin.conf"},
		{name: withK3d, label: "k3d.cluster", role: "k3d.role", server: "server", balancer: "loadbalancer", kubeconfig: "/output/kubeconfig.yaml"},
	}
}

// found is a cluster as the engine lists its containers.
type found struct {
	program
	name    string // of the cluster
	id      string // of its first server; "": it has none
	servers []docker.Summary
	others  []docker.Summary // agents, workers, load balancers
}

// nodes are all its containers, in the order in which they start.
func (f *found) nodes() []docker.Summary { return slices.Concat(f.servers, f.others) }

// clusters lists everything that kind and k3d left on the engine, sorted by name. The list is complete, or
// an error.
func (h *host) clusters(ctx context.Context) (out []*found, err error) {
	for _, p := range programs() {
		list, err := h.Containers(ctx, p.label)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(list, func(a, b docker.Summary) int { return strings.Compare(a.Name(), b.Name()) })
		byName := map[string]*found{}
		for _, c := range list {
			name := c.Labels[p.label]
			f := byName[name]
			if f == nil {
				f = &found{program: p, name: name}
				byName[name] = f
				out = append(out, f)
			}
			f.add(c)
		}
	}
	slices.SortStableFunc(out, func(a, b *found) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

func (f *found) add(c docker.Summary) {
	switch role := c.Labels[f.role]; {
	case role == f.server:
		f.servers = append(f.servers, c)
		f.id = f.servers[0].ID
	case role == f.balancer:
		f.others = append(f.others, c) // after the workers in time, by its name
	default:
		f.others = slices.Insert(f.others, 0, c)
	}
}

// named finds what is left of a cluster of a name; nil if there is nothing.
func (h *host) named(ctx context.Context, with, name string) (*found, error) {
	return h.one(ctx, func(f *found) bool { return f.name == name && f.program.name == with })
}

// byID finds the cluster whose first server has an ID; nil if there is none.
func (h *host) byID(ctx context.Context, id string) (*found, error) {
	return h.one(ctx, func(f *found) bool { return f.id == id })
}

func (h *host) one(ctx context.Context, is func(*found) bool) (*found, error) {
	all, err := h.clusters(ctx)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i], nil
	}
	return nil, nil
}
