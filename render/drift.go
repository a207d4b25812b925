package render

import (
	"encoding/json"
	"time"
)

// Drift is one difference held against three sides.
type Drift struct {
	Type         string          `json:"type"` // "drift"
	Ref          string          `json:"ref"`
	Scope        string          `json:"scope"`
	Difference   string          `json:"difference"`
	Path         string          `json:"path"` // empty: the whole thing
	Applied      json.RawMessage `json:"applied"`
	Observed     json.RawMessage `json:"observed"`
	Desired      json.RawMessage `json:"desired"`
	Cause        string          `json:"cause"`    // "world", "config", "both", "unknown"
	Since        *time.Time      `json:"since"`    // null: not known
	Revision     int64           `json:"revision"` // that saw it first; 0: not known
	Times        int             `json:"times"`    // 2 and more: it flaps
	Acknowledged bool            `json:"acked"`    // somebody said it may stay so, until then
	Until        *time.Time      `json:"until,omitempty"`
	Reason       string          `json:"reason,omitempty"`
}

// AcknowledgedDrift is a drift that somebody said may stay.
type AcknowledgedDrift struct {
	Type    string    `json:"type"` // "acked"
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
