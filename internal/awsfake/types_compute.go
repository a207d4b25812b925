package awsfake

import "time"

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

func (*instance) kind() string    { return kindInstance }
func (i *instance) clone() entity { c := *i; return &c }

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

func (*volume) kind() string              { return kindVolume }
func (v *volume) clone() entity           { c := *v; return &c }
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
