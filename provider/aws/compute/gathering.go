package compute

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider/aws/api"
)

// byFilter reads with a filter: a request that names IDs is refused as a whole if one of them does
// not exist. An ID that is missing in the answer does not exist or is not visible yet; the caller
// decides between the two.
func byFilter[T any](name string, list func(context.Context, []types.Filter) ([]T, error),
	id func(T) *string,
) func(context.Context, []string) (map[string]T, error) {
	return func(ctx context.Context, ids []string) (map[string]T, error) {
		out := make(map[string]T, len(ids))
		for some := range slices.Chunk(ids, api.FilterValues) {
			all, err := list(ctx, api.Where(name, some...))
			if err != nil {
				return nil, err
			}
			for _, x := range all {
				out[aws.ToString(id(x))] = x
			}
		}
		return out, nil
	}
}

// Gatherers make the reads of a region that many wait for. The pauses come from the region's
// delays. Without gathering, a hundred starting instances would spend the request limit of the
// account on their waits.
func Gatherers(g *api.Region) {
	g.StartingInstances = &api.Gather[types.Instance]{
		Step: g.Wait.First, Most: g.Wait.Gather,
		Read: byFilter("instance-id", func(ctx context.Context, f []types.Filter) ([]types.Instance, error) {
			return api.Instances(ctx, g, &ec2.DescribeInstancesInput{Filters: f})
		}, func(i types.Instance) *string { return i.InstanceId }),
	}
	g.ChangingVolumes = &api.Gather[types.Volume]{
		Step: g.Wait.First, Most: g.Wait.Gather,
		Read: byFilter("volume-id", func(ctx context.Context, f []types.Filter) ([]types.Volume, error) {
			return volumes(ctx, g, &ec2.DescribeVolumesInput{Filters: f})
		}, func(v types.Volume) *string { return v.VolumeId }),
	}
}

// pollInstance and pollVolume read one of many that are waited for.
func pollInstance(ctx context.Context, g *api.Region, id string) (types.Instance, error) {
	i, ok, err := g.StartingInstances.ReadOne(ctx, id)
	return listed(i, ok, err, "ec2.DescribeInstances", id)
}

func pollVolume(ctx context.Context, g *api.Region, id string) (types.Volume, error) {
	v, ok, err := g.ChangingVolumes.ReadOne(ctx, id)
	return listed(v, ok, err, "ec2.DescribeVolumes", id)
}

func listed[T any](v T, ok bool, err error, op, id string) (T, error) {
	var all []T
	if ok {
		all = []T{v}
	}
	return api.Only(all, err, op, id)
}
