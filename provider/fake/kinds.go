package fake

import "github.com/ovi-project/ovi/resource"

// kinds have between them every property of attributes: immutable, restarting, references
// single and in a set, secret, write-only, computed, nested, defaults of both kinds.
func kinds(provider string) []resource.Kind {
	at := func(n int64) *int64 { return &n }
	network := resource.Attribute{
		Name: "network", Type: resource.TString, RefKind: "network", IDPrefix: "network-",
		Effect: resource.Replace, Doc: "The network it is in.", Example: "main",
	}
	password := resource.Attribute{Name: "password", Type: resource.TString, Secret: true, Doc: "Compared by digest."}
	return []resource.Kind{
		{Provider: provider, Name: "network", Doc: "A network.", Holds: resource.HoldsNothing, Attrs: []resource.Attribute{
			{
				Name: "range", Type: resource.TString, Effect: resource.Replace, Default: resource.String("10.0.0.0/16"),
				Doc: "Its addresses.",
			},
			{Name: "open", Type: resource.TBool, Doc: "Reachable from outside."},
		}},
		{Provider: provider, Name: "server", Doc: "A server.", Holds: resource.HoldsNothing, Attrs: []resource.Attribute{
			network, password,
			{
				Name: "size", Type: resource.TString, Effect: resource.Restart, Default: resource.String("small"),
				Enum: []string{"small", "medium", "large"}, Doc: "Its size.",
			},
			{
				Name: "image", Type: resource.TString, Effect: resource.Replace, CreateDefault: resource.String("linux-1"),
				Doc: "The image it boots.",
			},
			{
				Name: "ports", Type: resource.TSet, Elem: &resource.Attribute{Type: resource.TInt, Min: at(1), Max: at(65535)},
				Doc: "Open ports.",
			},
			{
				Name: "disks", Type: resource.TSet, Doc: "Disks that are attached.",
				Elem: &resource.Attribute{Type: resource.TString, RefKind: "disk", IDPrefix: "disk-"},
			},
			{Name: "env", Type: resource.TMap, Doc: "Its environment."},
			{Name: "root", Type: resource.TObject, Doc: "Its root disk.", Fields: []resource.Attribute{
				{Name: "size", Type: resource.TInt, Default: resource.Int(8), Doc: "In GiB."},
				{Name: "fast", Type: resource.TBool, Effect: resource.Replace, Doc: "Solid state."},
			}},
			{Name: "script", Type: resource.TString, WriteOnly: true, Effect: resource.Restart, Doc: "Run when it boots."},
			{Name: "running", Type: resource.TBool, Default: resource.Bool(true), Doc: "Whether it runs."},
			{Name: "address", Type: resource.TString, Computed: true, Doc: "Its address."},
		}},
		{Provider: provider, Name: "disk", Doc: "A disk.", Holds: resource.HoldsNothing, Attrs: []resource.Attribute{
			{Name: "size", Type: resource.TInt, Required: true, Min: at(1), Max: at(1024), Doc: "In GiB.", Example: "20"},
			{Name: "weight", Type: resource.TFloat, Doc: "Its share of the bandwidth."},
		}},
		{Provider: provider, Name: "database", Doc: "A database.", Holds: resource.HoldsNothing, Attrs: []resource.Attribute{
			network, password,
			{
				Name: "engine", Type: resource.TString, Required: true, Enum: []string{"postgres", "mysql"},
				Effect: resource.Replace, Doc: "The database engine.", Example: "postgres",
			},
			{
				Name: "size", Type: resource.TString, Effect: resource.Restart, Default: resource.String("small"),
				Doc: "Its size.",
			},
			{
				Name: "backup_days", Type: resource.TInt, Default: resource.Int(7), Min: at(0), Max: at(35),
				Doc: "How long backups are kept.",
			},
			{
				Name: "replicas", Type: resource.TList, Elem: &resource.Attribute{Type: resource.TString},
				Doc: "Locations of its replicas, the first is preferred.",
			},
		}},
	}
}
