package network

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
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

func permissions(x *core.Exchange, rules []rule, egress bool) []xmlPermission {
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
			p.Groups = append(p.Groups, xmlPair{cmp.Or(r.Account, x.Account), r.Group, r.About})
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

type xmlRule struct {
	ID     string        `xml:"securityGroupRuleId"`
	Group  string        `xml:"groupId"`
	Owner  string        `xml:"groupOwnerId"`
	Egress bool          `xml:"isEgress"`
	Proto  string        `xml:"ipProtocol"`
	From   int           `xml:"fromPort"`
	To     int           `xml:"toPort"`
	CIDR4  string        `xml:"cidrIpv4,omitempty"`
	CIDR6  string        `xml:"cidrIpv6,omitempty"`
	List   string        `xml:"prefixListId,omitempty"`
	Peer   *xmlPair      `xml:"referencedGroupInfo"`
	About  string        `xml:"description,omitempty"`
	Tags   []core.XMLTag `xml:"tagSet>item"`
}

func viewRule(x *core.Exchange, group string, r rule) xmlRule {
	out := xmlRule{
		ID: r.ID, Group: group, Owner: wire.Account, Egress: r.Egress, Proto: r.Proto, From: r.From, To: r.To,
		CIDR4: r.CIDR4, CIDR6: r.CIDR6, List: r.List, About: r.About, Tags: core.TagSet(r.Tags),
	}
	if r.Group != "" {
		out.Peer = &xmlPair{Owner: cmp.Or(r.Account, x.Account), ID: r.Group}
	}
	return out
}

type xmlRules struct {
	Return bool      `xml:"return"`
	Set    []xmlRule `xml:"securityGroupRuleSet>item"`
}

// authorize adds all rules or, when one of them is there already, none (EC2
// API reference: AuthorizeSecurityGroupIngress, InvalidPermission.Duplicate).
func authorize(x *core.Exchange, egress bool) (any, error) {
	g, err := group(x)
	if err != nil {
		return nil, err
	}
	fresh, err := readRules(x, g, egress)
	if err != nil {
		return nil, err
	}
	if len(fresh) == 0 {
		return nil, wire.Missing("ipPermissions")
	}
	tags, err := x.SpecTags("security-group-rule")
	if err != nil {
		return nil, err
	}
	n := *g
	n.Rules = slices.Clone(g.Rules)
	out := xmlRules{Return: true}
	for _, r := range fresh {
		if slices.ContainsFunc(n.Rules, r.same) {
			return nil, wire.Failf("InvalidPermission.Duplicate", "the specified rule \"%s\" already exists", r.spell())
		}
		r.ID, r.Tags = x.Tx.Fresh("sgr-", x.Region).ID, tags
		n.Rules = append(n.Rules, r)
		out.Set = append(out.Set, viewRule(x, g.ID, r))
	}
	if n.count(egress) > rulesEachWay {
		return nil, wire.Failf("RulesPerSecurityGroupLimitExceeded",
			"The maximum number of rules per security group has been reached.")
	}
	x.Tx.Put(&n)
	return out, nil
}

func (r rule) spell() string {
	return "peer: " + r.CIDR4 + r.CIDR6 + r.Group + r.List + ", " + strings.ToUpper(r.Proto) + ", from port: " +
		strconv.Itoa(r.From) + ", to port: " + strconv.Itoa(r.To) + ", ALLOW"
}

// rulesEachWay is the default quota of rules ("Amazon VPC quotas": inbound or outbound rules per
// security group).
const rulesEachWay = 60

func (g *SecurityGroup) count(egress bool) (n int) {
	for _, r := range g.Rules {
		if r.Egress == egress {
			n++
		}
	}
	return n
}
