package network

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
)

// VPC is a network.
type VPC struct {
	core.Base
	CIDR         string    `json:"cidr"`
	Default      bool      `json:"default,omitempty"`
	Group        string    `json:"group"` // its default security group
	Tenancy      string    `json:"tenancy,omitempty"`
	DNSSupport   bool      `json:"dns_support"`
	DNSHostnames bool      `json:"dns_hostnames"`
	V6           []tie6    `json:"v6,omitempty"`
	Life         core.Life `json:"life"`
}

// Subnet is a part of a network in one zone.
type Subnet struct {
	core.Base
	VPC      string    `json:"vpc"`
	AZ       string    `json:"az"`
	CIDR     string    `json:"cidr"`
	Default  bool      `json:"default,omitempty"`
	PublicIP bool      `json:"public_ip,omitempty"` // MapPublicIpOnLaunch
	V6       []tie6    `json:"v6,omitempty"`
	Assign6  bool      `json:"assign6,omitempty"` // AssignIpv6AddressOnCreation
	Life     core.Life `json:"life"`
}

// SecurityGroup is a firewall and its rules.
type SecurityGroup struct {
	core.Base
	Name  string `json:"name"`
	About string `json:"about"`
	VPC   string `json:"vpc"`
	Rules []rule `json:"rules"`
}

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
func defaultGroup(b core.Base, vpcID string) *SecurityGroup {
	return &SecurityGroup{Base: b, Name: "default", About: "default VPC security group", VPC: vpcID, Rules: []rule{
		{ID: "sgr-" + b.ID[len("sg-"):], Proto: "-1", From: -1, To: -1, Group: b.ID},
		outward(b.ID),
	}}
}

// outward is the egress rule that every new group has ("Security group rules").
func outward(group string) rule {
	return rule{ID: "sgr-1" + group[len("sg-")+1:], Egress: true, Proto: "-1", From: -1, To: -1, CIDR4: "0.0.0.0/0"}
}

// Show fills in the attributes that a listing has for the kind.
func (v *VPC) Show(t *core.Tx, out *core.Resource) {
	out.State, out.Size, out.Default = v.Life.At(t.Now), v.CIDR, v.Default
}

// ByHand does what people do to it.
func (v *VPC) ByHand(h core.Hand, b core.Breakage) (string, error) {
	if b.Do != "delete" {
		return "", core.ErrCannot
	}
	return "", h.Call(v.Region, "ec2", "DeleteVpc", map[string]string{"VpcId": v.ID})
}

// CopyForm returns the parameters of a call that creates a copy.
func (v *VPC) CopyForm(core.Hand, core.Breakage) map[string]string {
	return map[string]string{"CidrBlock": v.CIDR}
}

// orderSubnet creates one of the default VPC, beside its default subnets.
func orderSubnet(h core.Hand, region string, form map[string]string) error {
	h.Furnish(region)
	usual := map[string]string{"CidrBlock": "10.99.0.0/16"}
	for _, v := range core.List[*VPC](h.Tx, region) {
		if v.Default {
			usual["VpcId"], usual["CidrBlock"] = v.ID, "172.31.240.0/24"
		}
	}
	return core.Ordered("ec2", "CreateSubnet", usual)(h, region, form)
}

// Show fills in the attributes that a listing has for the kind.
func (s *Subnet) Show(t *core.Tx, out *core.Resource) {
	out.State, out.Size, out.Default = s.Life.At(t.Now), s.CIDR, s.Default
}

// ByHand does what people do to it.
func (s *Subnet) ByHand(h core.Hand, b core.Breakage) (string, error) {
	if b.Do != "delete" {
		return "", core.ErrCannot
	}
	return "", h.Call(s.Region, "ec2", "DeleteSubnet", map[string]string{"SubnetId": s.ID})
}

// Show fills in the attributes that a listing has for the kind.
func (g *SecurityGroup) Show(_ *core.Tx, out *core.Resource) {
	out.Name, out.Default, out.Size = cmp.Or(out.Name, g.Name), g.Name == "default", strconv.Itoa(len(g.Rules))+" rules"
}

// CalledName returns a name beside its tags.
func (g *SecurityGroup) CalledName() string { return g.Name }

// CopyForm returns the parameters of a call that creates a copy.
func (g *SecurityGroup) CopyForm(_ core.Hand, b core.Breakage) map[string]string {
	return map[string]string{"VpcId": g.VPC, "GroupName": cmp.Or(b.Value, g.Name+"-copy")}
}

// ByHand deletes a group, or lets SSH from the networks of an office into it.
func (g *SecurityGroup) ByHand(h core.Hand, b core.Breakage) (string, error) {
	switch b.Do {
	case "delete":
		return "", h.Call(g.Region, "ec2", "DeleteSecurityGroup", map[string]string{"GroupId": g.ID})
	case "create":
		err := h.Call(g.Region, "ec2", "AuthorizeSecurityGroupIngress", map[string]string{
			"GroupId": g.ID, "IpPermissions.1.IpProtocol": "tcp", "IpPermissions.1.FromPort": "22",
			"IpPermissions.1.ToPort":            "22",
			"IpPermissions.1.IpRanges.1.CidrIp": "10.0.0.0/8", "IpPermissions.1.IpRanges.1.Description": "by hand",
		})
		if err != nil {
			return "", err
		}
		now, _ := core.Find[*SecurityGroup](h.Tx, g.Region, g.ID)
		return fmt.Sprintf("created security_group_rule %s in %s", now.Rules[len(now.Rules)-1].ID, g.ID), nil
	}
	return "", core.ErrCannot
}

// tie6 is an IPv6 block of a network or subnet.
type tie6 struct {
	ID   string    `json:"id"`
	CIDR string    `json:"cidr"`
	Life core.Life `json:"life"`
}

// held reports that the block is its holder's, or will be.
func (t tie6) held() bool { return t.Life.Final == associated }

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

// Show fills in the attributes that a listing has for the kind.
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

// Interface is one that was made by itself. That of a launch is a part of its instance, and is made from it
// where it is asked for.
type Interface struct {
	core.Base
	Subnet     string   `json:"subnet"`
	VPC        string   `json:"vpc"`
	AZ         string   `json:"az"`
	Groups     []string `json:"groups,omitempty"`
	Private    string   `json:"private_ip"`
	About      string   `json:"about,omitempty"`
	NoSrcCheck bool     `json:"no_source_dest_check,omitempty"`
	Tie        *nicTie  `json:"tie,omitempty"`
	// Requester is set for one that a service of AWS made.
	Requester bool      `json:"requester,omitempty"`
	Until     time.Time `json:"until,omitzero"` // when one that goes with its instance is gone
}

// nicTie is its attachment to an instance; Life ends in attached or detached.
type nicTie struct {
	ID       string    `json:"id"`
	Instance string    `json:"instance"`
	Index    int       `json:"index"`
	Kill     bool      `json:"delete_on_termination,omitempty"`
	At       time.Time `json:"at"`
	Life     core.Life `json:"life"`
}

// Gone reports whether time has ended it.
func (n *Interface) Gone(now time.Time) bool { return !n.Until.IsZero() && !now.Before(n.Until) }

// Parent is the instance that it is, or was last, attached to.
func (n *Interface) Parent() string {
	if n.Tie == nil {
		return ""
	}
	return n.Tie.Instance
}

// tie is the attachment at a moment, nil when there is none.
func (n *Interface) tie(now time.Time) *nicTie {
	if n.Tie == nil || n.Tie.Life.At(now) == "detached" {
		return nil
	}
	return n.Tie
}

func (n *Interface) status(now time.Time) string {
	if n.Requester || n.tie(now) != nil {
		return "in-use"
	}
	return "available"
}

// mac is a hardware address of those that anybody may give, from the ID.
func (n *Interface) mac() string {
	hex := strings.TrimPrefix(n.ID, "eni-")
	out := "02"
	for i := range 5 {
		out += ":" + hex[2*i:2*i+2]
	}
	return out
}

// Show fills in the attributes that a listing has for the kind.
func (n *Interface) Show(t *core.Tx, out *core.Resource) {
	out.State, out.Size = n.status(t.Now), n.Private
}

// CopyForm returns the parameters of a call that creates a copy.
func (n *Interface) CopyForm(core.Hand, core.Breakage) map[string]string {
	return map[string]string{"SubnetId": n.Subnet}
}

const associated = "associated"

const disassociated = "disassociated"
