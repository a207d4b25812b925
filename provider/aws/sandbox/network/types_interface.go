package network

import (
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
)

// NetworkInterface is one that was made by itself. That of a launch is a part of its instance, and is made from it
// where it is asked for.
type NetworkInterface struct {
	core.Base
	Subnet     string   `json:"subnet"`
	VPC        string   `json:"vpc"`
	AZ         string   `json:"az"`
	Groups     []string `json:"groups,omitempty"`
	Private    string   `json:"private_ip"`
	About      string   `json:"about,omitempty"`
	NoSrcCheck bool     `json:"no_source_dest_check,omitempty"`
	Tie        *nicTie  `json:"tie,omitempty"`
	// Requester is set for one that a service of AWS made.
	Requester bool      `json:"requester,omitempty"`
	Until     time.Time `json:"until,omitzero"` // when one that goes with its instance is gone
}

// nicTie is its attachment to an instance; Life ends in attached or detached.
type nicTie struct {
	ID       string    `json:"id"`
	Instance string    `json:"instance"`
	Index    int       `json:"index"`
	Kill     bool      `json:"delete_on_termination,omitempty"`
	At       time.Time `json:"at"`
	Life     core.Life `json:"life"`
}

func (n *NetworkInterface) Gone(now time.Time) bool { return !n.Until.IsZero() && !now.Before(n.Until) }

// Parent is the instance that it is, or was last, attached to.
func (n *NetworkInterface) Parent() string {
	if n.Tie == nil {
		return ""
	}
	return n.Tie.Instance
}

// tie is the attachment at a moment, nil when there is none.
func (n *NetworkInterface) tie(now time.Time) *nicTie {
	if n.Tie == nil || n.Tie.Life.At(now) == "detached" {
		return nil
	}
	return n.Tie
}

func (n *NetworkInterface) status(now time.Time) string {
	if n.Requester || n.tie(now) != nil {
		return "in-use"
	}
	return "available"
}

// mac is a hardware address of those that anybody may give, from the ID.
func (n *NetworkInterface) mac() string {
	hex := strings.TrimPrefix(n.ID, "eni-")
	out := "02"
	for i := range 5 {
		out += ":" + hex[2*i:2*i+2]
	}
	return out
}

func (n *NetworkInterface) Show(t *core.Tx, out *core.Resource) {
	out.State, out.Size = n.status(t.Now), n.Private
}

func (n *NetworkInterface) CopyForm(core.Hand, core.Breakage) map[string]string {
	return map[string]string{"SubnetId": n.Subnet}
}
