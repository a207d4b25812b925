package network

import (
	"strconv"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
)

// InternetGateway connects one network to the internet.
type InternetGateway struct {
	core.Base
	VPC string `json:"vpc,omitempty"`
}

// address is an Elastic IP. At most one of Instance, NAT and Interface has it; Interface is none of a launch.
type address struct {
	core.Base
	IP          string `json:"ip"`
	Association string `json:"association,omitempty"`
	Instance    string `json:"instance,omitempty"`
	NAT         string `json:"nat,omitempty"`
	Interface   string `json:"interface,omitempty"`
}

// natGateway is listed for a while after it was deleted.
type natGateway struct {
	core.Base
	Subnet  string    `json:"subnet"`
	VPC     string    `json:"vpc"`
	Address string    `json:"address,omitempty"` // the allocation
	Public  string    `json:"public,omitempty"`
	Local   string    `json:"local"`
	Type    string    `json:"type"`
	Failure string    `json:"failure,omitempty"` // code and message, separated by a space
	Life    core.Life `json:"life"`
	Until   time.Time `json:"until,omitzero"`
}

func (n *natGateway) Gone(now time.Time) bool { return !n.Until.IsZero() && now.After(n.Until) }

// dead reports that it is being deleted, or was.
func (n *natGateway) dead() bool { return !n.Until.IsZero() }

// routeTable has the routes of subnets besides the one to its own network.
type routeTable struct {
	core.Base
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

func (g *InternetGateway) Show(t *core.Tx, out *core.Resource) {
	v, ok := core.Find[*VPC](t, g.Region, g.VPC)
	out.Default = ok && v.Default
}

func (a *address) Show(_ *core.Tx, out *core.Resource) { out.Size = a.IP }

func (n *natGateway) Show(t *core.Tx, out *core.Resource) { out.State = n.Life.At(t.Now) }

func (t *routeTable) Show(_ *core.Tx, out *core.Resource) {
	out.Default, out.Size = t.Main, strconv.Itoa(len(t.Routes))+" routes"
}

// endpoint is a private way from a network to a service. It is listed for a while after it was deleted.
type endpoint struct {
	core.Base
	VPC     string    `json:"vpc"`
	Service string    `json:"service"`
	Type    string    `json:"type"`
	Tables  []string  `json:"tables,omitempty"`
	Subnets []string  `json:"subnets,omitempty"`
	Groups  []string  `json:"groups,omitempty"`
	Private bool      `json:"private,omitempty"`
	Policy  string    `json:"policy"`
	Life    core.Life `json:"life"`
	Until   time.Time `json:"until,omitzero"`
}

func (e *endpoint) Gone(now time.Time) bool { return !e.Until.IsZero() && now.After(e.Until) }

func (e *endpoint) Show(t *core.Tx, out *core.Resource) {
	out.State, out.Size = e.Life.At(t.Now), e.Service
}
