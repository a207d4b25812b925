package aws

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// idsInFilter is how many values EC2 takes in one filter.
const idsInFilter = 200

// anyTag finds what carries any tag of ovi, also one of a set that is incomplete: whoever removes or
// copies tags must not hide a resource.
func anyTag() []types.Filter {
	return where("tag-key", tagManaged, tagRef, tagStack, tagOwner, tagKey, tagBlessed, tagNamed)
}

// allOrOwn reads a kind: all, or with a filter what carries a tag of ovi or is on record.
//
// Only a kind whose natural name is its ID may be read so (provider.Filter), and only EC2 lists by tag. That leaves
// out: vpc, launch_template and key_pair, which have names that may be configured ones; kms_key, whose list takes
// no tags; and the kinds of all other services.
func allOrOwn[T any](s *sweep, kind, filter string, idOf func(T) string, read func([]types.Filter) ([]T, error)) ([]T, error) {
	if s.filter == nil {
		return read(nil)
	}
	return byTag(filter, s.filter.IDs[kind], idOf, read)
}

// byTag reads what carries a tag of ovi, and those of the IDs that this does not show. The IDs are
// values of a filter: as a parameter, one that does not exist any more would fail the call for all.
func byTag[T any](filter string, ids []string, idOf func(T) string, read func([]types.Filter) ([]T, error)) ([]T, error) {
	all, err := read(anyTag())
	if err != nil {
		return nil, err
	}
	return withIDs(all, filter, ids, idOf, read)
}

// withIDs adds those of the IDs that are not among what was read.
func withIDs[T any](all []T, filter string, ids []string, idOf func(T) string, read func([]types.Filter) ([]T, error)) ([]T, error) {
	shown := make(map[string]bool, len(all))
	for i := range all {
		shown[idOf(all[i])] = true
	}
	var rest []string
	for _, id := range ids {
		if id != "" && !shown[id] {
			rest, shown[id] = append(rest, id), true
		}
	}
	for some := range slices.Chunk(rest, idsInFilter) {
		more, err := read(where(filter, some...))
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

func instanceID(i types.Instance) string { return aws.ToString(i.InstanceId) }

func volumeID(v types.Volume) string { return aws.ToString(v.VolumeId) }

func instancesBy(ctx context.Context, g *region) func([]types.Filter) ([]types.Instance, error) {
	return func(f []types.Filter) ([]types.Instance, error) {
		return instances(ctx, g, &ec2.DescribeInstancesInput{Filters: append(f, living()...)})
	}
}

func volumesBy(ctx context.Context, g *region) func([]types.Filter) ([]types.Volume, error) {
	return func(f []types.Filter) ([]types.Volume, error) {
		return volumes(ctx, g, &ec2.DescribeVolumesInput{Filters: f})
	}
}

// roots are the volumes that belong to the instances: all volumes or, with a filter, also the root
// volumes of adopted instances, which carry no tags.
func roots(ctx context.Context, s *sweep, instances []types.Instance) ([]types.Volume, error) {
	all, err := allVolumes(ctx, s)
	if err != nil || s.filter == nil {
		return all, err
	}
	ids := make([]string, len(instances))
	for i := range instances {
		ids[i] = rootID(instances[i])
	}
	return withIDs(slices.Clip(all), "volume-id", ids, volumeID, volumesBy(ctx, s.region))
}

// users are the instances that the volumes may be attached to: all or, with a filter, also those of
// others, since a root volume is no resource whatever tags were copied to it.
func users(ctx context.Context, s *sweep, volumes []types.Volume) ([]types.Instance, error) {
	all, err := allInstances(ctx, s)
	if err != nil || s.filter == nil {
		return all, err
	}
	var ids []string
	for i := range volumes {
		for _, a := range volumes[i].Attachments {
			ids = append(ids, aws.ToString(a.InstanceId))
		}
	}
	return withIDs(slices.Clip(all), "instance-id", ids, instanceID, instancesBy(ctx, s.region))
}
