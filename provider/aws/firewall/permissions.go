package firewall

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/network"
	"github.com/ovi-project/ovi/resource"
)

// permissionsOf writes each rule as a permission of its own; self is the group's id.
// The rules are canonical. Only TCP, UDP and ICMP have ports in the request. For ICMP, -1 means all
// types or all codes.
func permissionsOf(rules resource.List, self string) []types.IpPermission {
	var out []types.IpPermission
	for _, v := range rules {
		rule, _ := v.(resource.Attrs)
		protocol, _ := api.Text(rule, "protocol")
		p := types.IpPermission{IpProtocol: aws.String(protocol)}
		if protocol == "all" {
			p.IpProtocol = aws.String("-1") // EC2's name of it (Amazon EC2 API Reference, IpPermission)
		}
		from, to, _ := rulePorts(rule, protocol)
		if protocol != "all" && (from >= 0 || strings.HasPrefix(protocol, "icmp")) {
			p.FromPort, p.ToPort = aws.Int32(int32(from)), aws.Int32(int32(to))
		}
		otherSide(&p, rule, self)
		out = append(out, p)
	}
	return out
}

// otherSide adds the peer of a rule to its permission. A canonical rule has exactly one peer. In
// EC2 the description belongs to the peer, not to the permission.
func otherSide(p *types.IpPermission, rule resource.Attrs, self string) {
	description := api.DesiredText(rule, "description")
	if cidr, ok := api.Text(rule, "cidr"); ok {
		if strings.Contains(cidr, ":") {
			p.Ipv6Ranges = []types.Ipv6Range{{CidrIpv6: aws.String(cidr), Description: description}}
		} else {
			p.IpRanges = []types.IpRange{{CidrIp: aws.String(cidr), Description: description}}
		}
	}
	group, ok := api.Text(rule, "security_group")
	if me, _ := api.Flag(rule, "self"); me {
		group, ok = self, true
	}
	if ok {
		p.UserIdGroupPairs = []types.UserIdGroupPair{
			{GroupId: aws.String(group), UserId: api.DesiredText(rule, network.PeerAccount), Description: description},
		}
	}
	if list, ok := api.Text(rule, "prefix_list"); ok {
		p.PrefixListIds = []types.PrefixListId{{PrefixListId: aws.String(list), Description: description}}
	}
}

// canonicalPrefix returns an IPv6 block in its shortest form. EC2 may report one block in several
// forms. Text that is not a block is returned unchanged.
func canonicalPrefix(s string) string {
	if p, err := netip.ParsePrefix(s); err == nil {
		return p.Masked().String()
	}
	return s
}

// anyAccount is a rule without the account of its peer, which the ID of the peer's group implies: AWS finds the group
// without it, and does not always report it.
func anyAccount(v resource.Value) resource.Value {
	a, _ := v.(resource.Attrs)
	return a.Without(network.PeerAccount)
}

// sameRule reports whether two canonical rules are equal, including their descriptions. The account
// of the peer does not count.
func sameRule(a, b resource.Value) bool { return api.Equal(anyAccount(a), anyAccount(b)) }

// minus are the rules of a that are not in b.
func minus(a, b resource.List) resource.List {
	return slices.DeleteFunc(slices.Clone(a), func(x resource.Value) bool {
		return slices.ContainsFunc(b, func(y resource.Value) bool { return sameRule(x, y) })
	})
}

// otherAccount is the account of a peer's group, if it is not that of the rule's.
func otherAccount(peer *string, own string) []resource.Attr {
	if s := aws.ToString(peer); s != "" && s != own {
		return []resource.Attr{{Name: network.PeerAccount, Value: resource.String(s)}}
	}
	return nil
}

// portOf: a permission without ports, and one for all ports, has none or -1.
func portOf(n *int32) int64 {
	if n == nil {
		return -1
	}
	return int64(*n)
}
