package render

import "time"

// Approval is somebody's yes to what a plan proposes.
type Approval struct {
	Type     string    `json:"type"` // "approval"
	Plan     string    `json:"plan"`
	Digest   string    `json:"digest"` // of the proposals: what it binds to
	Who      string    `json:"who"`
	Until    time.Time `json:"until"`
	Reason   string    `json:"reason,omitempty"`
	People   int       `json:"people"`   // how many different people the rules ask for
	Approved []string  `json:"approved"` // whose approvals hold now
}

func (Approval) record() {}
