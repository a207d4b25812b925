// Package system is what the systems of the provider share: the verbs of a kind, the areas of locations, marks as
// text, and errors. It asks nothing.
package system

import (
	"context"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// The names of clusters.
const (
	// ClusterName is the pattern of the name of a cluster, a label of DNS (RFC 1123).
	ClusterName    = `[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?`
	ClusterNameDoc = "lower-case letters, digits and '-', starting and ending with a letter or digit, at most 63 " +
		"characters"
)

// Name is the provider's name in refs and configurations.
const Name = "cluster"

// The names of the kinds.
const (
	KindCluster  = "cluster"
	KindSecret   = "argocd_secret"
	KindRoute    = "haproxy_route"
	KindEndpoint = "portainer_endpoint"
	KindAppSet   = "applicationset"
	KindBranch   = "git_branch"
	KindAgent    = "edge_agent"
)

// Bound returns the bound of a number in a schema.
func Bound(n int64) *int64 { return &n }

// Verbs are what can be done with resources of one kind, in one place.
type Verbs interface {
	List(ctx context.Context) ([]resource.Observed, error) // all, or an error
	Check(ctx context.Context, r provider.Request) error
	Create(ctx context.Context, r provider.Request) (resource.Observed, error)
	Update(ctx context.Context, r provider.Request) (resource.Observed, error)
	Remove(ctx context.Context, r provider.Request) error
}

// Marker is of kinds whose marks can be written at any time.
type Marker interface {
	Mark(ctx context.Context, r provider.Request) (resource.Observed, error)
}

// Revealer is of kinds with secret values.
type Revealer interface {
	Reveal(ctx context.Context, have resource.Observed, path string) (resource.Secret, error)
}

// Values are attributes by name.
type Values = map[string]resource.Value

// Poll is how often a cluster that starts is asked.
const Poll = 200 * time.Millisecond
