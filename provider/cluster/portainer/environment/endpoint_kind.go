package environment

import (
	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

// EndpointKind returns the schema of environments.
func EndpointKind() resource.Kind {
	return resource.Kind{
		Provider: system.Name, Name: system.KindEndpoint, NamePattern: system.ClusterName, NameDoc: system.ClusterNameDoc,
		Doc: "An environment of Portainer's that an Edge agent connects.\n\nIts location is portainer, the URL of the " +
			"option. Its key is a secret: " +
			"${portainer/portainer_endpoint/NAME.edge_key}.",
		NoTags: true, Carrier: resource.AtCreate, CheckFirst: true,
		Holds: system.HoldsName("environment"), HoldsDoc: "its name in Portainer",
		CrossCheck: func(configured []*resource.Desired, _ func(resource.Ref) *resource.Desired) []resource.Finding {
			return system.Misplaced(configured, system.OnPortainer, "a portainer_endpoint is in Portainer",
				"use the location portainer")
		},
		Attrs: []resource.Attribute{
			{
				Name: "url", Type: resource.TString, Required: true, Effect: resource.Replace, Pattern: `https?://[^|]+`,
				Example: "https://portainer.example.com", Doc: "The URL at which the agent reaches Portainer; it is in the key.",
			},
			{
				Name: "group", Type: resource.TInt,
				HarmlessDefault: true, Default: resource.Int(1), Min: system.Bound(1), Example: "1",
				Doc: "The ID of its group.",
			},
			{Name: "edge_id", Type: resource.TString, Computed: true, Doc: "Its ID, as the agent needs it."},
			{
				Name: "edge_key", Type: resource.TString, Secret: true, Computed: true,
				Doc: "The key with which the agent connects.",
			},
		},
	}
}
