package network

import (
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// numbersFit checks the IPv6 blocks of subnets ("Subnet CIDR blocks": within a block of the VPC, and no two
// overlap). A VPC that is named by its ID may have IPv6 addresses. Each number is one /64 of the VPC's /56, so two
// subnets overlap exactly if they have the same number. The addresses themselves are not compared, because AWS
// chooses them.
func numbersFit(c *api.Checking) {
	taken := map[string]*resource.Desired{}
	for _, d := range c.Configured {
		n, set := api.Number(d.Attrs, blockAttr)
		if !set {
			continue
		}
		if vpc := c.Other(d, "vpc"); vpc != nil {
			if on, _ := api.Flag(vpc.Attrs, ipv6Attr); !on {
				c.Wrong(d, blockAttr, "set ipv6: true on vpc/"+vpc.Ref.Name, "vpc/%s is not configured to have IPv6 addresses",
					api.WhereConfigured(vpc))
			}
		}
		v, _ := d.Attrs.Get("vpc")
		network := d.Ref.Location + " " + string(resource.AppendJSON(nil, v)) + " " +
			string(resource.AppendJSON(nil, resource.Int(n)))
		first, second := taken[network], d
		if first == nil {
			taken[network] = d
			continue
		}
		// The subnet that is configured later has the problem. c.Configured is sorted by ref.
		if api.Earlier(second, first) {
			first, second = second, first
		}
		c.Wrong(second, blockAttr, "use another number: each subnet of a VPC has its own", "subnet/%[2]s has block %[1]d", n,
			api.WhereConfigured(first))
	}
}
