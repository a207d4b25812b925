package schema

import "github.com/ovi-project/ovi/resource"

// VolumeKind returns the schema of volumes.
func VolumeKind() resource.Kind {
	return resource.Kind{
		Provider: Name, Name: Volume,
		Doc:         "A volume, or a folder of the host.\n\nNo change replaces it, because that would lose its data.",
		NamePattern: hostName, NameDoc: hostNameDoc, NoTags: true,
		Carrier: resource.AtCreate, CheckFirst: true, Exact: true, Canonical: canonicalVolume, DataLoss: volumeDataLoss,
		Keeps: true, Holds: holdsVolume, HoldsDoc: "its name among the volumes of the host",
		Attrs: append(fixed([]resource.Attribute{
			{
				Name: "type", Type: resource.TString, Enum: []string{"volume", "bind"},
				Example: "volume",
				Doc: "Where the data is: in a volume of Podman's, or in a path of the host (bind). If omitted, volume, or " +
					"bind with a host_path.",
			},
			{
				Name: "driver", Type: resource.TString,
				HarmlessDefault: true, Default: resource.String("local"), Pattern: `[a-zA-Z0-9_.-]+`,
				Example: "local", Doc: "The volume driver.",
			},
			{Name: "options", Type: resource.TMap, Example: "{type: nfs}", Doc: "Options of the driver."},
			{
				Name: "volume", Type: resource.TObject, Example: "{driver: local}", Doc: "Another way to set driver and options.",
				Fields: []resource.Attribute{
					{Name: "driver", Type: resource.TString, Pattern: `[a-zA-Z0-9_.-]+`, Example: "local", Doc: "The volume driver."},
					{Name: "options", Type: resource.TMap, Example: "{type: nfs}", Doc: "Options of the driver."},
				},
			},
			{
				Name: "host_path", Type: resource.TObject, Example: "{path: /srv/data}",
				Doc: "The path on the host, for a volume of type bind.",
				Fields: []resource.Attribute{
					{Name: "path", Type: resource.TString, Required: true, Pattern: `/.*`, Example: "/srv/data", Doc: "The path."},
					{
						Name: "type", Type: resource.TString,
						HarmlessDefault: true, Default: resource.String("Directory"), Enum: []string{"Directory", "File"},
						Example: "Directory", Doc: "The type of the path, which must exist.",
					},
				},
			},
			{
				Name: "empty_dir", Type: resource.TObject, Example: "{medium: Memory, size_limit: 64Mi}",
				Doc: "A volume that starts empty.",
				Fields: []resource.Attribute{
					{
						Name: "medium", Type: resource.TString, Enum: []string{"", "Memory"},
						Example: "Memory", Doc: "Memory keeps it in memory, and loses it when the last container that uses it stops.",
					},
					{
						Name: "size_limit", Type: resource.TString, Valid: isMemory, Example: "64Mi",
						Doc: "The most it can hold. Without medium Memory the host's file system must support quotas.",
					},
				},
			},
			volumeSecurity(),
			{Name: "mountpoint", Type: resource.TString, Computed: true, Doc: "Where its data is on the host."},
		}), recordedLabels("volume")),
	}
}

func volumeSecurity() resource.Attribute {
	return resource.Attribute{
		Name: "security_context", Type: resource.TObject, Example: "{owner: {user: 1000, group: 1000}}",
		Doc: "Who can use it.",
		Fields: []resource.Attribute{
			{
				Name: "se_linux_options", Type: resource.TObject, Example: `{level: "s0:c1,c2"}`, Doc: "Its SELinux context.",
				Fields: []resource.Attribute{
					{
						Name: "level", Type: resource.TString, Pattern: `[A-Za-z0-9:.,-]+`, Example: "s0:c1,c2",
						Doc: "The level of the mount's context.",
					},
				},
			},
			{
				Name: "owner", Type: resource.TObject, Example: "{user: 1000, group: 1000}", Doc: "Who owns its files.",
				Fields: []resource.Attribute{
					{Name: "user", Type: resource.TInt, Min: bound(0), Example: "1000", Doc: "The user ID."},
					{Name: "group", Type: resource.TInt, Min: bound(0), Example: "1000", Doc: "The group ID."},
				},
			},
		},
	}
}

// volumeDataLoss: the data of a path of the host, or in memory, is not in the volume.
func volumeDataLoss(o resource.Observed, _ resource.Attrs) string {
	if kind, _ := o.Attrs.Text("type"); kind == "bind" {
		return ""
	}
	if medium, _ := o.Attrs.Object("empty_dir").Text("medium"); medium == "Memory" {
		return ""
	}
	return "volume " + o.ID
}
