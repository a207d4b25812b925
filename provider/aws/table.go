package aws

import (
	"slices"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/balance"
	"github.com/ovi-project/ovi/provider/aws/bucket"
	"github.com/ovi-project/ovi/provider/aws/compute"
	"github.com/ovi-project/ovi/provider/aws/database"
	"github.com/ovi-project/ovi/provider/aws/dns"
	"github.com/ovi-project/ovi/provider/aws/firewall"
	awsidentity "github.com/ovi-project/ovi/provider/aws/identity"
	"github.com/ovi-project/ovi/provider/aws/keys"
	"github.com/ovi-project/ovi/provider/aws/network"
	"github.com/ovi-project/ovi/resource"
)

// kinds is the table of all kinds. Each call gives fresh values.
func kinds() []api.Kind {
	return slices.Concat(network.Kinds(), firewall.Kinds(), compute.Kinds(), database.Kinds(), bucket.Kinds(),
		awsidentity.Kinds(),
		keys.Kinds(), dns.Kinds(), balance.Kinds())
}

// Kinds lists the schemas of all kinds, without I/O and without an account. Each call gives a
// fresh list.
func Kinds() []resource.Kind {
	all := kinds()
	out := make([]resource.Kind, len(all))
	for i, k := range all {
		out[i] = k.Schema
	}
	return out
}
