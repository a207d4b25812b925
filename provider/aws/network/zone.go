package network

import (
	"cmp"
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
)

// freeZone chooses a zone for a subnet that names none: the zone that offers most of the current types and, among
// equals, has the fewest subnets of the VPC. The order is total, so that two runs choose alike. Nil means that the
// offers could not be read and AWS chooses; a missing permission for this read must not prevent the subnet. The
// offers are read in one page, since the filter on a few types limits the answer.
func freeZone(ctx context.Context, g *api.Region, vpc string) *string {
	// A zone is expected to offer these types: in old zones, such as one of us-east-1, most launches of newer types end
	// with Unsupported.
	out, err := g.EC2.DescribeInstanceTypeOfferings(ctx, &ec2.DescribeInstanceTypeOfferingsInput{
		LocationType: types.LocationTypeAvailabilityZone,
		Filters:      api.Where("instance-type", "t3.micro", "t4g.micro", "m7i.large", "m7g.large"),
	})
	if err != nil {
		g.Log.Debug("AWS chooses the zone of a subnet", "error", provider.QuietIn(ctx, err))
		return nil
	}
	offers, taken := map[string]int{}, map[string]int{}
	for _, o := range out.InstanceTypeOfferings {
		offers[aws.ToString(o.Location)]++
	}
	subnets, err := subnets().Where(ctx, g, api.Where("vpc-id", vpc))
	if err != nil || len(offers) == 0 {
		return nil
	}
	for _, s := range subnets {
		taken[aws.ToString(s.AvailabilityZone)]++
	}
	var zones []string
	for z := range offers {
		zones = append(zones, z)
	}
	return aws.String(slices.MinFunc(zones, func(a, b string) int {
		return cmp.Or(cmp.Compare(offers[b], offers[a]), cmp.Compare(taken[a], taken[b]), cmp.Compare(a, b))
	}))
}
