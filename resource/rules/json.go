package rules

import (
	"encoding/json"
	"fmt"
	"time"
)

// windowJSON is a Window with its zone by name.
type windowJSON struct {
	Name     string         `json:"name,omitempty"`
	Days     []time.Weekday `json:"days,omitempty"`
	From, To time.Duration
	Zone     string   `json:"zone,omitempty"`
	Actions  []string `json:"actions,omitempty"`
	Kinds    []string `json:"kinds,omitempty"`
}

// MarshalJSON writes the zone by its name.
func (w Window) MarshalJSON() ([]byte, error) {
	out := windowJSON{w.Name, w.Days, w.From, w.To, "", w.Actions, w.Kinds}
	if w.Zone != nil {
		out.Zone = w.Zone.String()
	}
	return json.Marshal(out)
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (w *Window) UnmarshalJSON(b []byte) error {
	var in windowJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*w = Window{in.Name, in.Days, in.From, in.To, nil, in.Actions, in.Kinds}
	if in.Zone == "" {
		return nil
	}
	zone, err := time.LoadLocation(in.Zone)
	if err != nil {
		return fmt.Errorf("rules: window %q: %w", in.Name, err)
	}
	w.Zone = zone
	return nil
}
