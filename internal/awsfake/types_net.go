package awsfake

import "slices"

// vpc is a network.
type vpc struct {
	base
	CIDR         string `json:"cidr"`
	Default      bool   `json:"default,omitempty"`
	Group        string `json:"group"` // its default security group
	Tenancy      string `json:"tenancy,omitempty"`
	DNSSupport   bool   `json:"dns_support"`
	DNSHostnames bool   `json:"dns_hostnames"`
	V6           []tie6 `json:"v6,omitempty"`
	Life         life   `json:"life"`
}

func (*vpc) kind() string    { return kindVPC }
func (v *vpc) clone() entity { c := *v; c.V6 = slices.Clone(v.V6); return &c }

// subnet is a part of a network in one zone.
type subnet struct {
	base
	VPC      string `json:"vpc"`
	AZ       string `json:"az"`
	CIDR     string `json:"cidr"`
	Default  bool   `json:"default,omitempty"`
	PublicIP bool   `json:"public_ip,omitempty"` // MapPublicIpOnLaunch
	V6       []tie6 `json:"v6,omitempty"`
	Assign6  bool   `json:"assign6,omitempty"` // AssignIpv6AddressOnCreation
	Life     life   `json:"life"`
}

func (*subnet) kind() string    { return kindSubnet }
func (s *subnet) clone() entity { c := *s; c.V6 = slices.Clone(s.V6); return &c }

// securityGroup is a firewall and its rules.
type securityGroup struct {
	base
	Name  string `json:"name"`
	About string `json:"about"`
	VPC   string `json:"vpc"`
	Rules []rule `json:"rules"`
}

func (*securityGroup) kind() string    { return kindGroup }
func (g *securityGroup) clone() entity { c := *g; return &c }

// rule is one permission. Exactly one of CIDR4, CIDR6, Group and List says
// where from or to.
type rule struct {
	ID     string `json:"id"`
	Egress bool   `json:"egress,omitempty"`
	Proto  string `json:"proto"` // tcp, udp, icmp, icmpv6, a number, or -1 for all
	From   int    `json:"from"`
	To     int    `json:"to"`
	CIDR4  string `json:"cidr4,omitempty"`
	CIDR6  string `json:"cidr6,omitempty"`
	Group  string `json:"group,omitempty"`
	// Account is that of Group, if it is another one.
	Account string            `json:"account,omitempty"`
	List    string            `json:"list,omitempty"`
	About   string            `json:"about,omitempty"`
	Tags    map[string]string `json:"tags,omitempty"`
}

// defaultGroup is the group that a network is born with: its members may talk
// to each other, and to everyone outwards ("Default security groups").
func defaultGroup(b base, vpcID string) *securityGroup {
	return &securityGroup{base: b, Name: "default", About: "default VPC security group", VPC: vpcID, Rules: []rule{
		{ID: "sgr-" + b.ID[len("sg-"):], Proto: "-1", From: -1, To: -1, Group: b.ID},
		outward(b.ID),
	}}
}

// outward is the egress rule that every new group has ("Security group rules").
func outward(group string) rule {
	return rule{ID: "sgr-1" + group[len("sg-")+1:], Egress: true, Proto: "-1", From: -1, To: -1, CIDR4: "0.0.0.0/0"}
}
