package database

import (
	"github.com/ovi-project/ovi/provider/aws/api"
)

const parameterGroup = "parameter_group" // of a database

// namedDefault rejects the name default. Amazon RDS API Reference, CreateDBSubnetGroup: the name
// "Must not be default".
func namedDefault(c *api.Checking) {
	for _, d := range c.Configured {
		if name, at := api.NamedAt(d); name == "default" {
			c.Alone(d, at, "use another name", "AWS reserves the name default")
		}
	}
}

// snapshotAttr names what a database is restored from.
const snapshotAttr = "snapshot"
