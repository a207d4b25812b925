package balance

import (
	"slices"
	"strconv"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
)

// The IDs of load balancers, target groups and listeners are their ARNs.

type loadBalancer struct {
	core.Base
	Name    string    `json:"name"`
	Type    string    `json:"type"`
	Scheme  string    `json:"scheme"`
	VPC     string    `json:"vpc"`
	Subnets []string  `json:"subnets"`
	Groups  []string  `json:"groups,omitempty"`
	Life    core.Life `json:"life"`
}

type targetGroup struct {
	core.Base
	Name     string            `json:"name"`
	VPC      string            `json:"vpc"`
	Port     int               `json:"port"`
	Protocol string            `json:"protocol"`
	Target   string            `json:"target"`
	Health   map[string]string `json:"health"`
}

type listener struct {
	core.Base
	Balancer    string            `json:"balancer"`
	Port        int               `json:"port"`
	Protocol    string            `json:"protocol"`
	Certificate string            `json:"certificate,omitempty"`
	Targets     string            `json:"targets,omitempty"`
	Redirect    map[string]string `json:"redirect,omitempty"`
}

func (l *listener) Parent() string { return l.Balancer }

func (b *loadBalancer) Show(t *core.Tx, out *core.Resource) {
	out.Name, out.State, out.Size = b.Name, b.Life.At(t.Now), b.Type
}

// Uses are the subnets in which it has network interfaces, its groups, and the network where it is public.
func (b *loadBalancer) Uses(*core.Tx) []string {
	out := slices.Concat(b.Subnets, b.Groups)
	if b.Scheme != "internal" {
		out = append(out, b.VPC)
	}
	return out
}

func (t *targetGroup) Show(_ *core.Tx, out *core.Resource) {
	out.Name, out.Size = t.Name, t.Protocol+" "+strconv.Itoa(t.Port)
}

func (l *listener) Show(_ *core.Tx, out *core.Resource) {
	out.Size = l.Protocol + " " + strconv.Itoa(l.Port)
}

func (l *listener) Uses(*core.Tx) []string { return []string{l.Certificate} }
