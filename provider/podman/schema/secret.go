package schema

import "github.com/ovi-project/ovi/resource"

// SecretKind returns the schema of secrets.
func SecretKind() resource.Kind {
	return resource.Kind{
		Provider: Name, Name: Secret,
		Doc: "A secret, for containers.\n\nOn the host it has its name, or that name with a suffix while another " +
			"secret has it. Podman cannot change a secret: a new value makes a new one, and what uses it is replaced.",
		NamePattern: hostName, NameDoc: hostNameDoc, NoTags: true,
		Carrier: resource.AtCreate, Exact: true, Canonical: canonicalSecret, Holds: resource.HoldsNothing,
		Replace: func(resource.Desired, resource.Observed) []resource.Strategy {
			return []resource.Strategy{resource.CreateFirst}
		},
		Attrs: fixed([]resource.Attribute{
			{
				Name: "type", Type: resource.TString,
				HarmlessDefault: true, Default: resource.String("opaque"), Enum: []string{"opaque", "Opaque"},
				Example: "opaque", Doc: "The type.",
			},
			{
				Name: "data", Type: resource.TMap, Required: true, Min: bound(1),
				Elem:  &resource.Attribute{Type: resource.TString, Secret: true},
				Valid: dataKeys, Example: "{password: \"${env:DB_PASSWORD}\"}",
				Doc: "The values by key. Only their keyed digests are recorded.",
			},
			labelsAttr("secret"),
		}),
	}
}
