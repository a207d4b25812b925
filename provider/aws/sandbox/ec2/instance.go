package ec2

import (
	"cmp"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// InstanceOf finds the instance of the request.
func InstanceOf(x *core.Exchange) (*Instance, error) {
	id := x.P.Str("InstanceId")
	if id == "" {
		return nil, wire.Missing("InstanceId")
	}
	in, ok := core.Find[*Instance](x.Tx, x.Region, id)
	if !ok {
		return nil, NotFound(id, "InvalidInstanceID.NotFound")
	}
	return in, nil
}

// InstanceType accepts what has the form of one of AWS's types: a list of them all
// would be stale tomorrow.
var InstanceType = wire.Late(`^(a|c|d|dl|f|g|gr|h|hpc|i|im|is|inf|m|mac|p|r|t|trn|u|vt|x|z)` +
	`[0-9]+[a-z]{0,3}(-[a-z0-9]+)?` +
	`\.(nano|micro|small|medium|large|xlarge|[0-9]{1,3}xlarge|metal|metal-[0-9]+xl)$`)

// Instance is a virtual machine.
type Instance struct {
	core.Base
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
	Metadata    MetadataOpt `json:"metadata"`
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
	Life        core.Life   `json:"life"`
	Impaired    bool        `json:"impaired,omitempty"` // it fails its status checks, also after a restart
	Until       time.Time   `json:"until,omitzero"`     // when a terminated one is no longer listed
}

// MetadataOpt are the options of the instance metadata service.
type MetadataOpt struct {
	Tokens   string `json:"tokens"`
	Endpoint string `json:"endpoint"`
	Hops     int    `json:"hops"`
	Tags     string `json:"tags"`
	IPv6     string `json:"ipv6"`
}

// Gone: a terminated instance stays visible for a while ("Terminate Amazon EC2
// instances": about an hour).
func (i *Instance) Gone(now time.Time) bool { return !i.Until.IsZero() && now.After(i.Until) }

// Dead reports that an instance is terminated or being terminated: it uses
// nothing.
func (i *Instance) Dead() bool { return i.Life.Final == "terminated" }

// Parent is the subnet in which it uses an address.
func (i *Instance) Parent() string {
	if i.Dead() {
		return ""
	}
	return i.Subnet
}

// Show fills in the attributes that a listing has for the kind.
func (i *Instance) Show(t *core.Tx, out *core.Resource) {
	out.State, out.Size = i.Life.At(t.Now), i.Type
}

// Over: what is terminated, or about to be, takes no changes.
func (i *Instance) Over() bool { return i.Dead() }

// CopyForm returns the parameters of a call that creates a copy.
func (i *Instance) CopyForm(core.Hand, core.Breakage) map[string]string {
	return map[string]string{"ImageId": i.Image, "InstanceType": i.Type, "SubnetId": i.Subnet}
}

// ByHand does what people do to it.
func (i *Instance) ByHand(h core.Hand, b core.Breakage) (string, error) {
	form := map[string]string{"InstanceId.1": i.ID}
	n := *i
	switch b.Do {
	case "stop":
		return "", h.Call(i.Region, "ec2", "StopInstances", form)
	case "start":
		return "", h.Call(i.Region, "ec2", "StartInstances", form)
	case "delete":
		n.Protected = false
		h.Tx.Put(&n)
		return "", h.Call(i.Region, "ec2", "TerminateInstances", form)
	case "resize": // as stopping, changing and starting it by hand does
		if !InstanceType.MatchString(b.Value) {
			return "", fmt.Errorf("sandbox: invalid instance type %q", b.Value)
		}
		n.Type = b.Value
		h.Tx.Put(&n)
		return fmt.Sprintf("resized %s from %s to %s", i.ID, i.Type, b.Value), nil
	case "fail": // AWS's status checks, or pass them again with "ok"
		status := cmp.Or(b.Value, "impaired")
		if status != "impaired" && status != "ok" {
			return "", fmt.Errorf("sandbox: unknown status %q; use impaired or ok", status)
		}
		n.Impaired = status == "impaired"
		h.Tx.Put(&n)
		return fmt.Sprintf("the status checks of %s are %s", i.ID, status), nil
	}
	return "", core.ErrCannot
}
