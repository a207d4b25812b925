package awsfake

import (
	"slices"
	"strconv"
)

// The IDs of load balancers, target groups and listeners are their ARNs.

type loadBalancer struct {
	base
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Scheme  string   `json:"scheme"`
	VPC     string   `json:"vpc"`
	Subnets []string `json:"subnets"`
	Groups  []string `json:"groups,omitempty"`
	Life    life     `json:"life"`
}

type targetGroup struct {
	base
	Name     string            `json:"name"`
	VPC      string            `json:"vpc"`
	Port     int               `json:"port"`
	Protocol string            `json:"protocol"`
	Target   string            `json:"target"`
	Health   map[string]string `json:"health"`
}

type listener struct {
	base
	Balancer    string            `json:"balancer"`
	Port        int               `json:"port"`
	Protocol    string            `json:"protocol"`
	Certificate string            `json:"certificate,omitempty"`
	Targets     string            `json:"targets,omitempty"`
	Redirect    map[string]string `json:"redirect,omitempty"`
}

func (l *listener) parent() string { return l.Balancer }

func (b *loadBalancer) show(t *tx, out *Resource) {
	out.Name, out.State, out.Size = b.Name, b.Life.at(t.now), b.Type
}

// uses are the subnets in which it has network interfaces, its groups, and the network where it is public.
func (b *loadBalancer) uses(*tx) []string {
	out := slices.Concat(b.Subnets, b.Groups)
	if b.Scheme != "internal" {
		out = append(out, b.VPC)
	}
	return out
}

func (t *targetGroup) show(_ *tx, out *Resource) {
	out.Name, out.Size = t.Name, t.Protocol+" "+strconv.Itoa(t.Port)
}

func (l *listener) show(_ *tx, out *Resource) { out.Size = l.Protocol + " " + strconv.Itoa(l.Port) }

func (l *listener) uses(*tx) []string { return []string{l.Certificate} }
