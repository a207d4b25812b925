package awsfake

import (
	"strconv"
	"time"
)

// logGroup keeps no events here.
type logGroup struct {
	base
	Retention int    `json:"retention,omitempty"` // in days; 0: no limit
	KMS       string `json:"kms,omitempty"`
	Class     string `json:"class"`
}

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

func (k *kmsKey) gone(now time.Time) bool { return !k.Deleted.IsZero() && now.After(k.Deleted) }

// kmsAlias is a name of a key; its ID begins with alias/.
type kmsAlias struct {
	base
	Key string `json:"key"`
}

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

func (l *logGroup) show(_ *tx, out *Resource) {
	out.Name, out.Size = l.ID, strconv.Itoa(l.Retention)+" days"
}

func (k *kmsKey) show(_ *tx, out *Resource) {
	if !k.Deleted.IsZero() {
		out.State = "pending deletion"
	}
}

func (k *kept) show(_ *tx, out *Resource) {
	if out.Name = k.ID; !k.Deleted.IsZero() {
		out.State = "pending deletion"
	}
}

func (c *certificate) show(_ *tx, out *Resource) { out.Name = c.Domain }
