package network

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

// networkBlock checks the block of a vpc or subnet: IPv4, between /16 and /28 ("VPC CIDR
// blocks": "The allowed block size is between a /28 netmask and /16 netmask"; the same for
// subnets). AWS itself accepts address bits behind the prefix and drops them; here they are an
// error, because one half of the block is a mistake.
func networkBlock(v resource.Value) []resource.Problem {
	s, _ := v.(resource.String)
	p, err := netip.ParsePrefix(string(s))
	switch {
	case err != nil:
		return api.WrongValue("use for example 10.0.0.0/16", "invalid address block %q", s)
	case !p.Addr().Is4():
		return api.WrongValue("use an IPv4 block, for example 10.0.0.0/16", "%s is not IPv4", s)
	case p != p.Masked():
		return api.WrongValue("use "+p.Masked().String(), "%q has address bits behind its prefix", s)
	case p.Bits() < 16:
		return api.WrongValue("use at most "+netip.PrefixFrom(p.Addr(), 16).String(),
			"%s is larger than /16, the largest block that AWS allows", s)
	case p.Bits() > 28:
		return api.WrongValue("use at least "+netip.PrefixFrom(p.Addr(), 28).Masked().String(),
			"%s is smaller than /28, the smallest block that AWS allows", s)
	}
	return nil
}

// part is a subnet with its block.
type part struct {
	*resource.Desired
	block netip.Prefix
}

// block returns the IPv4 block of a VPC or a subnet. It reports false if the block is not set or
// not readable. A rule skips such a resource, because networkBlock reports the value.
func block(d *resource.Desired) (netip.Prefix, bool) {
	s, _ := api.Text(d.Attrs, "cidr")
	p, err := netip.ParsePrefix(s)
	return p, err == nil
}

// subnetsFit checks the subnets of one VPC against it and against each other ("Subnet CIDR
// blocks": within the VPC's block, and no two overlap; InvalidSubnet.Range and
// InvalidSubnet.Conflict). A VPC that is named by its id may have more blocks than ovi knows:
// there only the subnets are compared.
func subnetsFit(c *api.Checking) {
	byNetwork := map[string][]part{}
	for _, d := range c.Configured {
		own, ok := block(d)
		if !ok {
			continue
		}
		if vpc := c.Other(d, "vpc"); vpc != nil {
			if whole, ok := block(vpc); ok && !(whole.Contains(own.Addr()) && own.Bits() >= whole.Bits()) {
				c.Wrong(d, "cidr", "use a part of "+whole.String()+"; if the VPC has more blocks, name it by its ID",
					"%s is not within %s of vpc/%s", own, whole, api.WhereConfigured(vpc))
			}
		}
		v, _ := d.Attrs.Get("vpc")
		network := d.Ref.Location + " " + string(resource.AppendJSON(nil, v))
		byNetwork[network] = append(byNetwork[network], part{d, own})
	}
	for _, d := range c.Configured { // in the order of the configuration, not of the map
		v, _ := d.Attrs.Get("vpc")
		network := d.Ref.Location + " " + string(resource.AppendJSON(nil, v))
		overlaps(c, byNetwork[network])
		delete(byNetwork, network)
	}
}

// overlaps reports each block that overlaps another one, once, at the later of the two. Two blocks
// are disjoint, or one contains the other. Sorted by their first addresses, with the wider block
// first, a block comes before all blocks that it contains, so one pass over neighbors finds every
// overlap.
func overlaps(c *api.Checking, parts []part) {
	slices.SortStableFunc(parts, func(a, b part) int {
		if n := a.block.Addr().Compare(b.block.Addr()); n != 0 {
			return n
		}
		return a.block.Bits() - b.block.Bits()
	})
	reported := map[position.Position]bool{}
	for i := 1; i < len(parts); i++ {
		first, second := parts[i-1], parts[i]
		if !first.block.Overlaps(second.block) {
			continue
		}
		parts[i] = first // the wider one, for those behind it
		if api.Earlier(second.Desired, first.Desired) {
			first, second = second, first
		}
		// All resources of a count have the same position. One problem is enough for them.
		if at := second.At; at.File == "" || !reported[at] {
			reported[at] = true
			c.Wrong(second.Desired, "cidr", "use another block: the subnets of a VPC must not overlap",
				"%s overlaps %s of subnet/%s", second.block, first.block, api.WhereConfigured(first.Desired))
		}
	}
}

// defaultBlock is the block of every default VPC ("Default VPCs"). A vpc with this block may be
// that one, adopted.
const defaultBlock = "172.31.0.0/16"

// GroupsFit checks the security groups of a resource against the VPC of the subnet that it
// names in an attribute: AWS refuses a group of another VPC (InvalidParameter: "belong to
// different networks"). A group or a subnet that is named by its ID is not checked, since only AWS
// knows its VPC.
func GroupsFit(subnet string) func(*api.Checking) {
	return func(c *api.Checking) {
		for _, d := range c.Configured {
			if network, known := networkOf(c, d, subnet); known {
				groupsIn(c, d, network)
			}
		}
	}
}

// groupsIn reports each group of a resource that is in another VPC than the resource. A group whose
// VPC is not known is accepted.
func groupsIn(c *api.Checking, d *resource.Desired, network resource.Ref) {
	v, _ := d.Attrs.Get("security_groups")
	groups, _ := v.(resource.List)
	for i, g := range groups {
		group := c.Named(g)
		if group == nil {
			continue
		}
		other, known := home(c, group)
		if !known || other == network {
			continue
		}
		// A checked set is sorted, so an index is the index in the configuration only for a single
		// element.
		path := "security_groups"
		if len(groups) == 1 {
			path = fmt.Sprintf("%s[%d]", path, i)
		}
		c.Wrong(d, path, "use a group of the same VPC", "security_group/%s is in %s, and this resource is in %s",
			api.WhereConfigured(group), networkName(other), networkName(network))
	}
}

// networkOf finds the VPC of an instance or a database, by the attribute that names its subnet.
// known is false if the VPC cannot be derived from the configuration, for example from the ID of a
// subnet; the rule is then skipped.
func networkOf(c *api.Checking, d *resource.Desired, subnet string) (network resource.Ref, known bool) {
	if _, set := d.Attrs.Get(subnet); !set {
		return resource.Ref{}, true // the default VPC
	}
	s := c.Other(d, subnet)
	if s != nil && s.Ref.Kind == api.KindDBSubnets { // its subnets are of one VPC
		if all := s.Attrs.List("subnets"); len(all) > 0 {
			s = c.Named(all[0])
		}
	}
	if s != nil {
		return home(c, s)
	}
	return resource.Ref{}, false
}

// home is the vpc that a subnet or group names; the zero Ref is the region's default VPC. It is
// not known where an id is named, or a vpc that may itself be the default one.
func home(c *api.Checking, d *resource.Desired) (network resource.Ref, known bool) {
	v, said := d.Attrs.Get("vpc")
	if !said {
		return resource.Ref{}, true
	}
	r, ok := v.(resource.Reference)
	if vpc := c.Named(v); !ok || vpc == nil || api.Is(vpc, "cidr", defaultBlock) {
		return resource.Ref{}, false
	}
	return r.Ref, true
}

func networkName(r resource.Ref) string {
	if r.Name == "" {
		return "the default VPC"
	}
	return "vpc/" + r.Name
}

// GroupNames: "Can't start with sg-", and default is the name of the group that every network
// has from the start (CreateSecurityGroup).
func GroupNames(c *api.Checking) {
	for _, d := range c.Configured {
		switch {
		case len(d.Ref.Name) >= 3 && d.Ref.Name[:3] == "sg-":
			c.Alone(d, "name", "use another name", "the name of a security group must not start with sg-, as IDs do")
		case d.Ref.Name == "default":
			c.Alone(d, "name", "use another name", "default is the name of the group that every VPC has")
		}
	}
}

// oneInEach finds resources of a kind that name the same resource in an attribute, of which AWS
// allows one. A name and an ID of the same resource count as two, because the configuration does
// not connect them.
func oneInEach(attr, what string) func(*api.Checking) {
	return func(c *api.Checking) {
		taken := map[string]*resource.Desired{}
		for _, d := range c.Configured {
			v, ok := d.Attrs.Get(attr)
			if !ok {
				continue
			}
			key := d.Ref.Location + " " + string(resource.AppendJSON(nil, v))
			if first := taken[key]; first != nil {
				c.Wrong(d, attr, "remove one of the two", "%s is attached to the same %s: AWS allows one %s in each",
					api.WhereConfigured(first), attr, what)
				continue
			}
			taken[key] = d
		}
	}
}
