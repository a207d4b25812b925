package awsfake

import "time"

// internetGateway connects one network to the internet.
type internetGateway struct {
	base
	VPC string `json:"vpc,omitempty"`
}

func (*internetGateway) kind() string    { return kindInternetGateway }
func (g *internetGateway) clone() entity { c := *g; return &c }

// address is an Elastic IP. At most one of Instance, NAT and Interface has it; Interface is none of a launch.
type address struct {
	base
	IP          string `json:"ip"`
	Association string `json:"association,omitempty"`
	Instance    string `json:"instance,omitempty"`
	NAT         string `json:"nat,omitempty"`
	Interface   string `json:"interface,omitempty"`
}

func (*address) kind() string    { return kindAddress }
func (a *address) clone() entity { c := *a; return &c }

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

func (*natGateway) kind() string              { return kindNAT }
func (n *natGateway) clone() entity           { c := *n; return &c }
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

func (*routeTable) kind() string    { return kindRouteTable }
func (t *routeTable) clone() entity { c := *t; return &c }

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
