package compute

import (
	"fmt"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// volumeLimit is what one type of volume allows: GiB, operations per second (0 where they can't
// be set) and how many of those per GiB. Sizes and operations are those of CreateVolumeInput
// (aws-sdk-go-v2/service/ec2), the ratios those of "Amazon EBS volume types".
type volumeLimit struct{ least, most, leastIOPS, mostIOPS, ratio int64 }

// limitsOf returns the limits of a volume type; false for a type that it does not know.
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

// volumeType is the attribute of ebs that holds the type; type itself is the kind.
const volumeType = "volume_type"

// judgeVolume checks the attributes of a volume against its type, which the attribute kind holds;
// gp3 if it is not set. The rules need no call, so they are checked with the configuration. A rule
// that needs an unset attribute is skipped: AWS chooses the value then.
func judgeVolume(a resource.Attrs, kind string) (out []resource.Problem) {
	wrong := func(path, suggestion, format string, args ...any) {
		out = append(out, resource.Problem{Path: path, Summary: fmt.Sprintf(format, args...), Suggestion: suggestion})
	}
	volume, said := api.Text(a, kind)
	// CreateVolume has another default, gp2; ovi always sends a type.
	if !said {
		volume = "gp3"
	}
	limit, ok := limitsOf(volume)
	if !ok {
		return nil // the schema reports it
	}
	size, sized := api.Number(a, "size")
	if sized && (size < limit.least || size > limit.most) {
		wrong("size", fmt.Sprintf("use %d to %d, or another type", limit.least, limit.most), "%s does not support %d GiB",
			volume, size)
	}
	iops, configuredAs := api.Number(a, "iops")
	switch {
	case configuredAs && limit.mostIOPS == 0:
		wrong("iops", "omit iops, or use "+kind+": gp3", "%s does not support iops", volume)
	case configuredAs && (iops < limit.leastIOPS || iops > limit.mostIOPS):
		wrong("iops", fmt.Sprintf("use %d to %d, or another type", limit.leastIOPS, limit.mostIOPS),
			"%s does not support %d iops", volume, iops)
	case configuredAs && sized && iops > limit.leastIOPS && iops > size*limit.ratio:
		wrong("iops", fmt.Sprintf("use at most %d, or a larger size", max(size*limit.ratio, limit.leastIOPS)),
			"%s allows %d iops per GiB: %d GiB are too few for %d", volume, limit.ratio, size, iops)
	}
	if !configuredAs && (volume == "io1" || volume == "io2") {
		wrong(kind, "iops: 3000", "%s requires iops", volume)
	}
	through, configured := api.Number(a, "throughput")
	switch {
	case configured && volume != "gp3":
		wrong("throughput", "omit throughput, or use "+kind+": gp3", "%s does not support throughput", volume)
	case configured && through*4 > max(iops, limit.leastIOPS):
		wrong("throughput", fmt.Sprintf("use at most %d, or iops: %d", max(iops, limit.leastIOPS)/4, through*4),
			"gp3 allows 0.25 MiB/s per operation per second: %d are too few for %d", max(iops, limit.leastIOPS), through)
	}
	// "If you specify KmsKeyId, the encrypted state must be true" (CreateVolumeInput).
	if on, set := api.Flag(a, "encrypted"); set && !on {
		if _, key := a.Get(api.KMSKeyAttr); key {
			wrong(api.KMSKeyAttr, "omit encrypted, or kms_key", "a key is set, and the volume is not encrypted")
		}
	}
	return out
}

// disks finds conflicts of two volumes, or of a volume and its instance. Two volumes conflict if
// they have the same device of the same instance. The message is at the later of the two in the
// configuration, so that its place does not depend on the order of reading.
func disks(c *api.Checking) {
	type hook struct{ instance, device string }
	taken := map[hook]*resource.Desired{}
	for _, d := range c.Configured {
		v, attached := d.Attrs.Get("attach_to")
		if !attached {
			continue
		}
		zoneOfDisk(c, d)
		device, said := api.Text(d.Attrs, "device")
		if !said {
			device = api.DefaultDevice
		}
		at := hook{d.Ref.Location + " " + string(resource.AppendJSON(nil, v)), device}
		first, again := taken[at]
		if !again {
			taken[at] = d
			continue
		}
		second := d
		if api.Earlier(second, first) {
			first, second = second, first
		}
		// AttachVolume: "Attachment point … is already in use".
		c.Wrong(second, "device", "use another device, for example device: /dev/sdg",
			"device %s of the instance is already used by ebs/%s", device, api.WhereConfigured(first))
	}
}

// zoneOfDisk: "The volume and instance must be in the same Availability Zone" (AttachVolume,
// InvalidVolume.ZoneMismatch). If the instance has a subnet, the zone of the subnet decides. A zone
// that is not configured is not known before an apply.
func zoneOfDisk(c *api.Checking, d *resource.Desired) {
	zone, said := api.Text(d.Attrs, "zone")
	instance := c.Other(d, "attach_to")
	if !said || instance == nil {
		return
	}
	where, known := api.Text(instance.Attrs, "zone")
	if subnet := c.Other(instance, "subnet"); subnet != nil {
		where, known = api.Text(subnet.Attrs, "zone")
	}
	if known && where != zone {
		c.Wrong(d, "zone", "omit zone: the volume uses the instance's", "the volume is in %s, and ec2/%s is in %s", zone,
			api.WhereConfigured(instance), where)
	}
}
