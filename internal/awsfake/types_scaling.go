package awsfake

import (
	"strconv"
	"time"
)

// scalingGroup keeps a number of instances, which have its tag.
type scalingGroup struct {
	base
	ARN      string    `json:"arn"`
	Min      int       `json:"min"`
	Max      int       `json:"max"`
	Desired  int       `json:"desired"`
	Subnets  []string  `json:"subnets"`
	Template string    `json:"template"`
	Version  string    `json:"version"`
	Targets  []string  `json:"targets,omitempty"`
	Check    string    `json:"check"`
	Grace    int       `json:"grace"`
	Failure  string    `json:"failure,omitempty"` // of the last launch
	Failed   time.Time `json:"failed,omitzero"`
	Until    time.Time `json:"until,omitzero"` // when one that is being deleted is gone
}

func (g *scalingGroup) gone(now time.Time) bool { return !g.Until.IsZero() && now.After(g.Until) }

func (g *scalingGroup) show(_ *tx, out *Resource) {
	out.Name, out.Size = g.ID, strconv.Itoa(g.Desired)+" instances"
}
