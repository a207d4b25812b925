package route

import (
	"net/netip"

	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

// Kind returns the schema of routes.
func Kind() resource.Kind {
	return resource.Kind{
		Provider: system.Name, Name: system.KindRoute, NamePattern: system.ClusterName, NameDoc: system.ClusterNameDoc,
		Doc: "A route of HAProxy's to a cluster: the requests whose host name has the route's name as its second part " +
			"(whoami.NAME.example.com).\n\n" +
			"Its location is haproxy, the folder of the option. A changed address is followed without a reload of HAProxy.",
		NoTags: true, Carrier: resource.Anytime, ReusedIDs: true, State: resource.StateRunning, CheckFirst: true,
		Holds: system.HoldsName("route"), HoldsDoc: "the host names with its name as their second part",
		CrossCheck: func(configured []*resource.Desired, _ func(resource.Ref) *resource.Desired) []resource.Finding {
			return system.Misplaced(configured, system.OnHAProxy, "a haproxy_route is in a folder of HAProxy's",
				"use the location haproxy")
		},
		Attrs: []resource.Attribute{
			{
				Name: "address", Type: resource.TString, Required: true, Valid: validAddress,
				Example: "${cluster/local/cluster/dev.server_ip}", Doc: "The IPv4 address of the cluster.",
			},
			{
				Name: "port", Type: resource.TInt, Required: true, Min: system.Bound(1), Max: system.Bound(65535),
				Example: "30080", Doc: "The port at which its ingress answers.",
			},
		},
	}
}

func validAddress(v resource.Value) []resource.Problem {
	text, known := v.(resource.String)
	if !known { // before what it refers to exists
		return nil
	}
	if a, err := netip.ParseAddr(string(text)); err != nil || !a.Is4() {
		return []resource.Problem{
			{Summary: "invalid IPv4 address", Suggestion: "use an address such as 10.89.0.3, or a reference to a " +
				"cluster's address"},
		}
	}
	return nil
}
