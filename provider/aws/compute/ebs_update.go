package compute

import (
	"cmp"
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// updateVolume changes size and performance first and the attachment last. Each part compares with
// the live volume, so an interrupted update can be repeated.
func updateVolume(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	id := r.Have.ID
	if err := reshape(ctx, g, id, r.Desired.Attrs, volumeType,
		func(path string) bool { return api.Changed(r, path) }); err != nil {
		return resource.Observed{}, err
	}
	v, err := volumes().One(ctx, g, id)
	if err == nil && api.Changed(r, "attach_to", "device") {
		v, err = reattach(ctx, g, v, r.Desired.Attrs)
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return observedVolume(g, v), nil
}

// reshape changes a volume in use. It can only grow: shrinking would lose data, so it is refused,
// and not answered with a new volume. kind is the attribute that holds the type, which has another
// name in a root volume. Amazon EC2 API Reference, ModifyVolume: "The target volume size must be
// greater than or equal to the existing size of the volume".
func reshape(ctx context.Context, g *api.Region, id string, want resource.Attrs, kind string,
	changed func(string) bool,
) error {
	if !changed("size") && !changed(kind) && !changed("iops") && !changed("throughput") {
		return nil
	}
	v, err := volumes().One(ctx, g, id)
	if err != nil {
		return err
	}
	if n := api.DesiredInt(want, "size"); n != nil && changed("size") && *n < aws.ToInt32(v.Size) {
		return api.Mistake("ec2.ModifyVolume",
			fmt.Errorf("%s has %d GiB and cannot shrink to %d", id, aws.ToInt32(v.Size), *n),
			"create a new volume and copy the data: a volume can only grow")
	}
	in := reshaping(v, want, kind, changed)
	if in == nil {
		// An earlier attempt may have ordered the change. A volume that was never modified has nothing to wait for.
		if _, err := pollModification(ctx, g, id); api.Absent(err) {
			return nil
		}
		return awaitReshaped(ctx, g, id)
	}
	if _, err := g.EC2.ModifyVolume(ctx, in); err != nil {
		return api.Classify("", err)
	}
	return awaitReshaped(ctx, g, id)
}

// reshaping is the call that makes the changes; nil if they are made already, because AWS accepts
// one such call in hours. Amazon EC2 API Reference, ModifyVolume: "you must wait for that
// modification to reach the completed state before you can initiate another modification", so a
// repeated call would be refused.
func reshaping(v types.Volume, want resource.Attrs, kind string, changed func(string) bool) *ec2.ModifyVolumeInput {
	in := &ec2.ModifyVolumeInput{VolumeId: v.VolumeId}
	any := false
	pick := func(name string, now *int32) *int32 {
		n := api.DesiredInt(want, name)
		if n == nil || !changed(name) || now != nil && *n == *now {
			return nil
		}
		any = true
		return n
	}
	in.Size, in.Iops, in.Throughput = pick("size", v.Size), pick("iops", v.Iops), pick("throughput", v.Throughput)
	if s, ok := api.Text(want, kind); ok && changed(kind) && types.VolumeType(s) != v.VolumeType {
		in.VolumeType = types.VolumeType(s)
		any = true
	}
	if !any {
		return nil
	}
	return in
}

// awaitReshaped waits until the new size is available; AWS optimizes the volume for hours.
func awaitReshaped(ctx context.Context, g *api.Region, id string) error {
	return g.AwaitSeen(ctx, g.Wait.Compute, id+" to change", func(ctx context.Context) error {
		m, err := pollModification(ctx, g, id)
		if err != nil {
			return err
		}
		switch m.ModificationState {
		case types.VolumeModificationStateModifying:
			return api.ErrWait
		case types.VolumeModificationStateFailed:
			return api.Mistake("ec2.ModifyVolume", fmt.Errorf("%s: %s", id, aws.ToString(m.StatusMessage)), "")
		default: // optimizing takes hours, during use
		}
		return nil
	})
}

// reattach attaches a volume to the configured instance, or detaches it. If no device is
// configured, any device is accepted: an operator may have attached the volume under another name.
func reattach(ctx context.Context, g *api.Region, v types.Volume, want resource.Attrs) (types.Volume, error) {
	to, _ := api.Text(want, "attach_to")
	at := attachment(v)
	device, set := api.Text(want, "device")
	if at != nil && aws.ToString(at.InstanceId) == to && (!set || aws.ToString(at.Device) == device) {
		return v, nil
	}
	var err error
	// An attachment that is already ending is waited for too.
	if len(v.Attachments) > 0 {
		if v, err = detach(ctx, g, v); err != nil {
			return v, err
		}
	}
	if to == "" {
		return v, nil
	}
	return attach(ctx, g, v, to, want)
}

// deviceOf returns the configured device, or else the default of the kind.
func deviceOf(want resource.Attrs) string {
	if d, ok := api.Text(want, "device"); ok {
		return d
	}
	return "/dev/sdf"
}

// attach attaches a volume and waits for it. An instance that is starting or stopping refuses with
// a state code, which is waited for. VolumeInUse by the configured instance is success: an earlier
// call attached it.
func attach(ctx context.Context, g *api.Region, v types.Volume, to string, want resource.Attrs) (types.Volume, error) {
	id := aws.ToString(v.VolumeId)
	if at := attachment(v); at != nil && aws.ToString(at.InstanceId) == to {
		return awaitVolume(ctx, g, id, "to be attached", attached)
	}
	err := g.Patiently(ctx, g.Wait.Appear, func() error {
		_, err := g.EC2.AttachVolume(ctx, &ec2.AttachVolumeInput{
			VolumeId: aws.String(id), InstanceId: aws.String(to),
			Device: aws.String(deviceOf(want)),
		})
		return api.Classify("", err)
	}, "InvalidInstanceID.NotFound", "IncorrectState", "IncorrectInstanceState", "InvalidVolume.NotFound")
	if api.HasCode(err, "VolumeInUse") { // perhaps by an earlier call whose answer was lost
		now, obs := volumes().One(ctx, g, id)
		if at := attachment(now); obs == nil && at != nil && aws.ToString(at.InstanceId) == to {
			err = nil
		}
	}
	if err != nil {
		return v, err
	}
	return awaitVolume(ctx, g, id, "to be attached", attached)
}

// attached reports that a volume can be used on its instance.
func attached(v types.Volume) bool {
	at := attachment(v)
	return at != nil && at.State == types.VolumeAttachmentStateAttached
}

// detach detaches a volume, never by force: the instance may still write. Amazon EC2 API Reference,
// DetachVolume: a mounted file system "can result in the volume becoming stuck in the busy state".
// Then detach reports the instance instead of waiting until the limit; the detachment stays
// requested and completes when the file system is unmounted.
func detach(ctx context.Context, g *api.Region, v types.Volume) (types.Volume, error) {
	id := aws.ToString(v.VolumeId)
	if at := attachment(v); at != nil {
		_, err := g.EC2.DetachVolume(ctx, &ec2.DetachVolumeInput{VolumeId: aws.String(id), InstanceId: at.InstanceId})
		if err != nil && !api.HasCode(err, "IncorrectState", "InvalidAttachment.NotFound") {
			return v, api.Classify("", err)
		}
	}
	since := g.Clock()
	var mounted error
	v, err := awaitVolume(ctx, g, id, "to be detached from its instance (unmount it there)", func(v types.Volume) bool {
		// AWS shows a volume as busy until its file system is unmounted, which ovi cannot do.
		at := attachment(v)
		if at != nil && at.State == types.VolumeAttachmentStateBusy && g.Clock().Sub(since) > g.Wait.Appear {
			mounted = api.InUse("ec2.DetachVolume",
				fmt.Errorf("%s is mounted on %s", aws.ToString(v.VolumeId), aws.ToString(at.InstanceId)),
				"unmount it there, or stop the instance (state: stopped), then apply again; it is never detached by force")
		}
		return mounted != nil || v.State == types.VolumeStateAvailable
	})
	return v, cmp.Or(err, mounted)
}

// deleteVolume detaches and deletes a volume and waits until it is gone. A volume that does not
// exist is success, also at each later step. Amazon EC2 API Reference, DeleteVolume: "The volume
// must be in the available state (not attached to an instance)", and it "can remain in the deleting
// state for several minutes".
func deleteVolume(ctx context.Context, g *api.Region, r provider.Request) error {
	id := r.Have.ID
	v, err := volumes().One(ctx, g, id)
	if err == nil && len(v.Attachments) > 0 {
		_, err = detach(ctx, g, v)
	}
	if api.Absent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = g.EC2.DeleteVolume(ctx, &ec2.DeleteVolumeInput{VolumeId: aws.String(id)})
	if err != nil && !api.Absent(err) {
		return err
	}
	return g.Await(ctx, g.Wait.Compute, id+" to be gone", func(ctx context.Context) error {
		v, err := volumes().Poll(ctx, g, id)
		switch {
		case api.Absent(err) || err == nil && v.State == types.VolumeStateDeleted:
			return nil
		case err != nil:
			return err
		}
		return api.ErrWait
	})
}
