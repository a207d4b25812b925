package compute

import (
	"fmt"
	"strconv"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// volume is a disk.
type volume struct {
	core.Base
	AZ         string    `json:"az"`
	Size       int       `json:"size"`
	Type       string    `json:"type"`
	IOPS       int       `json:"iops,omitempty"`
	Throughput int       `json:"throughput,omitempty"`
	Encrypted  bool      `json:"encrypted,omitempty"`
	KMS        string    `json:"kms,omitempty"`
	Snapshot   string    `json:"snapshot,omitempty"`
	Life       core.Life `json:"life"`
	Attached   *attached `json:"attached,omitempty"`
	Change     *modified `json:"change,omitempty"`
	Until      time.Time `json:"until,omitzero"` // when a deleted one is forgotten
}

// attached is a volume's tie to an instance; Life ends in attached or detached.
type attached struct {
	Instance string    `json:"instance"`
	Device   string    `json:"device"`
	Kill     bool      `json:"delete_on_termination,omitempty"`
	Mounted  bool      `json:"mounted,omitempty"` // its file system is in use
	At       time.Time `json:"at"`
	Life     core.Life `json:"life"`
}

// modified is the last change of a volume.
type modified struct {
	Start                        time.Time `json:"start"`
	Life                         core.Life `json:"life"`
	OldSize, OldIOPS, OldThrough int
	OldType                      string
	Size, IOPS, Throughput       int
	Type                         string
}

func (v *volume) Gone(now time.Time) bool { return !v.Until.IsZero() && !now.Before(v.Until) }

// Parent is the instance that it is, or was last, attached to.
func (v *volume) Parent() string {
	if v.Attached == nil {
		return ""
	}
	return v.Attached.Instance
}

// tie is the attachment at a moment, nil when there is none.
func (v *volume) tie(now time.Time) *attached {
	if v.Attached == nil || v.Attached.Life.At(now) == "detached" {
		return nil
	}
	return v.Attached
}

// status is what DescribeVolumes reports.
func (v *volume) status(now time.Time) string {
	if s := v.Life.At(now); s != "available" {
		return s
	}
	if v.tie(now) != nil {
		return "in-use"
	}
	return "available"
}

func (v *volume) Show(t *core.Tx, out *core.Resource) {
	out.State, out.Size = v.status(t.Now), strconv.Itoa(v.Size)+" GiB"
}

func (v *volume) CopyForm(core.Hand, core.Breakage) map[string]string {
	return map[string]string{"Size": strconv.Itoa(v.Size), "AvailabilityZone": v.AZ}
}

func (v *volume) ByHand(h core.Hand, b core.Breakage) (string, error) {
	switch b.Do {
	case "delete":
		return "", h.Call(v.Region, "ec2", "DeleteVolume", map[string]string{"VolumeId": v.ID})
	case "resize":
		err := h.Call(v.Region, "ec2", "ModifyVolume", map[string]string{"VolumeId": v.ID, "Size": b.Value})
		return fmt.Sprintf("resized %s from %d to %s GiB", v.ID, v.Size, b.Value), err
	case "mount": // on its instance: from then on AWS does not detach it while that runs
		if v.tie(h.Tx.Now) == nil {
			return "", core.ErrCannot
		}
		n, tie := *v, *v.Attached
		tie.Mounted = true
		n.Attached = &tie
		h.Tx.Put(&n)
		return "mounted " + v.ID + " on " + tie.Instance, nil
	}
	return "", core.ErrCannot
}

// launchTemplate has versions, which never change.
type launchTemplate struct {
	core.Base
	Name     string            `json:"name"`
	Versions []templateVersion `json:"versions"`
	Default  int               `json:"default"`
}

// templateVersion keeps its data as the parameters that it came in: those of RunInstances.
type templateVersion struct {
	Number int               `json:"number"`
	Data   map[string]string `json:"data"`
}

// version is the one of a number, $Default or $Latest.
func (l *launchTemplate) version(name string) (templateVersion, bool) {
	for _, v := range l.Versions {
		if name == strconv.Itoa(v.Number) || name == "$Default" && v.Number == l.Default ||
			name == "$Latest" && v.Number == len(l.Versions) {
			return v, true
		}
	}
	return templateVersion{}, false
}

func (l *launchTemplate) Show(_ *core.Tx, out *core.Resource) {
	out.Name, out.Size = l.Name, "version "+strconv.Itoa(l.Default)
}

// keyPair is the public half of a login key.
type keyPair struct {
	core.Base
	Pair        string `json:"pair"` // key-...
	Fingerprint string `json:"fingerprint"`
	Type        string `json:"type"`
	Public      string `json:"public,omitempty"` // type and key, without the comment
}

func (k *keyPair) Show(_ *core.Tx, out *core.Resource) { out.Name, out.Size = k.ID, k.Type }

// scalingGroup keeps a number of instances, which have its tag.
type scalingGroup struct {
	core.Base
	ARN      string    `json:"arn"`
	Min      int       `json:"min"`
	Max      int       `json:"max"`
	Desired  int       `json:"desired"`
	Subnets  []string  `json:"subnets"`
	Template string    `json:"template"`
	Version  string    `json:"version"`
	Targets  []string  `json:"targets,omitempty"`
	Check    string    `json:"check"`
	Grace    int       `json:"grace"`
	Failure  string    `json:"failure,omitempty"` // of the last launch
	Failed   time.Time `json:"failed,omitzero"`
	Until    time.Time `json:"until,omitzero"` // when one that is being deleted is gone
}

func (g *scalingGroup) Gone(now time.Time) bool { return !g.Until.IsZero() && now.After(g.Until) }

func (g *scalingGroup) Show(_ *core.Tx, out *core.Resource) {
	out.Name, out.Size = g.ID, strconv.Itoa(g.Desired)+" instances"
}

func (v *volume) tieView(now time.Time) xmlAttachment {
	t := v.Attached
	return xmlAttachment{v.ID, t.Instance, t.Device, t.Life.At(now), t.At, t.Kill}
}

func volumeOf(x *core.Exchange) (*volume, error) {
	id := x.P.Str("VolumeId")
	if id == "" {
		return nil, wire.Missing("volumeId")
	}
	v, ok := core.Find[*volume](x.Tx, x.Region, id)
	if !ok {
		return nil, ec2.NotFound(id, "InvalidVolume.NotFound")
	}
	return v, nil
}

type xmlAttachment struct {
	Volume   string    `xml:"volumeId"`
	Instance string    `xml:"instanceId"`
	Device   string    `xml:"device"`
	Status   string    `xml:"status"`
	At       time.Time `xml:"attachTime"`
	Kill     bool      `xml:"deleteOnTermination"`
}
