package clusters

import "github.com/ovi-project/ovi/cmd/cli"

// The exit codes of the commands of `ovi cluster`: docs/clusters.md.
const (
	clusterDone       = 0
	clusterFailed     = 1
	ClusterUnusable   = 2
	clusterChanges    = 3
	clusterMissing    = cli.ExitMissing
	clusterMismatch   = cli.ExitMismatch
	clusterUnobserved = cli.ExitUnobserved
	clusterRefused    = cli.ExitRefused
)
