package aws

import (
	"context"
	"slices"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Name is the provider's name in refs and configurations.
const Name = "aws"

// The names of the kinds.
const (
	kindVPC    = "vpc"
	kindSubnet = "subnet"
	kindGroup  = "security_group"
	kindEC2    = "ec2"
	kindEBS    = "ebs"
	kindRDS    = "rds"
	kindS3     = "s3"
)

// kind is everything this provider knows about one kind of resource. Adding a kind means adding
// one of these to the table of kinds.
type kind struct {
	schema resource.Kind
	// list reads all resources of the kind in a region: all of them, or an error.
	list func(context.Context, *sweep) ([]resource.Observed, error)
	// byTag: list honors the filter of the sweep.
	byTag bool
	// read reads one resource by its id. One that does not exist, or is being deleted, is NotFound.
	read func(ctx context.Context, g *region, id string) (resource.Observed, error)
	// tag sets and removes tags of a resource and leaves all others as they are.
	tag func(ctx context.Context, g *region, id string, set map[string]string, drop []string) error
	// check returns why a resource could not be created as the request says. It writes nothing.
	check func(context.Context, *region, provider.Request) error
	// create, update and remove keep the contracts of provider.Provider.
	create func(context.Context, *region, provider.Request) (resource.Observed, error)
	update func(context.Context, *region, provider.Request) (resource.Observed, error)
	remove func(context.Context, *region, provider.Request) error
}

// kinds is the table of all kinds. Each call gives fresh values.
func kinds() []kind {
	return slices.Concat(networkKinds(), computeKinds(), databaseKinds(), bucketKinds(), identityKinds(), keysKinds(), dnsKinds(), balanceKinds())
}

// Kinds lists the schemas of all kinds, without I/O and without an account. Each call gives a
// fresh list.
func Kinds() []resource.Kind {
	all := kinds()
	out := make([]resource.Kind, len(all))
	for i, k := range all {
		out[i] = k.schema
	}
	return out
}
