package command

import "github.com/ovi-project/ovi/provider/podman"

// ClusterProvider is the provider whose clusters a table in a database declares.
const ClusterProvider = "cluster"

// ChartProvider is the provider whose kinds charts declare.
const ChartProvider = podman.Name
