package awsfake

import (
	"cmp"
	"fmt"
	"time"
)

func instanceOf(x *exchange) (*instance, error) {
	id := x.p.str("InstanceId")
	if id == "" {
		return nil, missing("InstanceId")
	}
	in, ok := find[*instance](x.tx, x.Region, id)
	if !ok {
		return nil, notFound(id, "InvalidInstanceID.NotFound")
	}
	return in, nil
}

// instanceType accepts what has the form of one of AWS's types: a list of them all
// would be stale tomorrow.
var instanceType = late(`^(a|c|d|dl|f|g|gr|h|hpc|i|im|is|inf|m|mac|p|r|t|trn|u|vt|x|z)[0-9]+[a-z]{0,3}(-[a-z0-9]+)?\.(nano|micro|small|medium|large|xlarge|[0-9]{1,3}xlarge|metal|metal-[0-9]+xl)$`)

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
