package keys

import (
	"strconv"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
)

// logGroup keeps no events here.
type logGroup struct {
	core.Base
	Retention int    `json:"retention,omitempty"` // in days; 0 means no limit
	KMS       string `json:"kms,omitempty"`
	Class     string `json:"class"`
}

// kmsKey has no material: nothing here is encrypted.
type kmsKey struct {
	core.Base
	About    string    `json:"about,omitempty"`
	Policy   string    `json:"policy"`
	Disabled bool      `json:"disabled,omitempty"`
	Rotates  bool      `json:"rotates,omitempty"`
	Days     int       `json:"days,omitempty"`
	Deleted  time.Time `json:"deleted,omitzero"` // the end of its window
}

func (k *kmsKey) Gone(now time.Time) bool { return !k.Deleted.IsZero() && now.After(k.Deleted) }

// KMSAlias is a name of a key; its ID begins with alias/.
type KMSAlias struct {
	core.Base
	Key string `json:"key"`
}

// kept is a secret. Its value is not stored: a digest tells whether a repeated request is the same.
type kept struct {
	core.Base
	ARN     string    `json:"arn"`
	About   string    `json:"about,omitempty"`
	KMS     string    `json:"kms,omitempty"`
	Token   string    `json:"token,omitempty"`
	Digest  string    `json:"digest,omitempty"`
	Deleted time.Time `json:"deleted,omitzero"` // the end of its recovery window
}

func (k *kept) Gone(now time.Time) bool { return !k.Deleted.IsZero() && now.After(k.Deleted) }

// Certificate is issued once the CNAME of each of its domains is in a public zone of the sandbox.
type Certificate struct {
	core.Base
	Domain    string    `json:"domain"`
	Others    []string  `json:"others,omitempty"`
	Algorithm string    `json:"algorithm"`
	Token     string    `json:"token,omitempty"`
	Issued    bool      `json:"issued,omitempty"` // by records that are not in the sandbox
	Visible   core.Life `json:"visible"`          // of the validation records, which take a moment to appear
}

func (l *logGroup) Show(_ *core.Tx, out *core.Resource) {
	out.Name, out.Size = l.ID, strconv.Itoa(l.Retention)+" days"
}

func (k *kmsKey) Show(_ *core.Tx, out *core.Resource) {
	if !k.Deleted.IsZero() {
		out.State = "pending deletion"
	}
}

func (k *kept) Show(_ *core.Tx, out *core.Resource) {
	if out.Name = k.ID; !k.Deleted.IsZero() {
		out.State = "pending deletion"
	}
}

// Show fills in the attributes that a listing has for the kind.
func (c *Certificate) Show(_ *core.Tx, out *core.Resource) { out.Name = c.Domain }
