package awsfake

import (
	"strconv"
	"time"
)

// internetGateway connects one network to the internet.
type internetGateway struct {
	base
	VPC string `json:"vpc,omitempty"`
}

// address is an Elastic IP. At most one of Instance, NAT and Interface has it; Interface is none of a launch.
type address struct {
	base
	IP          string `json:"ip"`
	Association string `json:"association,omitempty"`
	Instance    string `json:"instance,omitempty"`
	NAT         string `json:"nat,omitempty"`
	Interface   string `json:"interface,omitempty"`
}

// natGateway is listed for a while after it was deleted.
type natGateway struct {
	base
	Subnet  string    `json:"subnet"`
	VPC     string    `json:"vpc"`
	Address string    `json:"address,omitempty"` // the allocation
	Public  string    `json:"public,omitempty"`
	Local   string    `json:"local"`
	Type    string    `json:"type"`
	Failure string    `json:"failure,omitempty"` // code and message, separated by a space
	Life    life      `json:"life"`
	Until   time.Time `json:"until,omitzero"`
}

func (n *natGateway) gone(now time.Time) bool { return !n.Until.IsZero() && now.After(n.Until) }

// dead reports that it is being deleted, or was.
func (n *natGateway) dead() bool { return !n.Until.IsZero() }

// routeTable has the routes of subnets besides the one to its own network.
type routeTable struct {
	base
	VPC    string  `json:"vpc"`
	Main   bool    `json:"main,omitempty"`
	Routes []route `json:"routes,omitempty"`
	Ties   []tie   `json:"ties,omitempty"`
}

// route goes to one target: a gateway, a NAT gateway, an instance or what another prefix means.
type route struct {
	CIDR   string `json:"cidr"`
	Target string `json:"target"`
}

// tie is the association of a subnet.
type tie struct {
	ID     string `json:"id"`
	Subnet string `json:"subnet"`
}

func (g *internetGateway) show(t *tx, out *Resource) {
	v, ok := find[*vpc](t, g.Region, g.VPC)
	out.Default = ok && v.Default
}

func (a *address) show(_ *tx, out *Resource) { out.Size = a.IP }

func (n *natGateway) show(t *tx, out *Resource) { out.State = n.Life.at(t.now) }

func (t *routeTable) show(_ *tx, out *Resource) {
	out.Default, out.Size = t.Main, strconv.Itoa(len(t.Routes))+" routes"
}

// endpoint is a private way from a network to a service. It is listed for a while after it was deleted.
type endpoint struct {
	base
	VPC     string    `json:"vpc"`
	Service string    `json:"service"`
	Type    string    `json:"type"`
	Tables  []string  `json:"tables,omitempty"`
	Subnets []string  `json:"subnets,omitempty"`
	Groups  []string  `json:"groups,omitempty"`
	Private bool      `json:"private,omitempty"`
	Policy  string    `json:"policy"`
	Life    life      `json:"life"`
	Until   time.Time `json:"until,omitzero"`
}

func (e *endpoint) gone(now time.Time) bool { return !e.Until.IsZero() && now.After(e.Until) }

func (e *endpoint) show(t *tx, out *Resource) { out.State, out.Size = e.Life.at(t.now), e.Service }
