package cluster

import "github.com/ovi-project/ovi/resource"

// Name is the provider's name in refs and configurations.
const Name = "cluster"

// The names of the kinds.
const kindCluster = "cluster"

// Kinds lists the schemas of all kinds, without I/O. Each call gives a fresh list.
func Kinds() []resource.Kind { return []resource.Kind{clusterKind()} }

func bound(n int64) *int64 { return &n }
