package awsfake

import (
	"strings"
	"time"
)

// hostedZone belongs to the account and to no region, as all of Route 53.
type hostedZone struct {
	base
	Domain  string   `json:"domain"` // with the dot at its end
	Caller  string   `json:"caller"`
	Comment string   `json:"comment,omitempty"`
	Private bool     `json:"private,omitempty"`
	VPCs    []zoneIn `json:"vpcs,omitempty"`
}

type zoneIn struct{ Region, VPC string }

// recordSet has no tags. Its ID is its zone, name and type, and the identifier of its routing policy.
type recordSet struct {
	base
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

func (r *recordSet) parent() string { return r.Zone }

// dnsChange is a change on its way to all name servers.
type dnsChange struct {
	base
	Life life `json:"life"`
}

func (c *dnsChange) gone(now time.Time) bool { return now.Sub(c.Made) > time.Hour }

func (z *hostedZone) show(_ *tx, out *Resource) { out.Name = strings.TrimSuffix(z.Domain, ".") }

func (r *recordSet) show(_ *tx, out *Resource) {
	out.Name, out.Size, out.Default = strings.TrimSuffix(r.Name, "."), r.Type, r.Type == "SOA" || r.Type == "NS"
}
