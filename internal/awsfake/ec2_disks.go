package awsfake

import "cmp"

// rootDevice is where the images of the sandbox have their root volume;
// rootSize is the size of the snapshot behind it, in GiB.
const (
	rootDevice = "/dev/xvda"
	rootSize   = 8
)

// disk is a requested volume of a new instance.
type disk struct {
	volume
	device string
	kill   bool
}

// launchDisks reads the block device mappings: the root volume, changed or
// not, and further ones ("Block device mappings").
func launchDisks(x *exchange) ([]disk, error) {
	root := disk{volume: volume{Size: rootSize, Type: "gp3", IOPS: 3000, Throughput: 125, Snapshot: rootSnapshot}, device: rootDevice, kill: true}
	out := []disk{root}
	for _, m := range x.p.items("BlockDeviceMapping") {
		device := m.str("DeviceName")
		if device == "" {
			return nil, failf("InvalidBlockDeviceMapping", "A block device mapping needs a DeviceName.")
		}
		if m.has("NoDevice") || m.has("VirtualName") {
			return nil, failf("Unsupported", "The sandbox supports EBS volumes only, and its images map only %s.", rootDevice)
		}
		d := &out[0]
		if device != rootDevice {
			out = append(out, disk{volume: volume{Type: "gp2"}, device: device, kill: true})
			d = &out[len(out)-1]
		}
		if err := readDisk(m.at("Ebs"), d); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func readDisk(p *params, d *disk) error {
	size, err := p.num("VolumeSize", d.Size)
	if err != nil {
		return err
	}
	if d.Snapshot != "" && size < d.Size {
		return failf("InvalidBlockDeviceMapping", "Volume of size %dGB is smaller than snapshot '%s', expect size>= %dGB", size, d.Snapshot, d.Size)
	}
	d.Size = size
	d.kill = p.flag("DeleteOnTermination", d.kill)
	snapshot := p.or("SnapshotId", d.Snapshot)
	v, err := readVolume(p, "VolumeType", cmp.Or(p.str("VolumeType"), d.Type), size)
	if err != nil {
		return err
	}
	d.volume = *v
	d.Snapshot = snapshot
	return nil
}

// attachNew makes the volumes of a new instance.
func attachNew(x *exchange, in *instance, disks []disk, tags map[string]string) {
	for _, d := range disks {
		v := d.volume
		encrypt(x, &v)
		v.base = x.tx.fresh("vol-", x.Region)
		v.AZ, v.Tags, v.Life = in.AZ, tags, steady("available")
		v.Attached = &attached{Instance: in.ID, Device: d.device, Kill: d.kill, At: x.now, Life: through(x.now, x.settle, "attached", "attaching")}
		x.tx.put(&v)
	}
}

// disksOf lists the volumes tied to an instance.
func disksOf(x *exchange, id string) []*volume {
	var out []*volume
	for _, v := range below[*volume](x.tx, x.Region, id) {
		if !v.gone(x.now) && v.tie(x.now) != nil {
			out = append(out, v)
		}
	}
	return out
}
