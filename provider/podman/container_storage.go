package podman

import "github.com/ovi-project/ovi/resource"

// containerStorage are the attributes that say what it can read and write.
func containerStorage() []resource.Attribute {
	return append(fixed([]resource.Attribute{
		{
			Name: "volumes", Type: resource.TSet, Elem: &resource.Attribute{Type: resource.TObject, Fields: mountFields()},
			Example: "[{name: data, mount_path: /var/lib/data}]", Doc: "The volumes that are mounted.",
		},
		{
			Name: "secrets", Type: resource.TSet, Elem: &resource.Attribute{Type: resource.TObject, Fields: secretFields()},
			Example: "[{name: db-password, env: true}]", Doc: "The secrets that it can read. A secret whose value changes replaces the container.",
		},
	}), resource.Attribute{
		Name: "own_volumes", Type: resource.TMap, Computed: true,
		Doc: "The volumes that Podman made for paths that its image declares. The container that replaces it gets them; they stay when it is deleted.",
	})
}

func mountFields() []resource.Attribute {
	return []resource.Attribute{
		{Name: "name", Type: resource.TString, Required: true, RefKind: kindVolume, Example: "data", Doc: "The volume."},
		{Name: "mount_path", Type: resource.TString, Pattern: `/.*`, Example: "/var/lib/data", Doc: "Where it is mounted in the container."},
		{Name: "container_path", Type: resource.TString, Pattern: `/.*`, Example: "/var/lib/data", Doc: "Another name of mount_path."},
		{
			Name: "sub_path", Type: resource.TString, Valid: insidePath,
			Example: "html", Doc: "The folder of the volume that is mounted. If omitted, all of it. It must exist.",
		},
		{Name: "read_only", Type: resource.TBool, Default: resource.Bool(false), Example: "true", Doc: "Whether the container can only read it."},
		{
			Name: "mount_options", Type: resource.TObject, Example: "{se_linux_label: z}", Doc: "Options of the mount.",
			Fields: []resource.Attribute{
				{Name: "se_linux_label", Type: resource.TString, Enum: []string{"z", "Z"}, Example: "z", Doc: "Relabel for SELinux: z shares the volume with other containers, Z does not."},
				idMapping("uid_mapping", "user"), idMapping("gid_mapping", "group"),
			},
		},
	}
}

func idMapping(name, what string) resource.Attribute {
	return resource.Attribute{
		Name: name, Type: resource.TList, Example: `["0:100000:65536"]`, Doc: "How " + what + " IDs of the container map to those of the mount, as CONTAINER:MOUNT:COUNT.",
		Elem: &resource.Attribute{Type: resource.TString, Pattern: `[0-9]+:[0-9]+:[0-9]+`, Example: "0:100000:65536"},
	}
}

func secretFields() []resource.Attribute {
	return []resource.Attribute{
		{Name: "name", Type: resource.TString, Required: true, RefKind: kindSecret, Example: "db-password", Doc: "The secret."},
		{
			Name: "env", Type: resource.TBool, Default: resource.Bool(false), Example: "true",
			Doc: "Whether each key of the secret is an environment variable of that name.",
		},
		{
			Name: "path", Type: resource.TString, Pattern: `(/.*)?`, Example: "/etc/db/password",
			Doc: "The file that holds the secret; of a secret with several keys, the folder with a file for each. If omitted, and env is false, /run/secrets/NAME.",
		},
	}
}
