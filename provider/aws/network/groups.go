package network

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider/aws/api"
)

// Groups reads security groups, which the firewall observes.
func Groups() api.StandardKind[types.SecurityGroup] {
	return api.StandardKind[types.SecurityGroup]{
		Kind: api.KindGroup, Call: "ec2.DescribeSecurityGroups", Filter: "group-id",
		Page: func(ctx context.Context, g *api.Region, q api.Query) ([]types.SecurityGroup, *string, error) {
			out, err := g.EC2.DescribeSecurityGroups(ctx, &ec2.DescribeSecurityGroupsInput{
				GroupIds: q.IDs, Filters: q.Filters, NextToken: q.Token, MaxResults: q.Most,
			})
			if err != nil {
				return nil, nil, err
			}
			return out.SecurityGroups, out.NextToken, nil
		},
		ID: func(x types.SecurityGroup) *string { return x.GroupId },
	}
}
