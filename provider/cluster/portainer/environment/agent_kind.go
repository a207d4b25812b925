package environment

import (
	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

// AgentKind returns the schema of Edge agents.
func AgentKind() resource.Kind {
	return resource.Kind{
		Provider: system.Name, Name: system.KindAgent, NamePattern: system.ClusterName, NameDoc: system.ClusterNameDoc,
		Doc: "A Portainer Edge agent in a cluster: the deployment portainer-agent-NAME in the namespace " +
			"portainer, and the objects that it needs.\n\nIts location is that cluster: local#NAME. It may do " +
			"everything in the cluster, as Portainer's own manifest lets it, and verifies Portainer's " +
			"certificate.",
		NoTags: true, Carrier: resource.Anytime,
		Holds: system.HoldsName("agent"), HoldsDoc: "its name in the cluster",
		CrossCheck: func(configured []*resource.Desired, _ func(resource.Ref) *resource.Desired) []resource.Finding {
			return system.Misplaced(configured, system.InCluster, "an edge_agent is in the cluster that it connects",
				"use local#NAME, or management")
		},
		Attrs: []resource.Attribute{
			{
				Name: "edge_id", Type: resource.TString, Required: true, Example: "${portainer/portainer_endpoint/dev.edge_id}",
				Doc: "The ID of its environment in Portainer.",
			},
			{
				Name: "edge_key", Type: resource.TString, Required: true, Secret: true, WriteOnly: true,
				Example: "${portainer/portainer_endpoint/dev.edge_key}", Doc: "The key of that environment.",
			},
			{
				Name: "image", Type: resource.TString,
				HarmlessDefault: true, Default: resource.String("portainer/agent:2.23.0"),
				Example: "portainer/agent:2.23.0", Doc: "Its image.",
			},
		},
	}
}
