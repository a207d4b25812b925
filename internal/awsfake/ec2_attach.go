package awsfake

// deviceName is what AWS allows for Linux instances ("Device names for volumes
// on Amazon EC2 instances").
var deviceName = late(`^(/dev/(sd[b-z][0-9]*|xvd[b-z][a-z]?|sda[0-9]*)|xvd[b-z][a-z]?|/dev/nvme[0-9]+n1)$`)

// attachVolume: volume and instance in one zone, the volume free, the instance
// running or stopped (EC2 API reference: AttachVolume).
func attachVolume(x *exchange) (any, error) {
	v, err := volumeOf(x)
	if err != nil {
		return nil, err
	}
	in, err := instanceOf(x)
	if err != nil {
		return nil, err
	}
	device := x.p.str("Device")
	switch state := in.Life.at(x.now); {
	case device == "":
		return nil, missing("device")
	case !deviceName.MatchString(device):
		return nil, failf("InvalidParameterValue", "Value (%s) for parameter device is invalid. %s is not a valid EBS device name.", device, device)
	case v.status(x.now) == "in-use":
		return nil, failf("VolumeInUse", "%s is already attached to an instance", v.ID)
	case v.status(x.now) != "available":
		return nil, failf("IncorrectState", "%s is not 'available'.", v.ID)
	case state != "running" && state != "stopped":
		return nil, failf("IncorrectState", "Instance '%s' is not 'running' or 'stopped' (it is %s).", in.ID, state)
	case v.AZ != in.AZ:
		return nil, failf("InvalidVolume.ZoneMismatch", "The volume '%s' is not in the same availability zone as instance '%s'", v.ID, in.ID)
	}
	for _, d := range disksOf(x, in.ID) {
		if d.Attached.Device == device {
			return nil, failf("InvalidParameterValue", "Invalid value '%s' for unixDevice. Attachment point %s is already in use", device, device)
		}
	}
	n := *v
	n.Attached = &attached{Instance: in.ID, Device: device, At: x.now, Life: through(x.now, x.settle, "attached", "attaching")}
	x.tx.put(&n)
	out := n.tieView(x.now)
	out.Status = n.Attached.Life.first()
	return out, nil
}

// detachVolume: a root volume comes off a stopped instance only (EC2 API
// reference: DetachVolume).
func detachVolume(x *exchange) (any, error) {
	x.p.str("Force")
	v, err := volumeOf(x)
	if err != nil {
		return nil, err
	}
	t := v.tie(x.now)
	if t == nil {
		return nil, failf("IncorrectState", "Volume '%s' is in the 'available' state.", v.ID)
	}
	if id := x.p.str("InstanceId"); id != "" && id != t.Instance {
		return nil, failf("InvalidAttachment.NotFound", "The volume '%s' is not attached to instance '%s'.", v.ID, id)
	}
	if d := x.p.str("Device"); d != "" && d != t.Device {
		return nil, failf("InvalidAttachment.NotFound", "The volume '%s' is not attached to instance '%s' as device '%s'.", v.ID, t.Instance, d)
	}
	in, alive := find[*instance](x.tx, x.Region, t.Instance)
	if alive && in.Root == t.Device && in.Life.at(x.now) != "stopped" {
		return nil, failf("OperationNotPermitted", "Unable to detach root volume '%s' from instance '%s'", v.ID, in.ID)
	}
	n, tie := *v, *t
	tie.Life = through(x.now, x.settle, "detached", "detaching")
	if tie.Mounted && alive && in.Life.at(x.now) != "stopped" {
		tie.Life = steady("busy") // until it is unmounted ("Detach an Amazon EBS volume": busy)
	}
	n.Attached = &tie
	x.tx.put(&n)
	out := n.tieView(x.now)
	out.Status = "detaching"
	return out, nil
}

// release ends what a stopped instance has mounted: what was to be detached comes free.
func release(x *exchange, in *instance) {
	for _, v := range disksOf(x, in.ID) {
		if !v.Attached.Mounted {
			continue
		}
		n, tie := *v, *v.Attached
		tie.Mounted = false
		if tie.Life.at(x.now) == "busy" {
			tie.Life = through(x.now, x.settle, "detached", "detaching")
		}
		n.Attached = &tie
		x.tx.put(&n)
	}
}
