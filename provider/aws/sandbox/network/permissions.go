package network

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// readRules reads the rules that a request spells, one for each source.
func readRules(x *core.Exchange, g *SecurityGroup, egress bool) ([]rule, error) {
	var out []rule
	perms := x.P.Items("IpPermissions")
	if len(perms) == 0 && x.P.Has("IpProtocol") {
		perms = []*wire.Params{flatPermission(x.P)}
	}
	for _, p := range perms {
		r := rule{Egress: egress}
		var err error
		if r.Proto, r.From, r.To, err = readPorts(p); err != nil {
			return nil, err
		}
		before := len(out)
		for _, s := range p.Items("IpRanges") {
			c := r
			if c.CIDR4, err = cleanCIDR(s.Str("CidrIp"), true); err != nil {
				return nil, err
			}
			c.About = s.Str("Description")
			out = append(out, c)
		}
		for _, s := range p.Items("Ipv6Ranges") {
			c := r
			if c.CIDR6, err = cleanCIDR(s.Str("CidrIpv6"), false); err != nil {
				return nil, err
			}
			c.About = s.Str("Description")
			out = append(out, c)
		}
		for _, s := range p.Items("PrefixListIds") {
			c := r
			c.List, c.About = s.Str("PrefixListId"), s.Str("Description")
			out = append(out, c)
		}
		for _, s := range p.Items("Groups") {
			c := r
			if c.Group, err = peer(x, g, s); err != nil {
				return nil, err
			}
			if owner := s.Str("UserId"); owner != x.Account {
				c.Account = owner
			}
			c.About = s.Str("Description")
			out = append(out, c)
		}
		if len(out) == before {
			return nil, wire.Failf("InvalidParameterCombination", "A rule needs a source or destination.")
		}
	}
	for _, r := range out {
		if badText(r.About) || len(r.About) > 255 {
			return nil, wire.Failf("InvalidParameterValue",
				"Invalid rule description. Valid descriptions are strings less than 256 characters from the following set: "+
					"a-zA-Z0-9. _-:/()#,@[]+=&;{}!$*")
		}
	}
	return out, nil
}

// flatPermission is the old form of one IPv4 rule without IpPermissions.
func flatPermission(p *wire.Params) *wire.Params {
	out := &wire.Params{}
	for _, name := range []string{"IpProtocol", "FromPort", "ToPort"} {
		if n := p.At(name); n != nil {
			out.Grow(name).Val = n.Val
			n.Read = true
		}
	}
	out.Grow("IpRanges").Grow("1").Grow("CidrIp").Val = p.Str("CidrIp")
	return out
}

// peer is the group that a rule names. One of another account is taken for one in a VPC that is peered with this one
// ("Update your security groups to reference peer security groups").
func peer(x *core.Exchange, g *SecurityGroup, s *wire.Params) (string, error) {
	s.Str("VpcId")
	if id, owner := s.Str("GroupId"), s.Str("UserId"); owner != "" && owner != x.Account {
		return id, ec2.Shaped(id, "InvalidGroup.NotFound")
	}
	if id := s.Str("GroupId"); id != "" {
		if _, ok := core.Find[*SecurityGroup](x.Tx, x.Region, id); !ok {
			return "", ec2.NotFound(id, "InvalidGroup.NotFound")
		}
		return id, nil
	}
	name := s.Str("GroupName")
	if other := groupNamed(x, name, g.VPC); other != nil {
		return other.ID, nil
	}
	return "", ec2.NotFound(name, "InvalidGroup.NotFound")
}

// readPorts: -1 means every protocol and every port; tcp and udp need ports;
// protocols given as numbers come back by name (EC2 API reference: IpPermission).
func readPorts(p *wire.Params) (string, int, int, error) {
	proto := strings.ToLower(p.Str("IpProtocol"))
	if name, ok := map[string]string{"6": "tcp", "17": "udp", "1": "icmp", "58": "icmpv6", "all": "-1"}[proto]; ok {
		proto = name
	}
	from, err := p.Num("FromPort", -1)
	if err != nil {
		return "", 0, 0, err
	}
	to, err := p.Num("ToPort", -1)
	if err != nil {
		return "", 0, 0, err
	}
	switch proto {
	case "":
		return "", 0, 0, wire.Missing("ipProtocol")
	case "-1":
		return proto, -1, -1, nil
	case "tcp", "udp":
		if from < 0 || to > 65535 || from > to {
			return "", 0, 0, wire.Failf("InvalidParameterValue",
				"Invalid value '%d-%d' for portRange. Must specify both from and to ports with TCP/UDP, from 0 to 65535.", from, to)
		}
	case "icmp", "icmpv6":
	default:
		if n, err := strconv.Atoi(proto); err != nil || n < 0 || n > 255 {
			return "", 0, 0, wire.Failf("InvalidParameterValue", "Invalid value '%s' for IP protocol. Unknown protocol.", proto)
		}
		from, to = -1, -1
	}
	return proto, from, to, nil
}

// cleanCIDR takes a block as AWS stores it: with the host bits cut off.
func cleanCIDR(s string, v4 bool) (string, error) {
	p, err := netip.ParsePrefix(s)
	if err != nil || p.Addr().Is4() != v4 {
		return "", wire.Failf("InvalidParameterValue", "CIDR block %s is malformed", s)
	}
	return p.Masked().String(), nil
}
