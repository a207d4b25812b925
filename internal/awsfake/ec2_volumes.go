package awsfake

import (
	"strconv"
	"time"
)

func volumeActions() map[string]handler {
	return map[string]handler{
		"CreateVolume": createVolume, "DescribeVolumes": describeVolumes, "DeleteVolume": deleteVolume,
		"AttachVolume": attachVolume, "DetachVolume": detachVolume,
		"ModifyVolume": modifyVolume, "DescribeVolumesModifications": describeModifications,
	}
}

type xmlAttachment struct {
	Volume   string    `xml:"volumeId"`
	Instance string    `xml:"instanceId"`
	Device   string    `xml:"device"`
	Status   string    `xml:"status"`
	At       time.Time `xml:"attachTime"`
	Kill     bool      `xml:"deleteOnTermination"`
}

type xmlVolume struct {
	ID         string          `xml:"volumeId"`
	Size       int             `xml:"size"`
	Snapshot   string          `xml:"snapshotId"`
	AZ         string          `xml:"availabilityZone"`
	Status     string          `xml:"status"`
	Made       time.Time       `xml:"createTime"`
	Attached   []xmlAttachment `xml:"attachmentSet>item"`
	Tags       []xmlTag        `xml:"tagSet>item"`
	Type       string          `xml:"volumeType"`
	IOPS       int             `xml:"iops,omitempty"`
	Throughput int             `xml:"throughput,omitempty"`
	Encrypted  bool            `xml:"encrypted"`
	KMS        string          `xml:"kmsKeyId,omitempty"`
	Multi      bool            `xml:"multiAttachEnabled"`
}

func (v *volume) tieView(now time.Time) xmlAttachment {
	t := v.Attached
	return xmlAttachment{v.ID, t.Instance, t.Device, t.Life.at(now), t.At, t.Kill}
}

func viewVolume(x *exchange, v *volume, status string) xmlVolume {
	out := xmlVolume{ID: v.ID, Size: v.Size, Snapshot: v.Snapshot, AZ: v.AZ, Status: status, Made: v.Made, Tags: tagSet(v.Tags), Type: v.Type, IOPS: v.IOPS, Throughput: v.Throughput, Encrypted: v.Encrypted, KMS: v.KMS}
	if v.tie(x.now) != nil {
		out.Attached = []xmlAttachment{v.tieView(x.now)}
	}
	if c := v.Change; c != nil && c.Life.at(x.now) == "modifying" {
		out.Size, out.Type, out.IOPS, out.Throughput = c.OldSize, c.OldType, c.OldIOPS, c.OldThrough
	}
	return out
}

// createVolume makes a volume; the token is honoured as that of RunInstances
// is (EC2 API reference: CreateVolume).
func createVolume(x *exchange) (any, error) {
	if err := x.checkToken(); err != nil {
		return nil, err
	}
	if made, ok, err := x.remembered(); err != nil {
		return nil, err
	} else if ok {
		v, found := find[*volume](x.tx, x.Region, made[0])
		if !found {
			return nil, notFound(made[0], "InvalidVolume.NotFound")
		}
		return viewVolume(x, v, v.status(x.now)), nil
	}
	az := x.p.str("AvailabilityZone")
	switch {
	case az == "":
		return nil, missing("AvailabilityZone")
	case !validZone(x.Region, az):
		return nil, failf("InvalidZone.NotFound", "The zone '%s' does not exist.", az)
	case !x.p.has("Size") && !x.p.has("SnapshotId"):
		return nil, missing("size")
	}
	size, err := x.p.num("Size", rootSize)
	if err != nil {
		return nil, err
	}
	v, err := readVolume(x.p, "volumeType", x.p.or("VolumeType", "gp2"), size)
	if err != nil {
		return nil, err
	}
	tags, err := x.specTags("volume")
	if err != nil {
		return nil, err
	}
	encrypt(x, v)
	v.base = x.tx.fresh("vol-", x.Region)
	v.AZ, v.Tags, v.Life = az, tags, through(x.now, x.settle, "available", "creating")
	if keyWrong(x, v) {
		v.Life = through(x.now, x.settle, "error", "creating")
	}
	x.tx.put(v)
	x.remember([]string{v.ID})
	return viewVolume(x, v, v.Life.first()), nil
}

func describeVolumes(x *exchange) (any, error) {
	all, err := named[*volume](x, "VolumeId", "InvalidVolume.NotFound")
	if err != nil {
		return nil, err
	}
	if all, err = filtered(x, all, func(v *volume, name string) ([]string, bool) { return volumeValues(x, v, name) }); err != nil {
		return nil, err
	}
	rows, next, err := ec2Page(x, all, "VolumeId", 1000)
	if err != nil {
		return nil, err
	}
	var out []xmlVolume
	for _, v := range rows {
		out = append(out, viewVolume(x, v, v.status(x.now)))
	}
	return struct {
		Set  []xmlVolume `xml:"volumeSet>item"`
		Next *string     `xml:"nextToken"`
	}{out, next}, nil
}

func volumeValues(x *exchange, v *volume, name string) ([]string, bool) {
	t := v.tie(x.now)
	if t == nil {
		t = &attached{}
	}
	switch name {
	case "volume-id":
		return one(v.ID)
	case "volume-type":
		return one(v.Type)
	case "size":
		return one(strconv.Itoa(v.Size))
	case "status":
		return one(v.status(x.now))
	case "availability-zone":
		return one(v.AZ)
	case "snapshot-id":
		return one(v.Snapshot)
	case "encrypted":
		return truth(v.Encrypted)
	case "attachment.instance-id":
		return one(t.Instance)
	case "attachment.device":
		return one(t.Device)
	case "attachment.status":
		if t.Instance == "" {
			return nil, true
		}
		return one(t.Life.at(x.now))
	case "attachment.delete-on-termination":
		if t.Instance == "" {
			return nil, true
		}
		return truth(t.Kill)
	}
	return nil, false
}

func volumeOf(x *exchange) (*volume, error) {
	id := x.p.str("VolumeId")
	if id == "" {
		return nil, missing("volumeId")
	}
	v, ok := find[*volume](x.tx, x.Region, id)
	if !ok {
		return nil, notFound(id, "InvalidVolume.NotFound")
	}
	return v, nil
}

// deleteVolume: an attached volume stays (EC2 API reference: DeleteVolume, the
// volume must be available).
func deleteVolume(x *exchange) (any, error) {
	v, err := volumeOf(x)
	if err != nil {
		return nil, err
	}
	switch status := v.status(x.now); status {
	case "available", "error":
	case "in-use":
		return nil, failf("VolumeInUse", "Volume %s is currently attached to %s", v.ID, v.Attached.Instance)
	default:
		return nil, failf("IncorrectState", "The volume '%s' is in the state '%s' and cannot be deleted.", v.ID, status)
	}
	n := *v
	n.Life = through(x.now, x.settle, "deleting", "deleting")
	n.Until = n.Life.end()
	x.tx.put(&n)
	return success{Return: true}, nil
}
