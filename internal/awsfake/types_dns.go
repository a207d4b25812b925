package awsfake

import "time"

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

func (*hostedZone) kind() string    { return kindZone }
func (z *hostedZone) clone() entity { c := *z; return &c }

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

func (*recordSet) kind() string     { return kindRecord }
func (r *recordSet) clone() entity  { c := *r; return &c }
func (r *recordSet) parent() string { return r.Zone }

// dnsChange is a change on its way to all name servers.
type dnsChange struct {
	base
	Life life `json:"life"`
}

func (*dnsChange) kind() string              { return kindChange }
func (c *dnsChange) clone() entity           { n := *c; return &n }
func (c *dnsChange) gone(now time.Time) bool { return now.Sub(c.Made) > time.Hour }
