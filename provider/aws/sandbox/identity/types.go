package identity

import (
	"strconv"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
)

// role belongs to the account and to no region, as all of IAM.
type role struct {
	core.Base
	RoleID      string            `json:"role_id"`
	Path        string            `json:"path"`
	Trust       string            `json:"trust"`
	Description string            `json:"description,omitempty"`
	MaxSession  int               `json:"max_session"`
	Inline      map[string]string `json:"inline,omitempty"`
	Attached    []string          `json:"attached,omitempty"`
}

// instanceProfile has one role at most.
type instanceProfile struct {
	core.Base
	ProfileID string `json:"profile_id"`
	Path      string `json:"path"`
	Role      string `json:"role,omitempty"`
}

func (r *role) Show(_ *core.Tx, out *core.Resource) {
	out.Name, out.Size = r.ID, strconv.Itoa(len(r.Inline)+len(r.Attached))+" policies"
}
