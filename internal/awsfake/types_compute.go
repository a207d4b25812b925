package awsfake

import (
	"cmp"
	"fmt"
	"strconv"
	"time"
)

// instance is a virtual machine.
type instance struct {
	base
	Reservation string      `json:"reservation"`
	Image       string      `json:"image"`
	Type        string      `json:"type"`
	Subnet      string      `json:"subnet"`
	VPC         string      `json:"vpc"`
	AZ          string      `json:"az"`
	Groups      []string    `json:"groups,omitempty"`
	Key         string      `json:"key,omitempty"`
	Profile     string      `json:"profile,omitempty"`    // the ARN of its instance profile
	ProfileID   string      `json:"profile_id,omitempty"` // the id of the association
	UserData    string      `json:"user_data,omitempty"`  // base64, as it came
	Private     string      `json:"private_ip"`
	Public      string      `json:"public_ip,omitempty"`
	WantsPublic bool        `json:"wants_public,omitempty"`
	Root        string      `json:"root"` // the device of its root volume
	Token       string      `json:"token,omitempty"`
	Index       int         `json:"index"`
	Metadata    metadataOpt `json:"metadata"`
	Protected   bool        `json:"protected,omitempty"`
	StopGuard   bool        `json:"stop_guard,omitempty"`
	OnShutdown  string      `json:"on_shutdown"`
	Optimized   bool        `json:"ebs_optimized,omitempty"`
	NoSrcCheck  bool        `json:"no_source_dest_check,omitempty"`
	Monitoring  bool        `json:"monitoring,omitempty"`
	Spot        bool        `json:"spot,omitempty"`
	Request     string      `json:"spot_request,omitempty"`
	Persistent  bool        `json:"persistent,omitempty"` // its request launches another one when it is terminated
	Canceled    bool        `json:"canceled,omitempty"`   // its persistent request is
	Tenancy     string      `json:"tenancy,omitempty"`
	Credit      string      `json:"credit,omitempty"`
	Reason      string      `json:"reason,omitempty"`
	Launched    time.Time   `json:"launched"`
	Life        life        `json:"life"`
	Impaired    bool        `json:"impaired,omitempty"` // it fails its status checks, also after a restart
	Until       time.Time   `json:"until,omitzero"`     // when a terminated one is no longer listed
}

// metadataOpt are the options of the instance metadata service.
type metadataOpt struct {
	Tokens   string `json:"tokens"`
	Endpoint string `json:"endpoint"`
	Hops     int    `json:"hops"`
	Tags     string `json:"tags"`
	IPv6     string `json:"ipv6"`
}

// gone: a terminated instance stays visible for a while ("Terminate Amazon EC2
// instances": about an hour).
func (i *instance) gone(now time.Time) bool { return !i.Until.IsZero() && now.After(i.Until) }

// dead reports that an instance is terminated or being terminated: it uses
// nothing.
func (i *instance) dead() bool { return i.Life.Final == "terminated" }

// parent is the subnet in which it uses an address.
func (i *instance) parent() string {
	if i.dead() {
		return ""
	}
	return i.Subnet
}

// volume is a disk.
type volume struct {
	base
	AZ         string    `json:"az"`
	Size       int       `json:"size"`
	Type       string    `json:"type"`
	IOPS       int       `json:"iops,omitempty"`
	Throughput int       `json:"throughput,omitempty"`
	Encrypted  bool      `json:"encrypted,omitempty"`
	KMS        string    `json:"kms,omitempty"`
	Snapshot   string    `json:"snapshot,omitempty"`
	Life       life      `json:"life"`
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
	Life     life      `json:"life"`
}

// modified is the last change of a volume.
type modified struct {
	Start                        time.Time `json:"start"`
	Life                         life      `json:"life"`
	OldSize, OldIOPS, OldThrough int
	OldType                      string
	Size, IOPS, Throughput       int
	Type                         string
}

func (v *volume) gone(now time.Time) bool { return !v.Until.IsZero() && !now.Before(v.Until) }

// parent is the instance that it is, or was last, attached to.
func (v *volume) parent() string {
	if v.Attached == nil {
		return ""
	}
	return v.Attached.Instance
}

// tie is the attachment at a moment, nil when there is none.
func (v *volume) tie(now time.Time) *attached {
	if v.Attached == nil || v.Attached.Life.at(now) == "detached" {
		return nil
	}
	return v.Attached
}

// status is what DescribeVolumes reports.
func (v *volume) status(now time.Time) string {
	if s := v.Life.at(now); s != "available" {
		return s
	}
	if v.tie(now) != nil {
		return "in-use"
	}
	return "available"
}

func computeKinds() []kind {
	return []kind{
		{Name: "instance", Word: "ec2", Rank: 9, Type: (*instance)(nil), Prefix: "i", Missing: "InvalidInstanceID.NotFound",
			Order: ordered("ec2", "RunInstances", map[string]string{"ImageId": imageX86, "InstanceType": "t3.micro", "MinCount": "1", "MaxCount": "1"})},
		{Name: "volume", Word: "ebs", Rank: 10, Type: (*volume)(nil), Prefix: "vol", Missing: "InvalidVolume.NotFound",
			Order: ordered("ec2", "CreateVolume", map[string]string{"Size": "8"})},
		{Name: "key-pair", Word: "key_pair", Rank: 14, Type: (*keyPair)(nil), Prefix: "key", Tagged: keyPairOf},
		{Name: "launch-template", Word: "launch_template", Rank: 16, Type: (*launchTemplate)(nil), Prefix: "lt", Missing: "InvalidLaunchTemplateId.NotFound"},
		{Name: "scaling-group", Word: "autoscaling_group", Rank: 20, Type: (*scalingGroup)(nil)},
	}
}

func (i *instance) show(t *tx, out *Resource) { out.State, out.Size = i.Life.at(t.now), i.Type }

// over: what is terminated, or about to be, takes no changes.
func (i *instance) over() bool { return i.dead() }

func (i *instance) copyForm(hand, Breakage) map[string]string {
	return map[string]string{"ImageId": i.Image, "InstanceType": i.Type, "SubnetId": i.Subnet}
}

func (i *instance) byHand(h hand, b Breakage) (string, error) {
	form := map[string]string{"InstanceId.1": i.ID}
	n := *i
	switch b.Do {
	case "stop":
		return "", h.call(i.Region, "ec2", "StopInstances", form)
	case "start":
		return "", h.call(i.Region, "ec2", "StartInstances", form)
	case "delete":
		n.Protected = false
		h.tx.put(&n)
		return "", h.call(i.Region, "ec2", "TerminateInstances", form)
	case "resize": // as stopping, changing and starting it by hand does
		if !instanceType.MatchString(b.Value) {
			return "", fmt.Errorf("sandbox: invalid instance type %q", b.Value)
		}
		n.Type = b.Value
		h.tx.put(&n)
		return fmt.Sprintf("resized %s from %s to %s", i.ID, i.Type, b.Value), nil
	case "fail": // AWS's status checks, or pass them again with "ok"
		status := cmp.Or(b.Value, "impaired")
		if status != "impaired" && status != "ok" {
			return "", fmt.Errorf("sandbox: unknown status %q; use impaired or ok", status)
		}
		n.Impaired = status == "impaired"
		h.tx.put(&n)
		return fmt.Sprintf("the status checks of %s are %s", i.ID, status), nil
	}
	return "", errCannot
}

func (v *volume) show(t *tx, out *Resource) {
	out.State, out.Size = v.status(t.now), strconv.Itoa(v.Size)+" GiB"
}

func (v *volume) copyForm(hand, Breakage) map[string]string {
	return map[string]string{"Size": strconv.Itoa(v.Size), "AvailabilityZone": v.AZ}
}

func (v *volume) byHand(h hand, b Breakage) (string, error) {
	switch b.Do {
	case "delete":
		return "", h.call(v.Region, "ec2", "DeleteVolume", map[string]string{"VolumeId": v.ID})
	case "resize":
		err := h.call(v.Region, "ec2", "ModifyVolume", map[string]string{"VolumeId": v.ID, "Size": b.Value})
		return fmt.Sprintf("resized %s from %d to %s GiB", v.ID, v.Size, b.Value), err
	case "mount": // on its instance: from then on AWS does not detach it while that runs
		if v.tie(h.tx.now) == nil {
			return "", errCannot
		}
		n, tie := *v, *v.Attached
		tie.Mounted = true
		n.Attached = &tie
		h.tx.put(&n)
		return "mounted " + v.ID + " on " + tie.Instance, nil
	}
	return "", errCannot
}
