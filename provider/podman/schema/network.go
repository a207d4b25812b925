package schema

import (
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// NetworkKind returns the schema of networks.
func NetworkKind() resource.Kind {
	return resource.Kind{
		Provider: Name, Name: Network,
		Doc: "A network of containers.\n\nReplacing it disconnects the containers of its stack and connects them " +
			"again; they keep running.",
		NamePattern: hostName, NameDoc: hostNameDoc, NoTags: true,
		Carrier: resource.AtCreate, CheckFirst: true, Exact: true, Canonical: canonicalNetwork,
		CrossCheck: crossCheckNetworks, UsedBy: connectedOthers,
		Holds: holdsNetwork, HoldsDoc: "its name among the networks of the host; the addresses of its subnet",
		Attrs: append(fixed([]resource.Attribute{
			{
				Name: "driver", Type: resource.TString, HarmlessDefault: true, Default: resource.String("bridge"),
				Enum:    []string{"bridge", "macvlan", "ipvlan"},
				Example: "bridge", Doc: "The network driver.",
			},
			{
				Name: "options", Type: resource.TMap,
				Example: `{mtu: "1400"}`, Doc: "Options of the driver.",
			},
			{
				Name: "subnet", Type: resource.TString, Pattern: `[0-9a-fA-F.:]+/[0-9]{1,3}`, Valid: isSubnet,
				Example: "172.20.0.0/16", Doc: "Its range of addresses. If omitted, Podman chooses one.",
			},
			{
				Name: "gateway", Type: resource.TString, Valid: isAddress,
				Example: "172.20.0.1", Doc: "The address of the host in it. Requires subnet. If omitted, the first of the subnet.",
			},
		}), recordedLabels("network")),
	}
}

// connectedOthers lists the containers in a network that are not of its stack. Its deletion disconnects only the ones
// of its stack, and Podman deletes no network of others.
func connectedOthers(have resource.Observed, all []resource.Observed) (out []resource.Observed) {
	for _, o := range all {
		own := o.Managed() && o.Ref.Stack == have.Ref.Stack
		if o.Ref.Kind == Container && !own && slices.Contains(o.Attrs.Texts("networks"), have.ID) {
			out = append(out, o)
		}
	}
	return out
}
