package main

import "github.com/ovi-project/ovi/provider/podman"

// clusterProvider is the provider whose clusters a table in a database declares.
const clusterProvider = "cluster"

// chartProvider is the provider whose kinds charts declare.
const chartProvider = podman.Name
