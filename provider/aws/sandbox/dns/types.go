package dns

import (
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
)

// HostedZone belongs to the account and to no region, as all of Route 53.
type HostedZone struct {
	core.Base
	Domain  string   `json:"domain"` // with the dot at its end
	Caller  string   `json:"caller"`
	Comment string   `json:"comment,omitempty"`
	Private bool     `json:"private,omitempty"`
	VPCs    []zoneIn `json:"vpcs,omitempty"`
}

type zoneIn struct{ Region, VPC string }

// RecordSet has no tags. Its ID is its zone, name and type, and the identifier of its routing policy.
type RecordSet struct {
	core.Base
	Zone   string    `json:"zone"`
	Name   string    `json:"name"` // with the dot at its end
	Type   string    `json:"type"`
	Set    string    `json:"set,omitempty"`
	Weight *int64    `json:"weight,omitempty"`
	TTL    int64     `json:"ttl,omitempty"`
	Values []string  `json:"values,omitempty"`
	Alias  *dnsAlias `json:"alias,omitempty"`
}

type dnsAlias struct {
	HostedZoneId         string
	DNSName              string
	EvaluateTargetHealth bool
}

// Parent returns what it is under.
func (r *RecordSet) Parent() string { return r.Zone }

// dnsChange is a change on its way to all name servers.
type dnsChange struct {
	core.Base
	Life core.Life `json:"life"`
}

func (c *dnsChange) Gone(now time.Time) bool { return now.Sub(c.Made) > time.Hour }

// Show fills in the attributes that a listing has for the kind.
func (z *HostedZone) Show(_ *core.Tx, out *core.Resource) {
	out.Name = strings.TrimSuffix(z.Domain, ".")
}

// Show fills in the attributes that a listing has for the kind.
func (r *RecordSet) Show(_ *core.Tx, out *core.Resource) {
	out.Name, out.Size, out.Default = strings.TrimSuffix(r.Name, "."), r.Type, r.Type == "SOA" || r.Type == "NS"
}
