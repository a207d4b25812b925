package api

import (
	"context"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// ProviderName is the provider's name in refs and configurations.
const ProviderName = "aws"

// The names of the kinds.
const (
	KindVPC    = "vpc"
	KindSubnet = "subnet"
	KindGroup  = "security_group"
	KindEC2    = "ec2"
	KindEBS    = "ebs"
	KindRDS    = "rds"
	KindS3     = "s3"
)

// Kind is everything this provider knows about one kind of resource. Adding a kind means adding
// one of these to the table of kinds.
type Kind struct {
	Schema resource.Kind
	// List reads all resources of the kind in a region: all of them, or an error.
	List func(context.Context, *Sweep) ([]resource.Observed, error)
	// ByTag: list honors the filter of the sweep.
	ByTag bool
	// Read reads one resource by its id. A resource that does not exist, or is being deleted, is NotFound.
	Read func(ctx context.Context, g *Region, id string) (resource.Observed, error)
	// Tag sets and removes tags of a resource and keeps all others.
	Tag func(ctx context.Context, g *Region, id string, set map[string]string, drop []string) error
	// Restore, if any, cancels a scheduled deletion if the request does. It is called before Tag and Update: AWS
	// changes neither tags nor settings until then.
	Restore func(context.Context, *Region, provider.Request) error
	// Check returns why a resource could not be created as the request says. It writes nothing.
	Check func(context.Context, *Region, provider.Request) error
	// Create, update and remove keep the contracts of provider.Provider.
	Create func(context.Context, *Region, provider.Request) (resource.Observed, error)
	Update func(context.Context, *Region, provider.Request) (resource.Observed, error)
	Remove func(context.Context, *Region, provider.Request) error
	// Calls are the API calls that all of these make.
	Calls Calls
}

// KindDBSubnets is the kind db_subnet_group.
const KindDBSubnets = "db_subnet_group"

// MaxKey is the maximum length of a ClientToken of EC2.
const MaxKey = 64
