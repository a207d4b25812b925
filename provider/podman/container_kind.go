package podman

import "github.com/ovi-project/ovi/resource"

func containerKind() resource.Kind {
	return resource.Kind{
		Provider: Name, Name: kindContainer,
		Doc:         "A container.\n\nIts name is its name on the host. It is replaced by a swap: the old container is renamed and serves until the new one is created, and serves again if the new one does not become healthy.",
		NamePattern: hostName, NameDoc: hostNameDoc, NoTags: true,
		Carrier: resource.AtCreate, CheckFirst: true, Renames: true, Exact: true, State: resource.StateRunning, Replace: containerStrategies, EffectOf: containerEffect,
		Canonical: canonicalContainer, CrossCheck: crossChecks(crossCheckContainers, crossCheckVariables),
		Attrs: append(append(append(containerProgram(), containerNetwork()...), containerStorage()...), containerRuntime()...),
	}
}

// containerProgram are the attributes that say what runs.
func containerProgram() []resource.Attribute {
	program := fixed([]resource.Attribute{
		{
			Name: "image", Type: resource.TString, Required: true, Pattern: `[^\s]+`, Example: "docker.io/library/nginx:1.27",
			Doc: "The image. A tag that moves to another image on the host is drift: containers are compared by the ID of their image.",
		},
		{
			Name: "command", Type: resource.TList, Elem: &resource.Attribute{Type: resource.TString},
			Example: `["/bin/server"]`, Doc: "The program, instead of the image's entrypoint.",
		},
		{
			Name: "args", Type: resource.TList, Elem: &resource.Attribute{Type: resource.TString},
			Example: `["--port", "80"]`, Doc: "The program's arguments, instead of the image's.",
		},
		{
			Name: "env", Type: resource.TMap, Valid: envNames,
			Example: "{LOG_LEVEL: info}", Doc: "Environment variables. Use secrets for what must not be shown.",
		},
		{
			Name: "working_dir", Type: resource.TString, Pattern: `(/.*)?`,
			Example: "/srv", Doc: "The working directory. If omitted, the image's.",
		},
		{
			Name: "uid", Type: resource.TInt, Min: bound(0), Max: bound(4294967294),
			Example: "1000", Doc: "The user ID it runs as. If omitted, the image's.",
		},
		{
			Name: "gid", Type: resource.TInt, Min: bound(0), Max: bound(4294967294),
			Example: "1000", Doc: "The group ID it runs as. Requires uid.",
		},
		labelsAttr("container"),
	})
	return append(program, resource.Attribute{
		Name: "image_pull_policy", Type: resource.TString, WriteOnly: true, CreateDefault: resource.String("IfNotPresent"),
		Enum: []string{"IfNotPresent", "Always", "Never"}, Example: "IfNotPresent",
		Doc: "When the image is pulled, at the creation of the container: if it is not on the host, always, or never.",
	})
}

// containerNetwork are the attributes that say how it is reached.
func containerNetwork() []resource.Attribute {
	return []resource.Attribute{
		{
			Name: "ports", Type: resource.TSet, Elem: &resource.Attribute{Type: resource.TObject, Fields: portFields()},
			Effect: resource.Replace, Example: "[{container_port: 80, host_port: 8080}]", Doc: "Ports of the container that the host publishes.",
		},
		{
			Name: "networks", Type: resource.TSet, Elem: &resource.Attribute{Type: resource.TString, RefKind: kindNetwork, Example: "backend"},
			Example: "[backend]", Doc: "The networks it is connected to. If omitted, Podman's default network. Changing them disturbs nothing else.",
		},
		{
			Name: "network_aliases", Type: resource.TSet, Elem: &resource.Attribute{Type: resource.TString, Pattern: hostName, Example: "db"},
			Example: "[db]", Doc: "Names by which the containers of its networks find it, besides its own.",
		},
		{
			Name: "pod", Type: resource.TString, RefKind: kindPod, Effect: resource.Replace,
			Example: "shop", Doc: "The pod it runs in, which has its networks and ports.",
		},
		{Name: "address", Type: resource.TString, Computed: true, Doc: "Its IP address in the first of its networks, while it runs."},
		{Name: "podman_version", Type: resource.TString, Computed: true, Doc: "The version of Podman that runs it."},
		{Name: "image_id", Type: resource.TString, Computed: true, Doc: "The ID of its image."},
	}
}

func portFields() []resource.Attribute {
	return []resource.Attribute{
		{Name: "container_port", Type: resource.TInt, Required: true, Min: bound(1), Max: bound(65535), Example: "80", Doc: "The port inside the container."},
		{
			Name: "host_port", Type: resource.TInt, Default: resource.Int(0), Min: bound(0), Max: bound(65535),
			Example: "8080", Doc: "The port of the host. 0: Podman chooses one when the container starts.",
		},
		{
			Name: "host_ip", Type: resource.TString, Valid: addressOrNone,
			Example: "127.0.0.1", Doc: "The address of the host that it is published on. If omitted, all.",
		},
		{
			Name: "protocol", Type: resource.TString, Default: resource.String("tcp"), Enum: []string{"tcp", "udp", "sctp", "TCP", "UDP", "SCTP"},
			Example: "tcp", Doc: "The protocol.",
		},
	}
}
