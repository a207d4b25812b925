package compute

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// listVolumes needs the instances too: a root volume is not a resource. A volume that is deleted
// with its instance is omitted once the instance is gone: EC2 lists it for some minutes, and a plan
// would act on it.
func listVolumes(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	all, err := allVolumes(ctx, s)
	if err != nil {
		return nil, err
	}
	instances, err := allInstances(ctx, s)
	if err == nil && s.Filter != nil {
		// The volumes may be attached to instances of others: a root volume is no resource whatever tags were copied
		// to it.
		var ids []string
		for i := range all {
			for _, a := range all[i].Attachments {
				ids = append(ids, aws.ToString(a.InstanceId))
			}
		}
		instances, err = api.WithIDs(slices.Clip(instances), "instance-id", ids, instanceID, instancesBy(ctx, s.Region))
	}
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

// listInstances needs the volumes too: a root volume belongs to its instance. An instance whose
// root volume is not listed is returned without root_volume. A configured root_volume then differs
// as a whole, see changeRoot.
func listInstances(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	all, err := allInstances(ctx, s)
	if err != nil {
		return nil, err
	}
	listed, err := allVolumes(ctx, s)
	if err == nil && s.Filter != nil { // the root volumes of adopted instances carry no tags
		ids := make([]string, len(all))
		for i := range all {
			ids[i] = rootID(all[i])
		}
		listed, err = volumes().WithMore(ctx, s, listed, ids)
	}
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*types.Volume, len(listed))
	for i := range listed {
		byID[aws.ToString(listed[i].VolumeId)] = &listed[i]
	}
	return api.ObservedAs(s, all, nil, func(g *api.Region, i types.Instance) resource.Observed {
		return observedInstance(g, i, byID[rootID(i)])
	})
}
