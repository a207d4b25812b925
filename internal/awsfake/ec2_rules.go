package awsfake

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

type xmlRange struct {
	CIDR  string `xml:"cidrIp"`
	About string `xml:"description,omitempty"`
}

type xmlRange6 struct {
	CIDR  string `xml:"cidrIpv6"`
	About string `xml:"description,omitempty"`
}

type xmlPair struct {
	Owner string `xml:"userId"`
	ID    string `xml:"groupId"`
	About string `xml:"description,omitempty"`
}

type xmlList6 struct {
	ID    string `xml:"prefixListId"`
	About string `xml:"description,omitempty"`
}

// xmlPermission is how DescribeSecurityGroups groups rules: by protocol and
// ports.
type xmlPermission struct {
	Proto   string      `xml:"ipProtocol"`
	From    *int        `xml:"fromPort"`
	To      *int        `xml:"toPort"`
	Groups  []xmlPair   `xml:"groups>item"`
	Ranges  []xmlRange  `xml:"ipRanges>item"`
	Ranges6 []xmlRange6 `xml:"ipv6Ranges>item"`
	Lists   []xmlList6  `xml:"prefixListIds>item"`
}

func permissions(rules []rule, egress bool) []xmlPermission {
	var out []xmlPermission
	at := map[string]int{}
	for _, r := range rules {
		if r.Egress != egress {
			continue
		}
		key := r.Proto + "/" + strconv.Itoa(r.From) + "/" + strconv.Itoa(r.To)
		i, known := at[key]
		if !known {
			i = len(out)
			at[key] = i
			p := xmlPermission{Proto: r.Proto}
			if r.Proto != "-1" {
				p.From, p.To = &r.From, &r.To
			}
			out = append(out, p)
		}
		p := &out[i]
		switch {
		case r.CIDR4 != "":
			p.Ranges = append(p.Ranges, xmlRange{r.CIDR4, r.About})
		case r.CIDR6 != "":
			p.Ranges6 = append(p.Ranges6, xmlRange6{r.CIDR6, r.About})
		case r.Group != "":
			p.Groups = append(p.Groups, xmlPair{Account, r.Group, r.About})
		default:
			p.Lists = append(p.Lists, xmlList6{r.List, r.About})
		}
	}
	return out
}

// same compares what a rule lets through; descriptions do not count
// ("Security group rules").
func (r rule) same(o rule) bool {
	return r.Egress == o.Egress && r.Proto == o.Proto && r.From == o.From && r.To == o.To &&
		r.CIDR4 == o.CIDR4 && r.CIDR6 == o.CIDR6 && r.Group == o.Group && r.List == o.List
}

// readRules reads the rules that a request spells, one for each source.
func (x *exchange) readRules(g *securityGroup, egress bool) ([]rule, error) {
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
			if c.Group, err = x.peer(g, s); err != nil {
				return nil, err
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

// peer is the group that a rule names: another one of the same account.
func (x *exchange) peer(g *securityGroup, s *params) (string, error) {
	s.str("UserId")
	s.str("VpcId")
	if id := s.str("GroupId"); id != "" {
		if _, ok := find[*securityGroup](x.tx, x.Region, id); !ok {
			return "", notFound(id, "InvalidGroup.NotFound")
		}
		return id, nil
	}
	name := s.str("GroupName")
	if other := x.groupNamed(name, g.VPC); other != nil {
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

type xmlRule struct {
	ID     string   `xml:"securityGroupRuleId"`
	Group  string   `xml:"groupId"`
	Owner  string   `xml:"groupOwnerId"`
	Egress bool     `xml:"isEgress"`
	Proto  string   `xml:"ipProtocol"`
	From   int      `xml:"fromPort"`
	To     int      `xml:"toPort"`
	CIDR4  string   `xml:"cidrIpv4,omitempty"`
	CIDR6  string   `xml:"cidrIpv6,omitempty"`
	List   string   `xml:"prefixListId,omitempty"`
	Peer   *xmlPair `xml:"referencedGroupInfo"`
	About  string   `xml:"description,omitempty"`
	Tags   []xmlTag `xml:"tagSet>item"`
}

func viewRule(group string, r rule) xmlRule {
	out := xmlRule{ID: r.ID, Group: group, Owner: Account, Egress: r.Egress, Proto: r.Proto, From: r.From, To: r.To, CIDR4: r.CIDR4, CIDR6: r.CIDR6, List: r.List, About: r.About, Tags: tagSet(r.Tags)}
	if r.Group != "" {
		out.Peer = &xmlPair{Owner: Account, ID: r.Group}
	}
	return out
}

type xmlRules struct {
	Return bool      `xml:"return"`
	Set    []xmlRule `xml:"securityGroupRuleSet>item"`
}

// authorize adds all rules or, when one of them is there already, none (EC2
// API reference: AuthorizeSecurityGroupIngress, InvalidPermission.Duplicate).
func authorize(x *exchange, egress bool) (any, error) {
	g, err := x.group()
	if err != nil {
		return nil, err
	}
	fresh, err := x.readRules(g, egress)
	if err != nil {
		return nil, err
	}
	if len(fresh) == 0 {
		return nil, missing("ipPermissions")
	}
	tags, err := x.specTags("security-group-rule")
	if err != nil {
		return nil, err
	}
	n := *g
	n.Rules = slices.Clone(g.Rules)
	out := xmlRules{Return: true}
	for _, r := range fresh {
		if slices.ContainsFunc(n.Rules, r.same) {
			return nil, failf("InvalidPermission.Duplicate", "the specified rule \"%s\" already exists", r.spell())
		}
		r.ID, r.Tags = x.tx.fresh("sgr-", x.Region).ID, tags
		n.Rules = append(n.Rules, r)
		out.Set = append(out.Set, viewRule(g.ID, r))
	}
	if len(n.Rules) > 120 {
		return nil, failf("RulesPerSecurityGroupLimitExceeded", "The maximum number of rules per security group has been reached.")
	}
	x.tx.put(&n)
	return out, nil
}

func (r rule) spell() string {
	return "peer: " + r.CIDR4 + r.CIDR6 + r.Group + r.List + ", " + strings.ToUpper(r.Proto) + ", from port: " + strconv.Itoa(r.From) + ", to port: " + strconv.Itoa(r.To) + ", ALLOW"
}
