package schema

import "github.com/ovi-project/ovi/resource"

// PodKind returns the schema of pods.
func PodKind() resource.Kind {
	return resource.Kind{
		Provider: Name, Name: Pod,
		Doc:         "A pod: containers that share networks and ports.\n\nContainers join it by their attribute pod.",
		NamePattern: hostName, NameDoc: hostNameDoc, NoTags: true,
		Carrier: resource.AtCreate, CheckFirst: true, Exact: true, State: resource.StateRunning, Canonical: canonicalPod,
		Holds: holdsNamePorts, HoldsDoc: heldNamePorts,
		Attrs: fixed([]resource.Attribute{
			{
				Name: "restart_policy", Type: resource.TString, Valid: restartPolicyIsKnown,
				Example: "always", Doc: "The restart policy of its containers that set none.",
			},
			{
				Name: "ports", Type: resource.TSet, Elem: &resource.Attribute{Type: resource.TObject, Fields: portFields()},
				Example: "[{container_port: 80, host_port: 8080}]", Doc: "Ports of its containers that the host publishes.",
			},
			{
				Name: "networks", Type: resource.TSet, Elem: &resource.Attribute{
					Type: resource.TString, RefKind: Network, Example: "backend",
				},
				Example: "[backend]", Doc: "The networks it is connected to. If omitted, Podman's default network.",
			},
			{
				Name: "network_aliases", Type: resource.TSet, Elem: &resource.Attribute{
					Type: resource.TString, Pattern: hostName, Example: "shop",
				},
				Example: "[shop]", Doc: "Names by which the containers of its networks find it, besides its own.",
			},
			labelsAttr("pod"),
		}),
	}
}
