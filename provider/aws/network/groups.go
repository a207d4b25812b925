package network

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider/aws/api"
)

// Groups returns the security groups that the input describes, from all pages.
func Groups(ctx context.Context, g *api.Region, in *ec2.DescribeSecurityGroupsInput) ([]types.SecurityGroup, error) {
	return api.Pages(ctx, "ec2.DescribeSecurityGroups",
		func(ctx context.Context, token *string) ([]types.SecurityGroup, *string, error) {
			in.NextToken, in.MaxResults = token, api.PageOf(in.GroupIds)
			out, err := g.EC2.DescribeSecurityGroups(ctx, in)
			if err != nil {
				return nil, nil, err
			}
			return out.SecurityGroups, out.NextToken, nil
		})
}
