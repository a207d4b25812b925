// Package firewall has the kinds of security groups and of their rules.
package firewall

import "github.com/ovi-project/ovi/provider/aws/api"

// Kinds returns the kinds of this package. Each call returns fresh values.
func Kinds() []api.Kind { return []api.Kind{kindOfGroup(), kindOfRule()} }
