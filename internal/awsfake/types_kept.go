package awsfake

import (
	"maps"
	"time"
)

// logGroup keeps no events here.
type logGroup struct {
	base
	Retention int    `json:"retention,omitempty"` // in days; 0: no limit
	KMS       string `json:"kms,omitempty"`
	Class     string `json:"class"`
}

func (*logGroup) kind() string    { return kindLogs }
func (l *logGroup) clone() entity { c := *l; c.Tags = maps.Clone(l.Tags); return &c }

// kmsKey has no material: nothing here is encrypted.
type kmsKey struct {
	base
	About    string    `json:"about,omitempty"`
	Policy   string    `json:"policy"`
	Disabled bool      `json:"disabled,omitempty"`
	Rotates  bool      `json:"rotates,omitempty"`
	Days     int       `json:"days,omitempty"`
	Deleted  time.Time `json:"deleted,omitzero"` // the end of its window
}

func (*kmsKey) kind() string              { return kindKMS }
func (k *kmsKey) clone() entity           { c := *k; c.Tags = maps.Clone(k.Tags); return &c }
func (k *kmsKey) gone(now time.Time) bool { return !k.Deleted.IsZero() && now.After(k.Deleted) }

// kmsAlias is a name of a key; its ID begins with alias/.
type kmsAlias struct {
	base
	Key string `json:"key"`
}

func (*kmsAlias) kind() string    { return kindAlias }
func (a *kmsAlias) clone() entity { c := *a; return &c }

// kept is a secret. Its value is not stored: a digest tells whether a repeated request is the same.
type kept struct {
	base
	ARN     string    `json:"arn"`
	About   string    `json:"about,omitempty"`
	KMS     string    `json:"kms,omitempty"`
	Token   string    `json:"token,omitempty"`
	Digest  string    `json:"digest,omitempty"`
	Deleted time.Time `json:"deleted,omitzero"` // the end of its recovery window
}

func (*kept) kind() string              { return kindKept }
func (k *kept) clone() entity           { c := *k; c.Tags = maps.Clone(k.Tags); return &c }
func (k *kept) gone(now time.Time) bool { return !k.Deleted.IsZero() && now.After(k.Deleted) }

// certificate is issued once the CNAME of each of its domains is in a public zone of the sandbox.
type certificate struct {
	base
	Domain    string   `json:"domain"`
	Others    []string `json:"others,omitempty"`
	Algorithm string   `json:"algorithm"`
	Token     string   `json:"token,omitempty"`
	Issued    bool     `json:"issued,omitempty"` // by records that are not in the sandbox
	Visible   life     `json:"visible"`          // of the validation records, which take a moment to appear
}

func (*certificate) kind() string    { return kindCertificate }
func (c *certificate) clone() entity { n := *c; n.Tags = maps.Clone(c.Tags); return &n }

// endpoint is a private way from a network to a service. It is listed for a while after it was deleted.
type endpoint struct {
	base
	VPC     string    `json:"vpc"`
	Service string    `json:"service"`
	Type    string    `json:"type"`
	Tables  []string  `json:"tables,omitempty"`
	Subnets []string  `json:"subnets,omitempty"`
	Groups  []string  `json:"groups,omitempty"`
	Private bool      `json:"private,omitempty"`
	Policy  string    `json:"policy"`
	Life    life      `json:"life"`
	Until   time.Time `json:"until,omitzero"`
}

func (*endpoint) kind() string              { return kindEndpoint }
func (e *endpoint) clone() entity           { c := *e; c.Tags = maps.Clone(e.Tags); return &c }
func (e *endpoint) gone(now time.Time) bool { return !e.Until.IsZero() && now.After(e.Until) }

// paramGroup has the settings that a user made.
type paramGroup struct {
	base
	ARN    string            `json:"arn"`
	Family string            `json:"family"`
	About  string            `json:"about"`
	Set    map[string]string `json:"set,omitempty"`
}

func (*paramGroup) kind() string { return kindParamGroup }
func (g *paramGroup) clone() entity {
	c := *g
	c.Tags, c.Set = maps.Clone(g.Tags), maps.Clone(g.Set)
	return &c
}
