package render

import (
	"encoding/json"
	"time"
)

// Drift is one difference: what was applied, what is observed, what is configured.
type Drift struct {
	Type         string          `json:"type"` // "drift"
	Ref          string          `json:"ref"`
	Scope        string          `json:"scope"`
	Difference   string          `json:"difference"`
	Path         string          `json:"path"` // empty: the whole resource
	Applied      json.RawMessage `json:"applied"`
	Observed     json.RawMessage `json:"observed"`
	Desired      json.RawMessage `json:"desired"`
	Cause        string          `json:"cause"`        // "outside", "configuration", "both", "action", "unknown"
	Since        *time.Time      `json:"since"`        // null: not known
	Revision     int64           `json:"revision"`     // that observed it first; 0: not known
	Times        int             `json:"times"`        // how often it drifted by now
	Acknowledged bool            `json:"acknowledged"` // it is not shown as drift until then
	Until        *time.Time      `json:"until,omitempty"`
	Reason       string          `json:"reason,omitempty"`
}

// AcknowledgedDrift is a drift that is not shown until then.
type AcknowledgedDrift struct {
	Type    string    `json:"type"` // "acknowledged"
	Ref     string    `json:"ref"`
	What    string    `json:"what"`
	At      time.Time `json:"at"`
	Until   time.Time `json:"until"`
	Expired bool      `json:"expired"`
	Who     string    `json:"who"`
	Reason  string    `json:"reason"`
}

func (Drift) record()             {}
func (AcknowledgedDrift) record() {}
