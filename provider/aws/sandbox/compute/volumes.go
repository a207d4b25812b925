package compute

import (
	"strconv"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func volumeActions() map[string]core.Handler {
	return map[string]core.Handler{
		"CreateVolume": createVolume, "DescribeVolumes": describeVolumes, "DeleteVolume": deleteVolume,
		"AttachVolume": attachVolume, "DetachVolume": detachVolume,
		"ModifyVolume": modifyVolume, "DescribeVolumesModifications": describeModifications,
	}
}

type xmlVolume struct {
	ID         string          `xml:"volumeId"`
	Size       int             `xml:"size"`
	Snapshot   string          `xml:"snapshotId"`
	AZ         string          `xml:"availabilityZone"`
	Status     string          `xml:"status"`
	Made       time.Time       `xml:"createTime"`
	Attached   []xmlAttachment `xml:"attachmentSet>item"`
	Tags       []core.XMLTag   `xml:"tagSet>item"`
	Type       string          `xml:"volumeType"`
	IOPS       int             `xml:"iops,omitempty"`
	Throughput int             `xml:"throughput,omitempty"`
	Encrypted  bool            `xml:"encrypted"`
	KMS        string          `xml:"kmsKeyId,omitempty"`
	Multi      bool            `xml:"multiAttachEnabled"`
}

func viewVolume(x *core.Exchange, v *volume, status string) xmlVolume {
	out := xmlVolume{
		ID: v.ID, Size: v.Size, Snapshot: v.Snapshot, AZ: v.AZ, Status: status, Made: v.Made,
		Tags: core.TagSet(v.Tags), Type: v.Type, IOPS: v.IOPS, Throughput: v.Throughput, Encrypted: v.Encrypted, KMS: v.KMS,
	}
	if v.tie(x.Now) != nil {
		out.Attached = []xmlAttachment{v.tieView(x.Now)}
	}
	if c := v.Change; c != nil && c.Life.At(x.Now) == "modifying" {
		out.Size, out.Type, out.IOPS, out.Throughput = c.OldSize, c.OldType, c.OldIOPS, c.OldThrough
	}
	return out
}

// createVolume makes a volume; the token is honoured as that of RunInstances
// is (EC2 API reference: CreateVolume).
func createVolume(x *core.Exchange) (any, error) {
	if err := x.CheckToken(); err != nil {
		return nil, err
	}
	if made, ok, err := x.Remembered(); err != nil {
		return nil, err
	} else if ok {
		v, found := core.Find[*volume](x.Tx, x.Region, made[0])
		if !found {
			return nil, ec2.NotFound(made[0], "InvalidVolume.NotFound")
		}
		return viewVolume(x, v, v.status(x.Now)), nil
	}
	az := x.P.Str("AvailabilityZone")
	switch {
	case az == "":
		return nil, wire.Missing("AvailabilityZone")
	case !ec2.ValidZone(x.Region, az):
		return nil, wire.Failf("InvalidZone.NotFound", "The zone '%s' does not exist.", az)
	case !x.P.Has("Size") && !x.P.Has("SnapshotId"):
		return nil, wire.Missing("size")
	}
	size, err := x.P.Num("Size", rootSize)
	if err != nil {
		return nil, err
	}
	v, err := readVolume(x.P, "volumeType", x.P.Or("VolumeType", "gp2"), size)
	if err != nil {
		return nil, err
	}
	tags, err := x.SpecTags("volume")
	if err != nil {
		return nil, err
	}
	encrypt(x, v)
	v.Base = x.Tx.Fresh("vol-", x.Region)
	v.AZ, v.Tags, v.Life = az, tags, core.Through(x.Now, x.Settle, "available", "creating")
	if keyWrong(x, v) {
		v.Life = core.Through(x.Now, x.Settle, "error", "creating")
	}
	x.Tx.Put(v)
	x.Remember([]string{v.ID})
	return viewVolume(x, v, v.Life.First()), nil
}

func describeVolumes(x *core.Exchange) (any, error) {
	all, err := ec2.Named[*volume](x, "VolumeId", "InvalidVolume.NotFound")
	if err != nil {
		return nil, err
	}
	if all, err = core.Filtered(x, all, func(v *volume, name string) ([]string, bool) {
		return volumeValues(x, v, name)
	}); err != nil {
		return nil, err
	}
	rows, next, err := ec2.Page(x, all, "VolumeId", 1000)
	if err != nil {
		return nil, err
	}
	var out []xmlVolume
	for _, v := range rows {
		out = append(out, viewVolume(x, v, v.status(x.Now)))
	}
	return struct {
		Set  []xmlVolume `xml:"volumeSet>item"`
		Next *string     `xml:"nextToken"`
	}{out, next}, nil
}

func volumeValues(x *core.Exchange, v *volume, name string) ([]string, bool) {
	t := v.tie(x.Now)
	if t == nil {
		t = &attached{}
	}
	switch name {
	case "volume-id":
		return core.One(v.ID)
	case "volume-type":
		return core.One(v.Type)
	case "size":
		return core.One(strconv.Itoa(v.Size))
	case "status":
		return core.One(v.status(x.Now))
	case "availability-zone":
		return core.One(v.AZ)
	case "snapshot-id":
		return core.One(v.Snapshot)
	case "encrypted":
		return core.Truth(v.Encrypted)
	case "attachment.instance-id":
		return core.One(t.Instance)
	case "attachment.device":
		return core.One(t.Device)
	case "attachment.status":
		if t.Instance == "" {
			return nil, true
		}
		return core.One(t.Life.At(x.Now))
	case "attachment.delete-on-termination":
		if t.Instance == "" {
			return nil, true
		}
		return core.Truth(t.Kill)
	}
	return nil, false
}

// deleteVolume: an attached volume stays (EC2 API reference: DeleteVolume, the
// volume must be available).
func deleteVolume(x *core.Exchange) (any, error) {
	v, err := volumeOf(x)
	if err != nil {
		return nil, err
	}
	switch status := v.status(x.Now); status {
	case "available", "error":
	case "in-use":
		return nil, wire.Failf("VolumeInUse", "Volume %s is currently attached to %s", v.ID, v.Attached.Instance)
	default:
		return nil, wire.Failf("IncorrectState", "The volume '%s' is in the state '%s' and cannot be deleted.", v.ID, status)
	}
	n := *v
	n.Life = core.Through(x.Now, x.Settle, "deleting", "deleting")
	n.Until = n.Life.End()
	x.Tx.Put(&n)
	return ec2.Success{Return: true}, nil
}
