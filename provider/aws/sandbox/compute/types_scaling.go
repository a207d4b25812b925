package compute

import (
	"strconv"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
)

// scalingGroup keeps a number of instances, which have its tag.
type scalingGroup struct {
	core.Base
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

func (g *scalingGroup) Gone(now time.Time) bool { return !g.Until.IsZero() && now.After(g.Until) }

func (g *scalingGroup) Show(_ *core.Tx, out *core.Resource) {
	out.Name, out.Size = g.ID, strconv.Itoa(g.Desired)+" instances"
}
