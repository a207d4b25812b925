package awsfake

// role belongs to the account and to no region, as all of IAM.
type role struct {
	base
	RoleID      string            `json:"role_id"`
	Path        string            `json:"path"`
	Trust       string            `json:"trust"`
	Description string            `json:"description,omitempty"`
	MaxSession  int               `json:"max_session"`
	Inline      map[string]string `json:"inline,omitempty"`
	Attached    []string          `json:"attached,omitempty"`
}

func (*role) kind() string    { return kindRole }
func (r *role) clone() entity { c := *r; return &c }

// instanceProfile has one role at most.
type instanceProfile struct {
	base
	ProfileID string `json:"profile_id"`
	Path      string `json:"path"`
	Role      string `json:"role,omitempty"`
}

func (*instanceProfile) kind() string    { return kindProfile }
func (p *instanceProfile) clone() entity { c := *p; return &c }
