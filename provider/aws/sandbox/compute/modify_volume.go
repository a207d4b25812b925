package compute

import (
	"strconv"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

type xmlModification struct {
	Volume     string     `xml:"volumeId"`
	State      string     `xml:"modificationState"`
	Progress   int        `xml:"progress"`
	Start      time.Time  `xml:"startTime"`
	End        *time.Time `xml:"endTime"`
	OldSize    int        `xml:"originalSize"`
	OldType    string     `xml:"originalVolumeType"`
	OldIOPS    int        `xml:"originalIops,omitempty"`
	OldThrough int        `xml:"originalThroughput,omitempty"`
	Size       int        `xml:"targetSize"`
	Type       string     `xml:"targetVolumeType"`
	IOPS       int        `xml:"targetIops,omitempty"`
	Through    int        `xml:"targetThroughput,omitempty"`
}

func viewModification(v *volume, state string) xmlModification {
	c := v.Change
	progress := map[string]int{"completed": 100, "optimizing": 50}[state]
	var end *time.Time
	if t := c.Life.End(); state == "completed" {
		end = &t
	}
	return xmlModification{
		v.ID, state, progress, c.Start, end, c.OldSize, c.OldType, c.OldIOPS, c.OldThrough, c.Size,
		c.Type, c.IOPS, c.Throughput,
	}
}

// modifyVolume grows or retunes a volume, attached or not; it never shrinks
// one, and one change ends before the next begins ("Request Amazon EBS volume
// modifications": requirements and limitations).
func modifyVolume(x *core.Exchange) (any, error) {
	v, err := volumeOf(x)
	if err != nil {
		return nil, err
	}
	if s := v.status(x.Now); s != "available" && s != "in-use" {
		return nil, wire.Failf("IncorrectState", "The volume '%s' is in the state '%s' and cannot be modified.", v.ID, s)
	}
	if v.Change != nil && v.Change.Life.At(x.Now) != "completed" {
		return nil, wire.Failf("IncorrectModificationState", "Cannot modify volume %s: it is currently being %s", v.ID,
			v.Change.Life.At(x.Now))
	}
	size, err := x.P.Num("Size", v.Size)
	if err != nil {
		return nil, err
	}
	if size < v.Size {
		return nil, wire.Failf("InvalidParameterValue", "New size cannot be smaller than existing size")
	}
	want, err := readVolume(x.P, "volumeType", x.P.Or("VolumeType", v.Type), size)
	if err != nil {
		return nil, err
	}
	if want.Type == v.Type { // What the request does not name stays as it is.
		if !x.P.Has("Iops") && v.Type != "gp2" {
			want.IOPS = v.IOPS
		}
		if !x.P.Has("Throughput") {
			want.Throughput = v.Throughput
		}
	}
	n := *v
	n.Change = &modified{
		Start: x.Now, Life: core.Through(x.Now, x.Settle, "completed", "modifying", "optimizing"),
		OldSize: v.Size, OldType: v.Type, OldIOPS: v.IOPS, OldThrough: v.Throughput,
		Size: want.Size, Type: want.Type, IOPS: want.IOPS, Throughput: want.Throughput,
	}
	n.Size, n.Type, n.IOPS, n.Throughput = want.Size, want.Type, want.IOPS, want.Throughput
	x.Tx.Put(&n)
	return struct {
		Mod xmlModification `xml:"volumeModification"`
	}{viewModification(&n, "modifying")}, nil
}

func describeModifications(x *core.Exchange) (any, error) {
	all, err := ec2.Named[*volume](x, "VolumeId", "InvalidVolume.NotFound")
	if err != nil {
		return nil, err
	}
	all, err = core.Filtered(x, all, func(v *volume, name string) ([]string, bool) {
		switch name {
		case "volume-id":
			return core.One(v.ID)
		case "modification-state":
			if v.Change == nil {
				return nil, true
			}
			return core.One(v.Change.Life.At(x.Now))
		}
		return nil, false
	})
	if err != nil {
		return nil, err
	}
	var changed []*volume
	for _, v := range all {
		if v.Change != nil {
			changed = append(changed, v)
		} else if x.P.Has("VolumeId") {
			return nil, wire.Failf("InvalidVolumeModification.NotFound", "Modification for volume '%s' does not exist.", v.ID)
		}
	}
	rows, next, err := ec2.Page(x, changed, "", 1000)
	if err != nil {
		return nil, err
	}
	var out []xmlModification
	for _, v := range rows {
		out = append(out, viewModification(v, v.Change.Life.At(x.Now)))
	}
	return struct {
		Set  []xmlModification `xml:"volumeModificationSet>item"`
		Next *string           `xml:"nextToken"`
	}{out, next}, nil
}

// volumeLimits are the bounds of each volume type: sizes in GiB, IOPS and
// throughput in MiB/s ("Amazon EBS volume types").
func volumeLimits(kind string) (minSize, maxSize, minIOPS, maxIOPS int, ok bool) {
	switch kind {
	case "gp3":
		return 1, 65536, 3000, 80000, true
	case "gp2":
		return 1, 16384, 0, 0, true
	case "io1":
		return 4, 16384, 100, 64000, true
	case "io2":
		return 4, 65536, 100, 256000, true
	case "st1", "sc1":
		return 125, 16384, 0, 0, true
	case "standard":
		return 1, 1024, 0, 0, true
	}
	return 0, 0, 0, 0, false
}

// readVolume reads and checks what a volume is made of.
func readVolume(p *wire.Params, param, kind string, size int) (*volume, error) {
	lo, hi, minIOPS, maxIOPS, ok := volumeLimits(kind)
	if !ok {
		return nil, wire.Failf("InvalidParameterValue", "Value (%s) for parameter %s is invalid. Unknown volume type.", kind,
			param)
	}
	if size < lo || size > hi {
		return nil, wire.Failf("InvalidParameterValue",
			"Volume of %dGiB is invalid for volume type %s: it must be from %d to %d GiB.", size, kind, lo, hi)
	}
	v := &volume{
		Size: size, Type: kind, Encrypted: p.Yes("Encrypted"), KMS: p.Str("KmsKeyId"),
		Snapshot: p.Str("SnapshotId"),
	}
	iops, err := p.Num("Iops", 0)
	if err != nil {
		return nil, err
	}
	through, err := p.Num("Throughput", 0)
	if err != nil {
		return nil, err
	}
	switch {
	case v.KMS != "" && !v.Encrypted:
		return nil, wire.Failf("InvalidParameterDependency",
			"The parameter KmsKeyId requires the parameter Encrypted to be set.")
	case iops != 0 && maxIOPS == 0:
		return nil, wire.Failf("InvalidParameterCombination", "The parameter iops is not supported for %s volumes.", kind)
	case iops != 0 && (iops < minIOPS || iops > maxIOPS):
		return nil, wire.BadValue(strconv.Itoa(iops), "iops", "It is outside the bounds of "+kind+".")
	case iops == 0 && (kind == "io1" || kind == "io2"):
		return nil, wire.Failf("MissingParameter", "The parameter iops must be specified for %s volumes.", kind)
	case through != 0 && kind != "gp3":
		return nil, wire.Failf("InvalidParameterCombination", "The parameter throughput is not supported for %s volumes.",
			kind)
	case through != 0 && (through < 125 || through > 2000):
		return nil, wire.BadValue(strconv.Itoa(through), "throughput", "It must be from 125 to 2000.")
	}
	v.IOPS, v.Throughput = iops, through
	v.baseline()
	return v, nil
}

// baseline fills in what a type has without asking.
func (v *volume) baseline() {
	switch v.Type {
	case "gp3":
		if v.IOPS == 0 {
			v.IOPS = 3000
		}
		if v.Throughput == 0 {
			v.Throughput = 125
		}
	case "gp2":
		v.IOPS, v.Throughput = min(max(100, 3*v.Size), 16000), 0
	case "st1", "sc1", "standard":
		v.IOPS, v.Throughput = 0, 0
	default:
		v.Throughput = 0
	}
}
