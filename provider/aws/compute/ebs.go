package compute

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// volumes are the reads of EBS volumes. Gone is not set, so they return volumes that are being
// deleted: whether a volume disappears also depends on its instance, see leaving.
func volumes() api.StandardKind[types.Volume] {
	return api.StandardKind[types.Volume]{
		Kind: api.KindEBS, Call: "ec2.DescribeVolumes", Filter: "volume-id",
		Page: func(ctx context.Context, g *api.Region, q api.Query) ([]types.Volume, *string, error) {
			out, err := g.EC2.DescribeVolumes(ctx, &ec2.DescribeVolumesInput{
				VolumeIds: q.IDs, Filters: q.Filters, NextToken: q.Token, MaxResults: q.Most,
			})
			if err != nil {
				return nil, nil, err
			}
			return out.Volumes, out.NextToken, nil
		},
		ID:      func(x types.Volume) *string { return x.VolumeId },
		Observe: observedVolume,
	}
}

// observedVolume converts an answer of EC2 to a resource. A volume that is being detached shows no
// instance, so that a plan does not count on it.
func observedVolume(g *api.Region, v types.Volume) resource.Observed {
	o := resource.Observed{ID: aws.ToString(v.VolumeId), Since: aws.ToTime(v.CreateTime)}
	switch v.State {
	case types.VolumeStateAvailable, types.VolumeStateInUse:
		o.Health = resource.Healthy
	case types.VolumeStateCreating:
		o.Health = resource.Pending
	case types.VolumeStateError:
		o.Health, o.Message = resource.Failing, string(v.State)
	default: // a state that this version does not know is unknown, never healthy
		o.Health, o.Message = api.UnknownState(v.State)
	}
	a := api.Attrs{}
	a.Number("size", v.Size)
	a[volumeType] = resource.String(v.VolumeType)
	a.Number("iops", v.Iops)
	a.Number("throughput", v.Throughput)
	a.Text("zone", v.AvailabilityZone)
	a.Flag("encrypted", v.Encrypted)
	a.Text(api.KMSKeyAttr, v.KmsKeyId)
	a.Text("snapshot", v.SnapshotId)
	if at := attachment(v); at != nil {
		a.Text("attach_to", at.InstanceId)
		a.Text("device", at.Device)
	}
	o.Attrs = a.Build()
	g.Identify(&o, api.KindEBS, "", api.TagsOf(v.Tags))
	return o
}

// readVolume returns one volume. A volume that is being deleted, or that is deleted with its
// terminated instance, is absent.
func readVolume(ctx context.Context, g *api.Region, id string) (resource.Observed, error) {
	v, err := volumes().One(ctx, g, id)
	// The instances are not known here, so leaving takes each for gone. A volume in use is kept,
	// because its instance may exist.
	if err == nil && leaving(v, nil) && v.State != types.VolumeStateInUse {
		err = api.MissingOf("ec2.DescribeVolumes", fmt.Errorf("%s is %s", id, v.State))
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return observedVolume(g, v), nil
}

// attachment is the current attachment of a volume, or the one under way.
func attachment(v types.Volume) *types.VolumeAttachment {
	for i, at := range v.Attachments {
		if at.State == types.VolumeAttachmentStateAttached || at.State == types.VolumeAttachmentStateAttaching ||
			at.State == types.VolumeAttachmentStateBusy {
			return &v.Attachments[i]
		}
	}
	return nil
}

// createVolume creates a volume, waits until it is usable and attaches it. A failed attachment
// leaves a tagged volume, which the next attempt with the same key finds and attaches.
func createVolume(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	a := r.Desired.Attrs
	in, err := orderVolume(ctx, g, r)
	if err != nil {
		return resource.Observed{}, err
	}
	id, err := makeVolume(ctx, g, in, r.Key)
	if err != nil {
		return resource.Observed{}, err
	}
	v, err := awaitVolume(ctx, g, id, "to be usable",
		func(v types.Volume) bool { return v.State != types.VolumeStateCreating })
	if err != nil {
		return resource.Observed{}, err
	}
	if to, ok := api.Text(a, "attach_to"); ok && to != "" {
		if v, err = attach(ctx, g, v, to, a); err != nil {
			return resource.Observed{}, err
		}
	}
	return observedVolume(g, v), nil
}

// orderVolume writes a volume as the call that creates it.
func orderVolume(ctx context.Context, g *api.Region, r provider.Request) (*ec2.CreateVolumeInput, error) {
	a := r.Desired.Attrs
	zone, err := zoneFor(ctx, g, a)
	if err != nil {
		return nil, err
	}
	kind, _ := api.Text(a, volumeType)
	in := &ec2.CreateVolumeInput{
		ClientToken: aws.String(r.Key), AvailabilityZone: aws.String(zone), VolumeType: types.VolumeType(kind),
		Size: api.DesiredInt(a, "size"), Iops: api.DesiredInt(a, "iops"), Throughput: api.DesiredInt(a, "throughput"),
		SnapshotId:        api.DesiredText(a, "snapshot"),
		KmsKeyId:          api.DesiredText(a, api.KMSKeyAttr),
		TagSpecifications: []types.TagSpecification{api.Born(types.ResourceTypeVolume, g.BirthTags(r, true))},
	}
	// False is not sent, see rootDisk.
	if on, _ := api.Flag(a, "encrypted"); on {
		in.Encrypted = aws.Bool(true)
	}
	return in, nil
}

// makeVolume creates the volume once per key. The client token makes the call idempotent; a call
// with the same token and other parameters fails with IdempotentParameterMismatch (Amazon EC2
// Developer Guide, "Ensuring idempotency in Amazon EC2 API requests"). A zone that was derived from
// an instance may differ between two attempts, so the volume with the key's tag is used then.
func makeVolume(ctx context.Context, g *api.Region, in *ec2.CreateVolumeInput, key string) (string, error) {
	out, err := g.EC2.CreateVolume(ctx, in)
	if api.HasCode(err, "IdempotentParameterMismatch") {
		all, observed := volumes().Where(ctx, g, api.BornWith(key))
		if observed == nil && len(all) > 0 {
			return aws.ToString(all[0].VolumeId), nil
		}
	}
	if err != nil {
		return "", api.Classify("", err)
	}
	return aws.ToString(out.VolumeId), nil
}

// zoneFor is the configured zone, or that of the instance the volume is attached to. Amazon EC2 API
// Reference, AttachVolume: volume and instance must be in the same Availability Zone.
func zoneFor(ctx context.Context, g *api.Region, a resource.Attrs) (string, error) {
	if z, ok := api.Text(a, "zone"); ok && z != "" {
		return z, nil
	}
	to, _ := api.Text(a, "attach_to")
	if to == "" {
		return "", api.Mistake("", errors.New("a volume needs a zone"), "set zone, or attach_to")
	}
	i, err := api.OneInstance(ctx, g, to)
	if err != nil {
		return "", err
	}
	if i.Placement == nil || aws.ToString(i.Placement.AvailabilityZone) == "" {
		return "", api.Mistake("ec2.DescribeInstances", fmt.Errorf("%s reports no zone", to), "set zone")
	}
	return *i.Placement.AvailabilityZone, nil
}

// awaitVolume waits until a volume is ready. A volume that ends in error is never usable, so the
// wait fails at once. Amazon EC2 API Reference, CreateVolume: AWS checks the KMS key
// asynchronously, so the call "can appear to complete, but eventually fails".
func awaitVolume(ctx context.Context, g *api.Region, id, what string, ready func(types.Volume) bool) (v types.Volume,
	err error,
) {
	err = g.AwaitSeen(ctx, g.Wait.Compute, id+" "+what, func(ctx context.Context) error {
		if v, err = volumes().Poll(ctx, g, id); err != nil {
			return err
		}
		if v.State == types.VolumeStateError {
			return api.Mistake("ec2.CreateVolume", fmt.Errorf("%s ended in error", id),
				"check the key and the snapshot, delete the volume and apply again")
		}
		if !ready(v) {
			return api.ErrWait
		}
		return nil
	})
	return v, err
}

// allVolumes returns the volumes of a sweep. Instances and volumes both need the list, and it is
// read once.
func allVolumes(ctx context.Context, s *api.Sweep) ([]types.Volume, error) {
	return api.Once(s, api.KindEBS, func() ([]types.Volume, error) { return volumes().Swept(ctx, s) })
}

// checkVolume asks EC2 for a dry run, without the client token: the token belongs to the creation.
// A zone that comes from an instance which does not exist yet cannot be checked.
func checkVolume(ctx context.Context, g *api.Region, r provider.Request) error {
	_, zoned := api.Text(r.Desired.Attrs, "zone")
	if api.Unresolved(r.Desired.Attrs.Without("attach_to")) || !zoned && api.Unresolved(r.Desired.Attrs) {
		return nil
	}
	in, err := orderVolume(ctx, g, r)
	if err != nil {
		return err
	}
	in.ClientToken, in.DryRun = nil, aws.Bool(true)
	_, err = g.EC2.CreateVolume(ctx, in)
	return api.DryRun(err)
}

// loseVolume describes the data that a delete destroys: no snapshot is taken.
func loseVolume(o resource.Observed, _ resource.Attrs) string { return api.Gib("volume", o) }

// replaceVolume: an attached volume occupies its device. A volume that is or will be attached is
// deleted first: two volumes cannot have the same device of an instance.
func replaceVolume(d resource.Desired, have resource.Observed) []resource.Strategy {
	_, next := d.Attrs.Get("attach_to")
	if _, attached := have.Attrs.Get("attach_to"); attached || next {
		return api.DestroyFirst()
	}
	return api.CreateFirst()
}
