package compute

import (
	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

import "time"

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
	return xmlModification{v.ID, state, progress, c.Start, end, c.OldSize, c.OldType, c.OldIOPS, c.OldThrough, c.Size, c.Type, c.IOPS, c.Throughput}
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
		return nil, wire.Failf("IncorrectModificationState", "Cannot modify volume %s: it is currently being %s", v.ID, v.Change.Life.At(x.Now))
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
	keepTuning(x, v, want)
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

// keepTuning: what a modification does not name stays as it is.
func keepTuning(x *core.Exchange, v, want *volume) {
	if want.Type != v.Type {
		return
	}
	if !x.P.Has("Iops") && v.Type != "gp2" {
		want.IOPS = v.IOPS
	}
	if !x.P.Has("Throughput") {
		want.Throughput = v.Throughput
	}
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
