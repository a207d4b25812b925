package compute

import (
	"cmp"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

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
func launchDisks(x *core.Exchange) ([]disk, error) {
	root := disk{
		volume: volume{Size: rootSize, Type: "gp3", IOPS: 3000, Throughput: 125, Snapshot: rootSnapshot},
		device: rootDevice, kill: true,
	}
	out := []disk{root}
	for _, m := range x.P.Items("BlockDeviceMapping") {
		device := m.Str("DeviceName")
		if device == "" {
			return nil, wire.Failf("InvalidBlockDeviceMapping", "A block device mapping needs a DeviceName.")
		}
		if m.Has("NoDevice") || m.Has("VirtualName") {
			return nil, wire.Failf("Unsupported", "The sandbox supports EBS volumes only, and its images map only %s.",
				rootDevice)
		}
		d := &out[0]
		if device != rootDevice {
			out = append(out, disk{volume: volume{Type: "gp2"}, device: device, kill: true})
			d = &out[len(out)-1]
		}
		if err := readDisk(m.At("Ebs"), d); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func readDisk(p *wire.Params, d *disk) error {
	size, err := p.Num("VolumeSize", d.Size)
	if err != nil {
		return err
	}
	if d.Snapshot != "" && size < d.Size {
		return wire.Failf("InvalidBlockDeviceMapping",
			"Volume of size %dGB is smaller than snapshot '%s', expect size>= %dGB", size, d.Snapshot, d.Size)
	}
	d.Size = size
	d.kill = p.Flag("DeleteOnTermination", d.kill)
	snapshot := p.Or("SnapshotId", d.Snapshot)
	v, err := readVolume(p, "VolumeType", cmp.Or(p.Str("VolumeType"), d.Type), size)
	if err != nil {
		return err
	}
	d.volume = *v
	d.Snapshot = snapshot
	return nil
}

// attachNew makes the volumes of a new instance.
func attachNew(x *core.Exchange, in *ec2.Instance, disks []disk, tags map[string]string) {
	for _, d := range disks {
		v := d.volume
		encrypt(x, &v)
		v.Base = x.Tx.Fresh("vol-", x.Region)
		v.AZ, v.Tags, v.Life = in.AZ, tags, core.Steady("available")
		v.Attached = &attached{
			Instance: in.ID, Device: d.device, Kill: d.kill, At: x.Now,
			Life: core.Through(x.Now, x.Settle, "attached", "attaching"),
		}
		x.Tx.Put(&v)
	}
}

// disksOf lists the volumes tied to an instance.
func disksOf(x *core.Exchange, id string) []*volume {
	var out []*volume
	for _, v := range core.Below[*volume](x.Tx, x.Region, id) {
		if !v.Gone(x.Now) && v.tie(x.Now) != nil {
			out = append(out, v)
		}
	}
	return out
}
