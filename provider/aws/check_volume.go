package aws

import (
	"fmt"

	"github.com/ovi-project/ovi/resource"
)

// volumeLimit is what one type of volume allows: GiB, operations a second (0 where they can't
// be wished) and how many of those for each GiB. Sizes and operations are those of
// CreateVolumeInput (aws-sdk-go-v2/service/ec2), the ratios those of "Amazon EBS volume types".
type volumeLimit struct{ least, most, leastIOPS, mostIOPS, ratio int64 }

func limitsOf(volume string) (volumeLimit, bool) {
	switch volume {
	case "gp3":
		return volumeLimit{1, 65536, 3000, 80000, 500}, true
	case "gp2":
		return volumeLimit{1, 16384, 0, 0, 0}, true
	case "io1":
		return volumeLimit{4, 16384, 100, 64000, 50}, true
	case "io2":
		return volumeLimit{4, 65536, 100, 256000, 1000}, true
	case "st1", "sc1":
		return volumeLimit{125, 16384, 0, 0, 0}, true
	case "standard":
		return volumeLimit{1, 1024, 0, 0, 0}, true
	}
	return volumeLimit{}, false
}

// volumeType is the attribute of ebs that says the type: type itself says that it is an ebs.
const volumeType = "volume_type"

// judgeVolume holds what a wish says of a volume against its type, which the attribute kind
// says; gp3 where it says none.
func judgeVolume(a resource.Attrs, kind string) (out []resource.Problem) {
	wrong := func(path, suggestion, format string, args ...any) {
		out = append(out, resource.Problem{Path: path, Summary: fmt.Sprintf(format, args...), Suggestion: suggestion})
	}
	volume, said := text(a, kind)
	if !said {
		volume = "gp3"
	}
	limit, ok := limitsOf(volume)
	if !ok {
		return nil // the schema has told
	}
	size, sized := number(a, "size")
	if sized && (size < limit.least || size > limit.most) {
		wrong("size", fmt.Sprintf("from %d to %d, or another type", limit.least, limit.most), "%s has no volumes of %d GiB", volume, size)
	}
	iops, configuredAs := number(a, "iops")
	switch {
	case configuredAs && limit.mostIOPS == 0:
		wrong("iops", "leave iops out, or take "+kind+": gp3", "the iops of %s can't be chosen", volume)
	case configuredAs && (iops < limit.leastIOPS || iops > limit.mostIOPS):
		wrong("iops", fmt.Sprintf("from %d to %d, or another type", limit.leastIOPS, limit.mostIOPS), "%s has no volumes with %d iops", volume, iops)
	case configuredAs && sized && iops > limit.leastIOPS && iops > size*limit.ratio:
		wrong("iops", fmt.Sprintf("at most %d, or a larger size", max(size*limit.ratio, limit.leastIOPS)), "%s gives %d iops for each GiB, and %d GiB are too few for %d", volume, limit.ratio, size, iops)
	}
	through, configured := number(a, "throughput")
	switch {
	case configured && volume != "gp3":
		wrong("throughput", "leave throughput out, or take "+kind+": gp3", "the throughput of %s can't be chosen", volume)
	case configured && through*4 > max(iops, limit.leastIOPS):
		wrong("throughput", fmt.Sprintf("at most %d, or iops: %d", max(iops, limit.leastIOPS)/4, through*4),
			"gp3 gives a quarter MiB/s for each operation a second, and %d are too few for %d", max(iops, limit.leastIOPS), through)
	}
	return out
}

// disks finds what two disks, or a disk and its instance, can't have together.
func disks(c *checking) {
	type hook struct{ instance, device string }
	taken := map[hook]*resource.Desired{}
	for _, d := range c.configured {
		v, attached := d.Attrs.Get("attach_to")
		if !attached {
			continue
		}
		c.zoneOfDisk(d)
		device, said := text(d.Attrs, "device")
		if !said {
			device = defaultDevice
		}
		at := hook{d.Ref.Location + " " + string(resource.AppendJSON(nil, v)), device}
		first, again := taken[at]
		if !again {
			taken[at] = d
			continue
		}
		second := d
		if earlier(second, first) {
			first, second = second, first
		}
		// AttachVolume: "Attachment point … is already in use".
		c.wrong(second, "device", "another device, such as device: /dev/sdg", "%s of the instance is taken already by ebs/%s", device, location(first))
	}
}

// zoneOfDisk: "The volume and instance must be in the same Availability Zone" (AttachVolume,
// InvalidVolume.ZoneMismatch).
func (c *checking) zoneOfDisk(d *resource.Desired) {
	zone, said := text(d.Attrs, "zone")
	instance := c.other(d, "attach_to")
	if !said || instance == nil {
		return
	}
	where, known := text(instance.Attrs, "zone")
	if subnet := c.other(instance, "subnet"); subnet != nil {
		where, known = text(subnet.Attrs, "zone")
	}
	if known && where != zone {
		c.wrong(d, "zone", "leave zone out: the disk takes the instance's", "the disk is wished in %s, and ec2/%s stands in %s", zone, location(instance), where)
	}
}
