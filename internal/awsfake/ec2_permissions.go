package awsfake

import (
	"net/netip"
	"strconv"
	"strings"
)

// readRules reads the rules that a request spells, one for each source.
func readRules(x *exchange, g *securityGroup, egress bool) ([]rule, error) {
	var out []rule
	perms := x.p.items("IpPermissions")
	if len(perms) == 0 && x.p.has("IpProtocol") {
		perms = []*params{flatPermission(x.p)}
	}
	for _, p := range perms {
		r := rule{Egress: egress}
		var err error
		if r.Proto, r.From, r.To, err = readPorts(p); err != nil {
			return nil, err
		}
		before := len(out)
		for _, s := range p.items("IpRanges") {
			c := r
			if c.CIDR4, err = cleanCIDR(s.str("CidrIp"), true); err != nil {
				return nil, err
			}
			c.About = s.str("Description")
			out = append(out, c)
		}
		for _, s := range p.items("Ipv6Ranges") {
			c := r
			if c.CIDR6, err = cleanCIDR(s.str("CidrIpv6"), false); err != nil {
				return nil, err
			}
			c.About = s.str("Description")
			out = append(out, c)
		}
		for _, s := range p.items("PrefixListIds") {
			c := r
			c.List, c.About = s.str("PrefixListId"), s.str("Description")
			out = append(out, c)
		}
		for _, s := range p.items("Groups") {
			c := r
			if c.Group, err = peer(x, g, s); err != nil {
				return nil, err
			}
			if owner := s.str("UserId"); owner != x.account {
				c.Account = owner
			}
			c.About = s.str("Description")
			out = append(out, c)
		}
		if len(out) == before {
			return nil, failf("InvalidParameterCombination", "A rule needs a source or destination.")
		}
	}
	for _, r := range out {
		if badText(r.About) || len(r.About) > 255 {
			return nil, failf("InvalidParameterValue", "Invalid rule description. Valid descriptions are strings less than 256 characters from the following set: a-zA-Z0-9. _-:/()#,@[]+=&;{}!$*")
		}
	}
	return out, nil
}

// flatPermission is the old form of one IPv4 rule without IpPermissions.
func flatPermission(p *params) *params {
	out := &params{}
	for _, name := range []string{"IpProtocol", "FromPort", "ToPort"} {
		if n := p.at(name); n != nil {
			out.grow(name).val = n.val
			n.read = true
		}
	}
	out.grow("IpRanges").grow("1").grow("CidrIp").val = p.str("CidrIp")
	return out
}

// peer is the group that a rule names. One of another account is taken for one in a VPC that is peered with this one
// ("Update your security groups to reference peer security groups").
func peer(x *exchange, g *securityGroup, s *params) (string, error) {
	s.str("VpcId")
	if id, owner := s.str("GroupId"), s.str("UserId"); owner != "" && owner != x.account {
		return id, shaped(id, "InvalidGroup.NotFound")
	}
	if id := s.str("GroupId"); id != "" {
		if _, ok := find[*securityGroup](x.tx, x.Region, id); !ok {
			return "", notFound(id, "InvalidGroup.NotFound")
		}
		return id, nil
	}
	name := s.str("GroupName")
	if other := groupNamed(x, name, g.VPC); other != nil {
		return other.ID, nil
	}
	return "", notFound(name, "InvalidGroup.NotFound")
}

// readPorts: -1 means every protocol and every port; tcp and udp need ports;
// protocols given as numbers come back by name (EC2 API reference: IpPermission).
func readPorts(p *params) (string, int, int, error) {
	proto := strings.ToLower(p.str("IpProtocol"))
	if name, ok := map[string]string{"6": "tcp", "17": "udp", "1": "icmp", "58": "icmpv6", "all": "-1"}[proto]; ok {
		proto = name
	}
	from, err := p.num("FromPort", -1)
	if err != nil {
		return "", 0, 0, err
	}
	to, err := p.num("ToPort", -1)
	if err != nil {
		return "", 0, 0, err
	}
	switch proto {
	case "":
		return "", 0, 0, missing("ipProtocol")
	case "-1":
		return proto, -1, -1, nil
	case "tcp", "udp":
		if from < 0 || to > 65535 || from > to {
			return "", 0, 0, failf("InvalidParameterValue", "Invalid value '%d-%d' for portRange. Must specify both from and to ports with TCP/UDP, from 0 to 65535.", from, to)
		}
	case "icmp", "icmpv6":
	default:
		if n, err := strconv.Atoi(proto); err != nil || n < 0 || n > 255 {
			return "", 0, 0, failf("InvalidParameterValue", "Invalid value '%s' for IP protocol. Unknown protocol.", proto)
		}
		from, to = -1, -1
	}
	return proto, from, to, nil
}

// cleanCIDR takes a block as AWS stores it: with the host bits cut off.
func cleanCIDR(s string, v4 bool) (string, error) {
	p, err := netip.ParsePrefix(s)
	if err != nil || p.Addr().Is4() != v4 {
		return "", failf("InvalidParameterValue", "CIDR block %s is malformed", s)
	}
	return p.Masked().String(), nil
}
