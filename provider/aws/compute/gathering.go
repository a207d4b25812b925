package compute

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider/aws/api"
)

// The functions of this file read one of many resources that are waited for, see api.Poll.

// pollInstance reads an instance in any state: a wait for the end needs terminated ones too.
func pollInstance(ctx context.Context, g *api.Region, id string) (types.Instance, error) {
	return api.Poll(ctx, g, "ec2.DescribeInstances", id, api.ByFilter("instance-id",
		func(ctx context.Context, f []types.Filter) ([]types.Instance, error) {
			return api.Instances(ctx, g, &ec2.DescribeInstancesInput{Filters: f})
		}, func(i types.Instance) *string { return i.InstanceId }))
}

// pollModification reads the most recent modification of a volume.
func pollModification(ctx context.Context, g *api.Region, id string) (types.VolumeModification, error) {
	return api.Poll(ctx, g, "ec2.DescribeVolumesModifications", id, api.ByFilter("volume-id",
		func(ctx context.Context, f []types.Filter) ([]types.VolumeModification, error) {
			out, err := g.EC2.DescribeVolumesModifications(ctx, &ec2.DescribeVolumesModificationsInput{Filters: f})
			if err != nil {
				return nil, api.Classify("", err)
			}
			return out.VolumesModifications, nil
		}, func(m types.VolumeModification) *string { return m.VolumeId }))
}
