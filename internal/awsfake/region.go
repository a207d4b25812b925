package awsfake

import (
	"fmt"
	"time"
)

// defaults are what a new account has in a region: a default VPC with a default subnet in each zone, a default
// security group and a route to the internet ("Default VPCs").
func defaults(st *state, region string) []entity {
	seq := int64(-100)
	next := func(prefix string) base {
		seq++
		return base{ID: prefix + st.hex(prefix+region, seq)[:17], Region: region, Seq: seq, Made: time.Unix(0, 0).UTC()}
	}
	v := &vpc{base: next("vpc-"), CIDR: "172.31.0.0/16", Default: true, DNSSupport: true, DNSHostnames: true, Life: steady("available")}
	g := defaultGroup(next("sg-"), v.ID)
	v.Group = g.ID
	out := []entity{&regionMark{base: base{ID: "defaults", Region: region}}, v, g}
	for i, az := range zones(region) {
		out = append(out, &subnet{base: next("subnet-"), VPC: v.ID, AZ: az, CIDR: fmt.Sprintf("172.31.%d.0/20", i*16), Default: true, PublicIP: true, Life: steady("available")})
	}
	igw := &internetGateway{base: next("igw-"), VPC: v.ID}
	table := mainTable(v)
	table.Routes = []route{{"0.0.0.0/0", igw.ID}}
	return append(out, igw, table)
}
