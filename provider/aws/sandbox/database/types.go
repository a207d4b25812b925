package database

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// database is an RDS instance. Its master password is not stored: nothing here
// has one.
type database struct {
	core.Base
	ARN         string    `json:"arn"`
	Resource    string    `json:"resource"` // db-...
	Settings    settings  `json:"settings"`
	Engine      string    `json:"engine"`
	User        string    `json:"user"`
	DBName      string    `json:"db_name,omitempty"`
	Port        int       `json:"port"`
	AZ          string    `json:"az"`
	Encrypted   bool      `json:"encrypted,omitempty"`
	KMS         string    `json:"kms,omitempty"`
	SubnetGroup string    `json:"subnet_group"`
	Groups      []string  `json:"groups,omitempty"`
	Secret      string    `json:"secret,omitempty"` // the ARN of a managed password's secret
	Protected   bool      `json:"protected,omitempty"`
	CopyTags    bool      `json:"copy_tags,omitempty"`
	Retention   int       `json:"retention"`
	BackupTime  string    `json:"backup_time"`
	Window      string    `json:"window"`
	Public      bool      `json:"public,omitempty"`
	AutoMinor   bool      `json:"auto_minor"`
	MaxStorage  int       `json:"max_storage,omitempty"`
	IAMAuth     bool      `json:"iam_auth,omitempty"`
	Insights    bool      `json:"insights,omitempty"`
	Monitoring  int       `json:"monitoring,omitempty"`
	ParamGroup  string    `json:"param_group"`
	CA          string    `json:"ca"`
	Logs        []string  `json:"logs,omitempty"`
	Pending     *pending  `json:"pending,omitempty"`
	Life        core.Life `json:"life"`
	Until       time.Time `json:"until,omitzero"` // when a deleted one is gone
}

// settings are what a modification can leave pending.
type settings struct {
	Class     string `json:"class,omitempty"`
	Version   string `json:"version,omitempty"`
	Storage   int    `json:"storage,omitempty"`
	Type      string `json:"type,omitempty"`
	IOPS      int    `json:"iops,omitempty"`
	Through   int    `json:"through,omitempty"`
	MultiAZ   *bool  `json:"multi_az,omitempty"`
	Retention *int   `json:"retention,omitempty"`
}

// pending are settings that hold from a moment on.
type pending struct {
	settings
	At time.Time `json:"at"`
}

func (d *database) Gone(now time.Time) bool { return !d.Until.IsZero() && !now.Before(d.Until) }

// at is the database at a moment: pending values that are due
// hold, and are pending no more.
func (d *database) at(now time.Time) *database {
	if d.Pending == nil || now.Before(d.Pending.At) {
		return d
	}
	n := *d
	n.Pending = nil
	n.take(d.Pending.settings)
	return &n
}

// take lets every setting that is named hold.
func (d *database) take(s settings) {
	have := &d.Settings
	have.Class, have.Version, have.Type = cmp.Or(s.Class, have.Class), cmp.Or(s.Version, have.Version), cmp.Or(s.Type,
		have.Type)
	if s.Storage != 0 {
		have.Storage = s.Storage
	}
	if s.IOPS != 0 {
		have.IOPS = s.IOPS
	}
	if s.Through != 0 {
		have.Through = s.Through
	}
	if s.MultiAZ != nil {
		have.MultiAZ = s.MultiAZ
	}
	if s.Retention != nil {
		d.Retention = *s.Retention
	}
}

func (d *database) multi() bool { return d.Settings.MultiAZ != nil && *d.Settings.MultiAZ }

// snapshot is a database snapshot.
type snapshot struct {
	core.Base
	ARN       string    `json:"arn"`
	Database  string    `json:"database"`
	Resource  string    `json:"resource"`
	Engine    string    `json:"engine"`
	Version   string    `json:"version"`
	Storage   int       `json:"storage"`
	Type      string    `json:"type"`
	IOPS      int       `json:"iops,omitempty"`
	Through   int       `json:"through,omitempty"`
	Encrypted bool      `json:"encrypted,omitempty"`
	KMS       string    `json:"kms,omitempty"`
	User      string    `json:"user"`
	DBName    string    `json:"db_name,omitempty"`
	Port      int       `json:"port"`
	Retention int       `json:"retention"`
	Life      core.Life `json:"life"`
}

// subnetGroup holds the subnets in which databases may run.
type subnetGroup struct {
	core.Base
	ARN     string   `json:"arn"`
	About   string   `json:"about"`
	VPC     string   `json:"vpc"`
	Subnets []string `json:"subnets"`
}

func (d *database) Show(t *core.Tx, out *core.Resource) {
	out.State, out.Size, out.Name = d.Life.At(t.Now), d.at(t.Now).Settings.Class, d.ID
}

// Uses are its security groups and the subnets of its group.
func (d *database) Uses(t *core.Tx) []string {
	out := slices.Clone(d.Groups)
	if g, ok := core.Find[*subnetGroup](t, d.Region, d.SubnetGroup); ok {
		out = append(out, g.Subnets...)
	}
	return out
}

func (d *database) CopyForm(h core.Hand, b core.Breakage) map[string]string {
	now := d.at(h.Tx.Now).Settings
	return map[string]string{
		"DBInstanceIdentifier": cmp.Or(b.Value, d.ID+"-restored"), "DBInstanceClass": now.Class, "Engine": d.Engine,
		"AllocatedStorage": strconv.Itoa(now.Storage),
	}
}

func (d *database) ByHand(h core.Hand, b core.Breakage) (string, error) {
	form := map[string]string{"DBInstanceIdentifier": d.ID}
	switch b.Do {
	case "stop":
		return "", h.Call(d.Region, "rds", "StopDBInstance", form)
	case "start":
		return "", h.Call(d.Region, "rds", "StartDBInstance", form)
	case "delete":
		n := *d
		n.Protected = false
		h.Tx.Put(&n)
		form["SkipFinalSnapshot"] = "true"
		return "", h.Call(d.Region, "rds", "DeleteDBInstance", form)
	case "resize":
		if !dbClass.MatchString(b.Value) {
			return "", fmt.Errorf("sandbox: invalid database class %q", b.Value)
		}
		n := *d.at(h.Tx.Now)
		was := n.Settings.Class
		n.Settings.Class = b.Value
		h.Tx.Put(&n)
		return fmt.Sprintf("resized %s from %s to %s", d.ID, was, b.Value), nil
	case "fail": // a status in which it does not work
		status, known := cmp.Or(b.Value, "failed"), []string{
			"failed", "storage-full", "incompatible-network",
			"incompatible-restore",
		}
		if !slices.Contains(known, status) {
			return "", fmt.Errorf("sandbox: unknown status %q; use %s", status, strings.Join(known, ", "))
		}
		n := *d.at(h.Tx.Now)
		n.Life = core.Steady(status)
		h.Tx.Put(&n)
		return fmt.Sprintf("%s is %s", d.ID, status), nil
	}
	return "", core.ErrCannot
}

func (g *subnetGroup) Show(_ *core.Tx, out *core.Resource) {
	out.Name, out.Size, out.Default = g.ID, strconv.Itoa(len(g.Subnets))+" subnets", g.ID == "default"
}

// paramGroup has the settings that a user made.
type paramGroup struct {
	core.Base
	ARN    string            `json:"arn"`
	Family string            `json:"family"`
	About  string            `json:"about"`
	Set    map[string]string `json:"set,omitempty"`
}

func (g *paramGroup) Show(_ *core.Tx, out *core.Resource) { out.Name, out.Size = g.ID, g.Family }

var dbName = wire.Late(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

var dbClass = wire.Late(`^db\.[a-z0-9-]+\.(micro|small|medium|large|[0-9]*xlarge)$`)
