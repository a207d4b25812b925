package network

import (
	"cmp"
	"fmt"
	"strconv"

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

func (v *VPC) Show(t *core.Tx, out *core.Resource) {
	out.State, out.Size, out.Default = v.Life.At(t.Now), v.CIDR, v.Default
}

func (v *VPC) ByHand(h core.Hand, b core.Breakage) (string, error) {
	if b.Do != "delete" {
		return "", core.ErrCannot
	}
	return "", h.Call(v.Region, "ec2", "DeleteVpc", map[string]string{"VpcId": v.ID})
}

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

func (s *Subnet) Show(t *core.Tx, out *core.Resource) {
	out.State, out.Size, out.Default = s.Life.At(t.Now), s.CIDR, s.Default
}

func (s *Subnet) ByHand(h core.Hand, b core.Breakage) (string, error) {
	if b.Do != "delete" {
		return "", core.ErrCannot
	}
	return "", h.Call(s.Region, "ec2", "DeleteSubnet", map[string]string{"SubnetId": s.ID})
}

func (g *SecurityGroup) Show(_ *core.Tx, out *core.Resource) {
	out.Name, out.Default, out.Size = cmp.Or(out.Name, g.Name), g.Name == "default", strconv.Itoa(len(g.Rules))+" rules"
}

func (g *SecurityGroup) CalledName() string { return g.Name }

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
			"GroupId": g.ID, "IpPermissions.1.IpProtocol": "tcp", "IpPermissions.1.FromPort": "22", "IpPermissions.1.ToPort": "22",
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
