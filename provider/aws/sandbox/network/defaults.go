package network

import (
	"fmt"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
)

// Defaults are what a new account has in a region: a default VPC with a default subnet in each zone, a default
// security group and a route to the internet ("Default VPCs").
func Defaults(st *core.State, region string) []core.Entity {
	seq := int64(-100)
	next := func(prefix string) core.Base {
		seq++
		return core.Base{ID: prefix + st.Hex(prefix+region, seq)[:17], Region: region, Seq: seq, Made: time.Unix(0, 0).UTC()}
	}
	v := &VPC{
		Base: next("vpc-"), CIDR: "172.31.0.0/16", Default: true, DNSSupport: true, DNSHostnames: true,
		Life: core.Steady("available"),
	}
	g := defaultGroup(next("sg-"), v.ID)
	v.Group = g.ID
	out := []core.Entity{&core.RegionMark{Base: core.Base{ID: "defaults", Region: region}}, v, g}
	for i, az := range ec2.Zones(region) {
		out = append(out, &Subnet{
			Base: next("subnet-"), VPC: v.ID, AZ: az, CIDR: fmt.Sprintf("172.31.%d.0/20", i*16),
			Default: true, PublicIP: true, Life: core.Steady("available"),
		})
	}
	igw := &InternetGateway{Base: next("igw-"), VPC: v.ID}
	table := mainTable(v)
	table.Routes = []route{{"0.0.0.0/0", igw.ID}}
	return append(out, igw, table)
}
