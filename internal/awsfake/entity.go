package awsfake

import "time"

// entity is one resource of the account. An entity is never changed once it was put
// into a table: handlers change a copy and put the copy, so that a refused
// request can be taken back by putting the old pointers back.
type entity interface {
	kind() string
	meta() *base
	clone() entity
}

// base is what every resource has. Region is empty for global ones.
type base struct {
	ID     string            `json:"id"`
	Region string            `json:"region,omitempty"`
	Seq    int64             `json:"seq"`
	Made   time.Time         `json:"made"`
	Tags   map[string]string `json:"tags,omitempty"`
}

func (b *base) meta() *base { return b }

// mortal is an entity that time alone can end.
type mortal interface{ gone(now time.Time) bool }

// blank gives an empty entity of a kind for the decoder, or nil for a kind
// that this version does not know.
func blank(kind string) entity {
	switch kind {
	case kindRegion:
		return &regionMark{}
	case kindToken:
		return &clientToken{}
	case kindInstance:
		return &instance{}
	case kindVolume:
		return &volume{}
	case kindVPC:
		return &vpc{}
	case kindSubnet:
		return &subnet{}
	case kindGroup:
		return &securityGroup{}
	case kindKey:
		return &keyPair{}
	case kindInternetGateway:
		return &internetGateway{}
	case kindAddress:
		return &address{}
	case kindNAT:
		return &natGateway{}
	case kindRouteTable:
		return &routeTable{}
	case kindDatabase:
		return &database{}
	case kindSnapshot:
		return &snapshot{}
	case kindSubnetGroup:
		return &subnetGroup{}
	case kindBucket:
		return &bucket{}
	case kindObject:
		return &object{}
	case kindTemplate:
		return &launchTemplate{}
	case kindScaling:
		return &scalingGroup{}
	case kindBalancer:
		return &loadBalancer{}
	case kindTargets:
		return &targetGroup{}
	case kindListener:
		return &listener{}
	case kindRole:
		return &role{}
	case kindProfile:
		return &instanceProfile{}
	case kindZone:
		return &hostedZone{}
	case kindRecord:
		return &recordSet{}
	case kindChange:
		return &dnsChange{}
	default:
		return blankKept(kind)
	}
}

// blankKept is blank for what keeps logs, keys and secrets, and for parts of networks and databases.
func blankKept(kind string) entity {
	switch kind {
	case kindInterface:
		return &networkInterface{}
	case kindEndpoint:
		return &endpoint{}
	case kindParamGroup:
		return &paramGroup{}
	case kindLogs:
		return &logGroup{}
	case kindKMS:
		return &kmsKey{}
	case kindAlias:
		return &kmsAlias{}
	case kindKept:
		return &kept{}
	case kindCertificate:
		return &certificate{}
	default:
		return nil
	}
}

const (
	kindRegion      = "region"
	kindToken       = "token"
	kindInstance    = "instance"
	kindVolume      = "volume"
	kindVPC         = "vpc"
	kindSubnet      = "subnet"
	kindGroup       = "security-group"
	kindBucket      = "bucket"
	kindObject      = "object"
	kindKey         = "key-pair"
	kindDatabase    = "db"
	kindSnapshot    = "snapshot"
	kindSubnetGroup = "subgrp"

	kindInternetGateway = "internet-gateway"
	kindAddress         = "elastic-ip"
	kindNAT             = "natgateway"
	kindRouteTable      = "route-table"
	kindInterface       = "network-interface"

	kindScaling  = "scaling-group"
	kindBalancer = "load-balancer"
	kindTargets  = "target-group"
	kindListener = "listener"
	kindTemplate = "launch-template"
	kindRole     = "role"
	kindProfile  = "instance-profile"

	kindEndpoint    = "vpc-endpoint"
	kindParamGroup  = "pg"
	kindLogs        = "log-group"
	kindKMS         = "kms-key"
	kindAlias       = "kms-alias"
	kindKept        = "secret"
	kindCertificate = "certificate"

	kindZone   = "hosted-zone"
	kindRecord = "record-set"
	kindChange = "dns-change"
)

// regionMark says that the default resources of a region were written once, so
// that a deleted default VPC does not come back.
type regionMark struct{ base }

func (*regionMark) kind() string    { return kindRegion }
func (r *regionMark) clone() entity { c := *r; return &c }

// clientToken remembers what was asked under an idempotency token.
type clientToken struct {
	base
	Digest string    `json:"digest"`
	IDs    []string  `json:"ids"`
	Until  time.Time `json:"until"`
}

func (*clientToken) kind() string              { return kindToken }
func (t *clientToken) clone() entity           { c := *t; return &c }
func (t *clientToken) gone(now time.Time) bool { return !t.Until.IsZero() && now.After(t.Until) }
