package aws

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

func volumes(ctx context.Context, g *region, in *ec2.DescribeVolumesInput) ([]types.Volume, error) {
	return pages(ctx, "ec2.DescribeVolumes", func(ctx context.Context, token *string) ([]types.Volume, *string, error) {
		in.NextToken, in.MaxResults = token, pageOf(in.VolumeIds)
		out, err := g.ec2.DescribeVolumes(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		return out.Volumes, out.NextToken, nil
	})
}

func volume(ctx context.Context, g *region, id string) (types.Volume, error) {
	all, err := volumes(ctx, g, &ec2.DescribeVolumesInput{VolumeIds: []string{id}})
	return only(all, err, "ec2.DescribeVolumes", id)
}

func observedVolume(g *region, v types.Volume) resource.Observed {
	o := resource.Observed{ID: aws.ToString(v.VolumeId), Since: aws.ToTime(v.CreateTime)}
	o.Health, o.Message = volumeHealth(v.State)
	a := attrs{}
	a.number("size", v.Size)
	a[volumeType] = resource.String(v.VolumeType)
	a.number("iops", v.Iops)
	a.number("throughput", v.Throughput)
	a.text("zone", v.AvailabilityZone)
	a.flag("encrypted", v.Encrypted)
	a.text(kmsKeyAttr, v.KmsKeyId)
	a.text("snapshot", v.SnapshotId)
	if at := attachment(v); at != nil {
		a.text("attach_to", at.InstanceId)
		a.text("device", at.Device)
	}
	o.Attrs = a.done()
	g.identify(&o, kindEBS, "", tagsOf(v.Tags))
	return o
}

func readVolume(ctx context.Context, g *region, id string) (resource.Observed, error) {
	v, err := volume(ctx, g, id)
	if err == nil && leaving(v, nil) && v.State != types.VolumeStateInUse {
		err = &provider.Error{Class: provider.NotFound, Op: "ec2.DescribeVolumes", Err: fmt.Errorf("%s is %s", id, v.State)}
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return observedVolume(g, v), nil
}

func volumeHealth(s types.VolumeState) (resource.Health, string) {
	switch s {
	case types.VolumeStateAvailable, types.VolumeStateInUse:
		return resource.Healthy, ""
	case types.VolumeStateCreating:
		return resource.Pending, ""
	case types.VolumeStateError:
		return resource.Failing, string(s)
	default:
		return resource.Unclear, string(s)
	}
}

// attachment is the current attachment of a volume, or the one under way.
func attachment(v types.Volume) *types.VolumeAttachment {
	for i, at := range v.Attachments {
		if at.State == types.VolumeAttachmentStateAttached || at.State == types.VolumeAttachmentStateAttaching || at.State == types.VolumeAttachmentStateBusy {
			return &v.Attachments[i]
		}
	}
	return nil
}

func createVolume(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	a := r.Desired.Attrs
	in, err := orderVolume(ctx, g, r)
	if err != nil {
		return resource.Observed{}, err
	}
	id, err := makeVolume(ctx, g, in, r.Key)
	if err != nil {
		return resource.Observed{}, err
	}
	v, err := awaitVolume(ctx, g, id, "to be usable", func(v types.Volume) bool { return v.State != types.VolumeStateCreating })
	if err != nil {
		return resource.Observed{}, err
	}
	if to, ok := text(a, "attach_to"); ok && to != "" {
		if v, err = attach(ctx, g, v, to, a); err != nil {
			return resource.Observed{}, err
		}
	}
	return observedVolume(g, v), nil
}

// orderVolume writes a volume as the call that creates it.
func orderVolume(ctx context.Context, g *region, r provider.Request) (*ec2.CreateVolumeInput, error) {
	a := r.Desired.Attrs
	zone, err := zoneFor(ctx, g, a)
	if err != nil {
		return nil, err
	}
	kind, _ := text(a, volumeType)
	in := &ec2.CreateVolumeInput{
		ClientToken: aws.String(r.Key), AvailabilityZone: aws.String(zone), VolumeType: types.VolumeType(kind),
		Size: desiredInt(a, "size"), Iops: desiredInt(a, "iops"), Throughput: desiredInt(a, "throughput"), SnapshotId: desired(a, "snapshot"),
		KmsKeyId:          desired(a, kmsKeyAttr),
		TagSpecifications: []types.TagSpecification{born(types.ResourceTypeVolume, g.birthTags(r, true))},
	}
	if on, _ := flag(a, "encrypted"); on {
		in.Encrypted = aws.Bool(true)
	}
	return in, nil
}

func makeVolume(ctx context.Context, g *region, in *ec2.CreateVolumeInput, key string) (string, error) {
	out, err := g.ec2.CreateVolume(ctx, in)
	if hasCode(err, "IdempotentParameterMismatch") {
		all, observed := volumes(ctx, g, &ec2.DescribeVolumesInput{Filters: bornWith(key)})
		if observed == nil && len(all) > 0 {
			return aws.ToString(all[0].VolumeId), nil
		}
	}
	if err != nil {
		return "", classify("", err)
	}
	return aws.ToString(out.VolumeId), nil
}

// zoneFor is the configured zone, or that of the instance the volume is attached to.
func zoneFor(ctx context.Context, g *region, a resource.Attrs) (string, error) {
	if z, ok := text(a, "zone"); ok && z != "" {
		return z, nil
	}
	to, _ := text(a, "attach_to")
	if to == "" {
		return "", permanent("", errors.New("a volume needs a zone"), "set zone, or attach_to")
	}
	i, err := oneInstance(ctx, g, to)
	if err != nil {
		return "", err
	}
	if i.Placement == nil || aws.ToString(i.Placement.AvailabilityZone) == "" {
		return "", permanent("ec2.DescribeInstances", fmt.Errorf("%s reports no zone", to), "set zone")
	}
	return *i.Placement.AvailabilityZone, nil
}

func desiredInt(a resource.Attrs, name string) *int32 {
	if n, ok := number(a, name); ok {
		return aws.Int32(int32(n))
	}
	return nil
}

// awaitVolume waits until a volume is ready.
func awaitVolume(ctx context.Context, g *region, id, what string, ready func(types.Volume) bool) (v types.Volume, err error) {
	err = g.awaitSeen(ctx, g.wait.Compute, id+" "+what, func(ctx context.Context) error {
		if v, err = pollVolume(ctx, g, id); err != nil {
			return err
		}
		if v.State == types.VolumeStateError {
			return permanent("ec2.CreateVolume", fmt.Errorf("%s ended in error", id), "check the key and the snapshot, delete the volume and apply again")
		}
		if !ready(v) {
			return errWait
		}
		return nil
	})
	return v, err
}

func allVolumes(ctx context.Context, s *sweep) ([]types.Volume, error) {
	return once(s, kindEBS, func() ([]types.Volume, error) {
		return allOrOwn(s, kindEBS, "volume-id", volumeID, volumesBy(ctx, s.region))
	})
}
