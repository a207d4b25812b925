package compute

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// roots are the volumes that belong to the instances: all volumes or, with a filter, also the root
// volumes of adopted instances, which carry no tags.
func roots(ctx context.Context, s *api.Sweep, instances []types.Instance) ([]types.Volume, error) {
	all, err := allVolumes(ctx, s)
	if err != nil || s.Filter == nil {
		return all, err
	}
	ids := make([]string, len(instances))
	for i := range instances {
		ids[i] = rootID(instances[i])
	}
	return volumes().WithMore(ctx, s, all, ids)
}

// listVolumes needs the instances too: a root volume is not a resource. A volume that is deleted
// with its instance is omitted once the instance is gone: EC2 lists it for some minutes, and a plan
// would act on it.
func listVolumes(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	all, err := allVolumes(ctx, s)
	if err != nil {
		return nil, err
	}
	instances, err := users(ctx, s, all)
	if err != nil {
		return nil, err
	}
	alive, roots := make(map[string]bool, len(instances)), make(map[string]bool, len(instances))
	for _, i := range instances {
		alive[aws.ToString(i.InstanceId)], roots[rootID(i)] = true, true
	}
	var own []types.Volume
	for _, v := range all {
		if !roots[aws.ToString(v.VolumeId)] && !leaving(v, alive) {
			own = append(own, v)
		}
	}
	return api.ObservedAs(s, own, nil, observedVolume)
}

// leaving are volumes that are being deleted, and those that are deleted with an instance which
// is no longer alive.
func leaving(v types.Volume, alive map[string]bool) bool {
	if v.State == types.VolumeStateDeleting || v.State == types.VolumeStateDeleted {
		return true
	}
	return slices.ContainsFunc(v.Attachments, func(a types.VolumeAttachment) bool {
		return aws.ToBool(a.DeleteOnTermination) && !alive[aws.ToString(a.InstanceId)]
	})
}

// users are the instances that the volumes may be attached to: all or, with a filter, also those of
// others, since a root volume is no resource whatever tags were copied to it.
func users(ctx context.Context, s *api.Sweep, volumes []types.Volume) ([]types.Instance, error) {
	all, err := allInstances(ctx, s)
	if err != nil || s.Filter == nil {
		return all, err
	}
	var ids []string
	for i := range volumes {
		for _, a := range volumes[i].Attachments {
			ids = append(ids, aws.ToString(a.InstanceId))
		}
	}
	return api.WithIDs(slices.Clip(all), "instance-id", ids, instanceID, instancesBy(ctx, s.Region))
}

// listInstances needs the volumes too: a root volume belongs to its instance. An instance whose
// root volume is not listed is returned without root_volume. A configured root_volume then differs
// as a whole, see exactly.
func listInstances(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	all, err := allInstances(ctx, s)
	if err != nil {
		return nil, err
	}
	volumes, err := roots(ctx, s, all)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*types.Volume, len(volumes))
	for i := range volumes {
		byID[aws.ToString(volumes[i].VolumeId)] = &volumes[i]
	}
	return api.ObservedAs(s, all, nil, func(g *api.Region, i types.Instance) resource.Observed {
		return observedInstance(g, i, byID[rootID(i)])
	})
}
