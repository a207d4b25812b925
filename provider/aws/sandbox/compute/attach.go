package compute

import (
	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// deviceName is what AWS allows for Linux instances ("Device names for volumes
// on Amazon EC2 instances").
var deviceName = wire.Late(`^(/dev/(sd[b-z][0-9]*|xvd[b-z][a-z]?|sda[0-9]*)|xvd[b-z][a-z]?|/dev/nvme[0-9]+n1)$`)

// attachVolume: volume and instance in one zone, the volume free, the instance
// running or stopped (EC2 API reference: AttachVolume).
func attachVolume(x *core.Exchange) (any, error) {
	v, err := volumeOf(x)
	if err != nil {
		return nil, err
	}
	in, err := ec2.InstanceOf(x)
	if err != nil {
		return nil, err
	}
	device := x.P.Str("Device")
	switch state := in.Life.At(x.Now); {
	case device == "":
		return nil, wire.Missing("device")
	case !deviceName.MatchString(device):
		return nil, wire.Failf("InvalidParameterValue",
			"Value (%s) for parameter device is invalid. %s is not a valid EBS device name.", device, device)
	case v.status(x.Now) == "in-use":
		return nil, wire.Failf("VolumeInUse", "%s is already attached to an instance", v.ID)
	case v.status(x.Now) != "available":
		return nil, wire.Failf("IncorrectState", "%s is not 'available'.", v.ID)
	case state != "running" && state != "stopped":
		return nil, wire.Failf("IncorrectState", "Instance '%s' is not 'running' or 'stopped' (it is %s).", in.ID, state)
	case v.AZ != in.AZ:
		return nil, wire.Failf("InvalidVolume.ZoneMismatch",
			"The volume '%s' is not in the same availability zone as instance '%s'", v.ID, in.ID)
	}
	for _, d := range disksOf(x, in.ID) {
		if d.Attached.Device == device {
			return nil, wire.Failf("InvalidParameterValue",
				"Invalid value '%s' for unixDevice. Attachment point %s is already in use", device, device)
		}
	}
	n := *v
	n.Attached = &attached{
		Instance: in.ID, Device: device, At: x.Now,
		Life: core.Through(x.Now, x.Settle, "attached", "attaching"),
	}
	x.Tx.Put(&n)
	out := n.tieView(x.Now)
	out.Status = n.Attached.Life.First()
	return out, nil
}

// detachVolume: a root volume comes off a stopped instance only (EC2 API
// reference: DetachVolume).
func detachVolume(x *core.Exchange) (any, error) {
	x.P.Str("Force")
	v, err := volumeOf(x)
	if err != nil {
		return nil, err
	}
	t := v.tie(x.Now)
	if t == nil {
		return nil, wire.Failf("IncorrectState", "Volume '%s' is in the 'available' state.", v.ID)
	}
	if id := x.P.Str("InstanceId"); id != "" && id != t.Instance {
		return nil, wire.Failf("InvalidAttachment.NotFound", "The volume '%s' is not attached to instance '%s'.", v.ID, id)
	}
	if d := x.P.Str("Device"); d != "" && d != t.Device {
		return nil, wire.Failf("InvalidAttachment.NotFound",
			"The volume '%s' is not attached to instance '%s' as device '%s'.", v.ID, t.Instance, d)
	}
	in, alive := core.Find[*ec2.Instance](x.Tx, x.Region, t.Instance)
	if alive && in.Root == t.Device && in.Life.At(x.Now) != "stopped" {
		return nil, wire.Failf("OperationNotPermitted", "Unable to detach root volume '%s' from instance '%s'", v.ID, in.ID)
	}
	n, tie := *v, *t
	tie.Life = core.Through(x.Now, x.Settle, "detached", "detaching")
	if tie.Mounted && alive && in.Life.At(x.Now) != "stopped" {
		tie.Life = core.Steady("busy") // until it is unmounted ("Detach an Amazon EBS volume": busy)
	}
	n.Attached = &tie
	x.Tx.Put(&n)
	out := n.tieView(x.Now)
	out.Status = "detaching"
	return out, nil
}

// release ends what a stopped instance has mounted: what was to be detached comes free.
func release(x *core.Exchange, in *ec2.Instance) {
	for _, v := range disksOf(x, in.ID) {
		if !v.Attached.Mounted {
			continue
		}
		n, tie := *v, *v.Attached
		tie.Mounted = false
		if tie.Life.At(x.Now) == "busy" {
			tie.Life = core.Through(x.Now, x.Settle, "detached", "detaching")
		}
		n.Attached = &tie
		x.Tx.Put(&n)
	}
}
