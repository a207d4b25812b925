package awsfake

import (
	"maps"
	"time"
)

// database is an RDS instance. Its master password is not stored: nothing here
// has one.
type database struct {
	base
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
	Life        life      `json:"life"`
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

func (*database) kind() string              { return kindDatabase }
func (d *database) clone() entity           { c := *d; return &c }
func (d *database) gone(now time.Time) bool { return !d.Until.IsZero() && !now.Before(d.Until) }

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
	have.Class, have.Version, have.Type = orElse(s.Class, have.Class), orElse(s.Version, have.Version), orElse(s.Type, have.Type)
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

func orElse(s, other string) string {
	if s != "" {
		return s
	}
	return other
}

func (d *database) multi() bool { return d.Settings.MultiAZ != nil && *d.Settings.MultiAZ }

// snapshot is a database snapshot.
type snapshot struct {
	base
	ARN       string `json:"arn"`
	Database  string `json:"database"`
	Resource  string `json:"resource"`
	Engine    string `json:"engine"`
	Version   string `json:"version"`
	Storage   int    `json:"storage"`
	Type      string `json:"type"`
	IOPS      int    `json:"iops,omitempty"`
	Through   int    `json:"through,omitempty"`
	Encrypted bool   `json:"encrypted,omitempty"`
	KMS       string `json:"kms,omitempty"`
	User      string `json:"user"`
	DBName    string `json:"db_name,omitempty"`
	Port      int    `json:"port"`
	Retention int    `json:"retention"`
	Life      life   `json:"life"`
}

func (*snapshot) kind() string    { return kindSnapshot }
func (s *snapshot) clone() entity { c := *s; return &c }

// subnetGroup holds the subnets in which databases may run.
type subnetGroup struct {
	base
	ARN     string   `json:"arn"`
	About   string   `json:"about"`
	VPC     string   `json:"vpc"`
	Subnets []string `json:"subnets"`
}

func (*subnetGroup) kind() string    { return kindSubnetGroup }
func (g *subnetGroup) clone() entity { c := *g; c.Tags = maps.Clone(g.Tags); return &c }
