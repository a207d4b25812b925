package api

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/resource"
)

// Living filters a list for instances that exist; terminated ones stay listed for an hour.
func Living() []types.Filter {
	return Where("instance-state-name", "pending", "running", "stopping", "stopped")
}

// Instances returns the instances that the input describes, from all pages.
func Instances(ctx context.Context, g *Region, in *ec2.DescribeInstancesInput) ([]types.Instance, error) {
	return Pages(ctx, "ec2.DescribeInstances",
		func(ctx context.Context, token *string) ([]types.Instance, *string, error) {
			in.NextToken, in.MaxResults = token, PageOf(in.InstanceIds)
			out, err := g.EC2.DescribeInstances(ctx, in)
			if err != nil {
				return nil, nil, err
			}
			var all []types.Instance
			for _, r := range out.Reservations {
				all = append(all, r.Instances...)
			}
			return all, out.NextToken, nil
		})
}

// InstancesWhere names the living instances of a filter.
func InstancesWhere(ctx context.Context, g *Region, filter, value string) ([]string, error) {
	filters := append(Where(filter, value), Living()...)
	all, err := Instances(ctx, g, &ec2.DescribeInstancesInput{Filters: filters})
	var names []string
	for _, i := range all {
		names = append(names, InstanceName(g, i))
	}
	return names, err
}

// OneInstance returns one instance. Its absence is an error with Absent. A terminated instance is
// returned while EC2 lists it.
func OneInstance(ctx context.Context, g *Region, id string) (types.Instance, error) {
	all, err := Instances(ctx, g, &ec2.DescribeInstancesInput{InstanceIds: []string{id}})
	return Only(all, err, "ec2.DescribeInstances", id)
}

// InstanceName is the ID of an instance and what ovi calls it.
func InstanceName(g *Region, i types.Instance) string {
	o := resource.Observed{ID: aws.ToString(i.InstanceId)}
	g.Identify(&o, KindEC2, o.ID, TagsOf(i.Tags))
	return NameID(o)
}
