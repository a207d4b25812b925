package aws_test

import (
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

// site6 is a VPC with IPv6 addresses.
func site6(t *testing.T) *site {
	s := &site{liveState: newLiveState(t)}
	s.vpc = s.make(networkOf(t, values{"ipv6": resource.Bool(true)})).ID
	return s
}

func (s *site) subnet6(more values) resource.Desired {
	s.t.Helper()
	a := values{"vpc": text(s.vpc), "cidr": text("10.0.1.0/24"), "zone": text("us-east-1a")}
	for k, v := range more {
		a[k] = v
	}
	return desired(s.t, "subnet", "a", a)
}

func numbered(n int64, assigns bool) values {
	return values{"ipv6_block": resource.Int(n), "assign_ipv6": resource.Bool(assigns)}
}

func TestASubnetHasAPartOfTheIPv6Addresses(t *testing.T) {
	t.Parallel()
	s := site6(t)
	vpc, _ := s.find(ref("vpc", "main"))
	base := strings.TrimSuffix(attrOf(vpc, "ipv6_cidr"), "00::/56")
	d := s.subnet6(numbered(10, true))
	o := s.make(d)
	s.settled(d, nil)
	if got := attrOf(o, "ipv6_cidr"); got != base+"0a::/64" {
		t.Errorf("block 10 of %s is %s", attrOf(vpc, "ipv6_cidr"), got)
	}
	if c := changes(t, s.subnet6(nil), o, nil); len(c) > 0 {
		t.Errorf("not configured, it stays as found: %+v", c)
	}
	for _, next := range []values{numbered(255, true), numbered(0, false), numbered(0, true), numbered(7, false), {"ipv6_block": resource.Int(8)}} {
		d = s.subnet6(next)
		s.mustUpdate(d, o, nil)
		o = s.settled(d, nil)
	}
	if err := s.remove(o); err != nil {
		t.Fatal(err)
	}
}

// What it assigned stays so where the configuration does not name it, although the move turns it off on the way.
func TestAMoveKeepsWhatASubnetAssigns(t *testing.T) {
	t.Parallel()
	s := site6(t)
	o := s.make(s.subnet6(numbered(1, true)))
	o = s.mustUpdate(s.subnet6(values{"ipv6_block": resource.Int(2)}), o, nil)
	s.settled(s.subnet6(numbered(2, true)), nil)
	if n := s.count("ec2.DisassociateSubnetCidrBlock"); n != 1 {
		t.Errorf("%d blocks were disassociated", n)
	}
	s.mustUpdate(s.subnet6(values{"public_ip": resource.Bool(true)}), o, nil)
	if n := s.count("ec2.AssociateSubnetCidrBlock"); n != 1 {
		t.Errorf("%d blocks were given", n)
	}
}

func TestAnExistingNetworkGetsIPv6(t *testing.T) {
	t.Parallel()
	s := &site{liveState: newLiveState(t)}
	vpc := s.make(networkOf(t, nil))
	s.vpc = vpc.ID
	o := s.make(s.subnet6(nil))
	d := s.subnet6(numbered(3, true))
	hasty := hasty(s.liveState)
	r := s.request(d)
	r.Have, r.Changes = o, changes(t, d, o, nil)
	if _, err := hasty.Update(t.Context(), r); provider.CauseOf(err) != provider.Configuration || !strings.Contains(errorText(err), "set ipv6: true") {
		t.Errorf("a VPC without IPv6: %v", errorText(err))
	}
	s.mustUpdate(networkOf(t, values{"ipv6": resource.Bool(true)}), vpc, nil)
	s.mustUpdate(d, o, nil)
	s.settled(d, nil)

	without := networkOf(t, values{"ipv6": resource.Bool(false)})
	vpc, _ = s.find(without.Ref)
	s.p = hasty
	if _, err := s.update(without, vpc, nil); provider.CauseOf(err) != provider.InUse || !strings.Contains(errorText(err), o.ID) {
		t.Errorf("disassociated under a subnet: %v", errorText(err))
	}
}

func TestASubnetByHandIsFoundWithItsIPv6(t *testing.T) {
	t.Parallel()
	s := site6(t)
	vpc, _ := s.find(ref("vpc", "main"))
	cidr := strings.TrimSuffix(attrOf(vpc, "ipv6_cidr"), "00::/56") + "ff::/64"
	made := must[*ec2.CreateSubnetOutput](t)(s.ec2().CreateSubnet(t.Context(), &ec2.CreateSubnetInput{VpcId: &s.vpc, CidrBlock: sdk.String("10.0.9.0/24"), Ipv6CidrBlock: &cidr}))
	must[*ec2.ModifySubnetAttributeOutput](t)(s.ec2().ModifySubnetAttribute(t.Context(), &ec2.ModifySubnetAttributeInput{
		SubnetId: made.Subnet.SubnetId, AssignIpv6AddressOnCreation: &types.AttributeBooleanValue{Value: sdk.Bool(true)},
	}))
	for _, o := range s.observed().Resources {
		if o.ID == *made.Subnet.SubnetId {
			if c := changes(t, s.subnet6(values{"cidr": text("10.0.9.0/24"), "zone": text(*made.Subnet.AvailabilityZone), "ipv6_block": resource.Int(255), "assign_ipv6": resource.Bool(true)}), o, nil); len(c) > 0 {
				t.Errorf("%+v", c)
			}
			return
		}
	}
	t.Error("it is not listed")
}

func TestLostAnswersOfIPv6OfSubnets(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"CreateSubnet", "AssociateSubnetCidrBlock", "DisassociateSubnetCidrBlock", "ModifySubnetAttribute"} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			s := site6(t)
			s.fault(sandbox.Fault{Kind: sandbox.Lost, Service: "ec2", Action: call, Times: 1})
			d := s.subnet6(numbered(1, true))
			s.create(d)
			have := s.settled(d, nil)
			d = s.subnet6(numbered(2, true))
			s.retried(d, have)
			have = s.settled(d, nil)
			out := must[*ec2.DescribeSubnetsOutput](t)(s.ec2().DescribeSubnets(t.Context(), &ec2.DescribeSubnetsInput{SubnetIds: []string{have.ID}}))
			if n := len(out.Subnets[0].Ipv6CidrBlockAssociationSet); n != 1 {
				t.Errorf("%d blocks", n)
			}
		})
	}
}

func TestIPv6WithMistakes(t *testing.T) {
	for path, a := range map[string]values{
		"assign_ipv6": {"assign_ipv6": resource.Bool(true)},
		"ipv6_block":  {"ipv6_block": resource.Int(256)},
	} {
		a["vpc"], a["cidr"] = text("vpc-1"), text("10.0.1.0/24")
		if _, problems := resource.Check(kindOf(t, "subnet"), resource.AttrsOf(a)); len(problems) != 1 || problems[0].Path != path {
			t.Errorf("%s: %+v", path, problems)
		}
	}
}
