package network

import (
	"github.com/ovi-project/ovi/provider/aws/api"
)

// Kinds are the kinds of this package. Each call gives fresh values.
func Kinds() []api.Kind {
	return []api.Kind{
		kindOfVPC(), kindOfSubnet(), kindOfInternetGateway(),
		kindOfRouteTable(), kindOfEIP(), kindOfNAT(), kindOfInterface(), kindOfEndpoint(),
	}
}
