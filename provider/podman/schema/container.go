package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// ContainerKind returns the schema of containers.
func ContainerKind() resource.Kind {
	return resource.Kind{
		Provider: Name, Name: Container,
		Doc: "A container.\n\nIts name is its name on the host. It is replaced by a swap: the old container is " +
			"renamed and serves until the new one is created, and serves again if the new one does not become healthy.",
		NamePattern: hostName, NameDoc: hostNameDoc, NoTags: true,
		Carrier: resource.AtCreate, CheckFirst: true, Renames: true, Exact: true, State: resource.StateRunning,
		Replace: containerStrategies, EffectOf: containerEffect, Holds: holdsNamePorts, HoldsDoc: heldNamePorts,
		Canonical: canonicalContainer, CrossCheck: crossChecks(crossCheckContainers, crossCheckVariables),
		Attrs: append(append(append(containerProgram(), containerNetwork()...), containerStorage()...),
			containerRuntime()...),
	}
}

// containerProgram are the attributes that say what runs.
func containerProgram() []resource.Attribute {
	program := fixed([]resource.Attribute{
		{
			Name: "image", Type: resource.TString, Required: true, Pattern: `[^\s]+`, Example: "docker.io/library/nginx:1.27",
			Doc: "The image. A tag that moves to another image on the host is drift: containers are compared by the ID of " +
				"their image.",
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
			Example: "{LOG_LEVEL: info}", Doc: "Environment variables. Use secrets for values that must not be " +
				"shown.",
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
		Name: "image_pull_policy", Type: resource.TString, WriteOnly: true,
		HarmlessDefault: true, CreateDefault: resource.String("IfNotPresent"),
		Enum: []string{"IfNotPresent", "Always", "Never"}, Example: "IfNotPresent",
		Doc: "When the image is pulled, at the creation of the container: if it is not on the host, always, or never.",
	})
}

// containerNetwork are the attributes that say how it is reached.
func containerNetwork() []resource.Attribute {
	return []resource.Attribute{
		{
			Name: "ports", Type: resource.TSet, Elem: &resource.Attribute{Type: resource.TObject, Fields: portFields()},
			Effect: resource.Replace, Example: "[{container_port: 80, host_port: 8080}]",
			Doc: "Ports of the container that the host publishes.",
		},
		{
			Name: "networks", Type: resource.TSet, Elem: &resource.Attribute{
				Type: resource.TString, RefKind: Network, Example: "backend",
				Weak: true, // the delete of a network disconnects the containers of its stack
			},
			Example: "[backend]",
			Doc: "The networks it is connected to. If omitted, Podman's default network. Changing them disturbs nothing " +
				"else.",
		},
		{
			Name: "network_aliases", Type: resource.TSet, Elem: &resource.Attribute{
				Type: resource.TString, Pattern: hostName, Example: "db",
			},
			Example: "[db]", Doc: "Names by which the containers of its networks find it, besides its own.",
		},
		{
			Name: "pod", Type: resource.TString, RefKind: Pod, Effect: resource.Replace,
			Example: "shop", Doc: "The pod it runs in, which has its networks and ports.",
		},
		{
			Name: "address", Type: resource.TString, Computed: true,
			Doc: "Its IP address in the first of its networks, while it runs.",
		},
		{Name: "podman_version", Type: resource.TString, Computed: true, Doc: "The version of Podman that runs it."},
		{Name: "image_id", Type: resource.TString, Computed: true, Doc: "The ID of its image."},
	}
}

func portFields() []resource.Attribute {
	return []resource.Attribute{
		{
			Name: "container_port", Type: resource.TInt, Required: true, Min: bound(1), Max: bound(65535), Example: "80",
			Doc: "The port inside the container.",
		},
		{
			Name: "host_port", Type: resource.TInt, Default: resource.Int(0), Min: bound(0), Max: bound(65535),
			Example: "8080", Doc: "The port of the host. 0: Podman chooses one when the container starts.",
		},
		{
			Name: "host_ip", Type: resource.TString, Valid: addressOrNone,
			Example: "127.0.0.1", Doc: "The address of the host that it is published on. If omitted, all.",
		},
		{
			Name: "protocol", Type: resource.TString,
			HarmlessDefault: true, Default: resource.String("tcp"), Enum: []string{
				"tcp", "udp", "sctp", "TCP", "UDP", "SCTP",
			},
			Example: "tcp", Doc: "The protocol.",
		},
	}
}

// containerRuntime are the attributes that say how it runs.
func containerRuntime() []resource.Attribute {
	limits := resource.Attribute{
		Name: "resources", Type: resource.TObject, Fields: resourceFields(),
		Example: "{limits: {cpu: 500m, memory: 512Mi}}",
		Doc: "How much of the host it can use. Before Podman 5 a change replaces the container, and one made outside " +
			"ovi does not show; from Podman 5 on it is made in place, unless a limit is removed.",
	}
	return append(fixed([]resource.Attribute{
		{
			Name: "health", Type: resource.TObject, Fields: healthFields(),
			Example: "{type: http, http_get: {path: /, port: 80}}",
			Doc:     "How to find out whether it is healthy. If omitted, as the image says.",
		},
		{
			Name: "restart_policy", Type: resource.TString, Valid: restartPolicyIsKnown,
			Example: "unless-stopped",
			Doc: "When Podman starts it again: no, on-failure, on-failure:3 (at most three times), always or " +
				"unless-stopped; Never, OnFailure and Always are accepted too. A container set to no or " +
				"on-failure that ended with 0 is done, and ovi does not start it again. Default: the policy of " +
				"its pod, else no; then ovi starts a container that ended.",
		},
		{
			Name: "sysctl", Type: resource.TMap,
			Example: `{net.core.somaxconn: "512"}`, Doc: "Kernel parameters of the container.",
		},
		{
			Name: "security_context", Type: resource.TObject, Fields: securityFields(),
			Example: "{capabilities: {drop: [NET_RAW]}}", Doc: "Its privileges on the host.",
		},
	}), limits)
}

func healthFields() []resource.Attribute {
	seconds := func(name, doc, example string, least int64) resource.Attribute {
		return resource.Attribute{
			Name: name, Type: resource.TInt, Min: bound(least), Max: bound(86400), Unit: "s", Doc: doc, Example: example,
		}
	}
	return []resource.Attribute{
		{
			Name: "type", Type: resource.TString, Enum: []string{"exec", "http"}, Example: "http",
			Doc: "exec runs a command in the container; http asks with the wget or curl of its image. If omitted, what " +
				"command or http_get says.",
		},
		{
			Name: "command", Type: resource.TList, Elem: &resource.Attribute{Type: resource.TString}, Min: bound(1),
			Example: `["pg_isready"]`, Doc: "The command of an exec check.",
		},
		{
			Name: "http_get", Type: resource.TObject, Example: "{path: /, port: 80}", Doc: "The request of an http check.",
			Fields: []resource.Attribute{
				{
					Name: "path", Type: resource.TString,
					HarmlessDefault: true, Default: resource.String("/"), Pattern: `/[A-Za-z0-9._~!$&()*+,;=:@%/?#-]*`,
					Example: "/healthz", Doc: "The path that is requested.",
				},
				{
					Name: "port", Type: resource.TInt, Required: true, Min: bound(1), Max: bound(65535), Example: "80",
					Doc: "The port inside the container.",
				},
			},
		},
		seconds("interval_seconds", "The time between two checks. If omitted, 30.", "10", 1),
		seconds("timeout_seconds", "How long one check may take. If omitted, 30.", "3", 1),
		seconds("start_period_seconds", "How long failures do not count after the start. If omitted, 0.", "5", 0),
		{
			Name: "retries", Type: resource.TInt, Min: bound(1), Max: bound(1000), Example: "3",
			Doc: "How many failures in a row make it unhealthy. If omitted, 3.",
		},
	}
}

func resourceFields() []resource.Attribute {
	amounts := func(cpu, memory string) []resource.Attribute {
		return []resource.Attribute{
			{Name: "cpu", Type: resource.TString, Valid: isCPU, Example: "500m", Doc: cpu},
			{Name: "memory", Type: resource.TString, Valid: isMemory, Example: "512Mi", Doc: memory},
		}
	}
	return []resource.Attribute{
		{
			Name: "limits", Type: resource.TObject, Example: "{cpu: 500m, memory: 512Mi}", Doc: "The most that it " +
				"can use.",
			Fields: amounts("In cores (0.5) or thousandths of one (500m).",
				"In bytes, with the units Ki, Mi, Gi, Ti, k, M, G or T. A container that exceeds it is killed."),
		},
		{
			Name: "requests", Type: resource.TObject, Example: "{cpu: 100m, memory: 128Mi}",
			Doc: "Its share when the host is short of them.",
			Fields: amounts("Its weight against other containers: 1024 shares for each core.",
				"The memory that it keeps when the host reclaims memory."),
		},
	}
}

func securityFields() []resource.Attribute {
	names := func(name, doc string) resource.Attribute {
		return resource.Attribute{
			Name: name, Type: resource.TSet, Example: "[NET_ADMIN]", Doc: doc,
			Elem: &resource.Attribute{Type: resource.TString, Pattern: `(?i:(CAP_)?[A-Z_]+)`, Example: "NET_ADMIN"},
		}
	}
	return []resource.Attribute{
		{
			Name: "privileged", Type: resource.TBool,
			HarmlessDefault: true, Default: resource.Bool(false), Example: "false",
			Doc: "Whether it has all rights of the host's root.",
		},
		{
			Name: "capabilities", Type: resource.TObject, Example: "{drop: [NET_RAW]}",
			Doc: "Rights it has besides or without the usual ones.",
			Fields: []resource.Attribute{
				names("add", "Added capabilities."), names("drop", "Removed capabilities; ALL removes every one."),
			},
		},
	}
}

// containerStorage are the attributes that say what it can read and write.
func containerStorage() []resource.Attribute {
	return append(fixed([]resource.Attribute{
		{
			Name: "volumes", Type: resource.TSet, Elem: &resource.Attribute{Type: resource.TObject, Fields: mountFields()},
			Example: "[{name: data, mount_path: /var/lib/data}]", Doc: "The volumes that are mounted.",
		},
		{
			Name: "secrets", Type: resource.TSet, Elem: &resource.Attribute{Type: resource.TObject, Fields: secretFields()},
			Example: "[{name: db-password, env: true}]",
			Doc:     "The secrets that it can read. A secret whose value changes replaces the container.",
		},
	}), resource.Attribute{
		Name: "own_volumes", Type: resource.TMap, Computed: true,
		Doc: "The volumes that Podman made for paths that its image declares. The container that replaces it gets them; " +
			"they stay when it is deleted.",
	})
}

func mountFields() []resource.Attribute {
	return []resource.Attribute{
		{Name: "name", Type: resource.TString, Required: true, RefKind: Volume, Example: "data", Doc: "The volume."},
		{
			Name: "mount_path", Type: resource.TString, Pattern: `/.*`, Example: "/var/lib/data",
			Doc: "Where it is mounted in the container.",
		},
		{
			Name: "container_path", Type: resource.TString, Pattern: `/.*`, Example: "/var/lib/data",
			Doc: "Another name of mount_path.",
		},
		{
			Name: "sub_path", Type: resource.TString, Valid: insidePath,
			Example: "html", Doc: "The folder of the volume that is mounted. If omitted, all of it. It must exist.",
		},
		{
			Name: "read_only", Type: resource.TBool, Default: resource.Bool(false), Example: "true",
			Doc: "Whether the container can only read it.",
		},
		{
			Name: "mount_options", Type: resource.TObject, Example: "{se_linux_label: z}", Doc: "Options of the mount.",
			Fields: []resource.Attribute{
				{
					Name: "se_linux_label", Type: resource.TString, Enum: []string{"z", "Z"}, Example: "z",
					Doc: "Relabel for SELinux: z shares the volume with other containers, Z does not.",
				},
				idMapping("uid_mapping", "user"), idMapping("gid_mapping", "group"),
			},
		},
	}
}

func idMapping(name, what string) resource.Attribute {
	return resource.Attribute{
		Name: name, Type: resource.TList, Example: `["0:100000:65536"]`,
		Doc:  "How " + what + " IDs of the container map to IDs of the mount, as CONTAINER:MOUNT:COUNT.",
		Elem: &resource.Attribute{Type: resource.TString, Pattern: `[0-9]+:[0-9]+:[0-9]+`, Example: "0:100000:65536"},
	}
}

func secretFields() []resource.Attribute {
	return []resource.Attribute{
		{Name: "name", Type: resource.TString, Required: true, RefKind: Secret, Example: "db-password", Doc: "The secret."},
		{
			Name: "env", Type: resource.TBool, Default: resource.Bool(false), Example: "true",
			Doc: "Whether each key of the secret is an environment variable of that name.",
		},
		{
			Name: "path", Type: resource.TString, Pattern: `(/.*)?`, Example: "/etc/db/password",
			Doc: "The file that holds the secret; if the secret has several keys, the folder with a file for each " +
				"key. If omitted, and env is false, /run/secrets/NAME.",
		},
	}
}

// containerStrategies starts the new container first only where the old one cannot be in its
// way: no port of the host is fixed, and all that is mounted is read-only. A file can choose it
// for a container that writes.
func containerStrategies(desired resource.Desired, have resource.Observed) []resource.Strategy {
	both := []resource.Attrs{desired.Attrs, have.Attrs}
	if slices.ContainsFunc(both, sharesNetwork) {
		return []resource.Strategy{resource.Swap, resource.DestroyFirst}
	}
	if slices.ContainsFunc(both, writes) {
		return []resource.Strategy{resource.Swap, resource.StartFirst, resource.DestroyFirst}
	}
	return []resource.Strategy{resource.StartFirst, resource.Swap, resource.DestroyFirst}
}

// containerEffect: before Podman 5 limits cannot be changed for good, no version can remove one,
// and only Podman knows the network of a container without networks.
func containerEffect(have resource.Observed, c resource.Change) resource.Effect {
	switch {
	case c.Path == "networks" && c.To == nil:
		return resource.Replace
	case PathIn(c.Path, "resources") && (c.To == nil || !ChangesLimits(VersionOf(have))):
		return resource.Replace
	}
	return resource.InPlace
}

// VersionOf returns the version of the Podman that reported a container; "" if it is not known.
func VersionOf(o resource.Observed) string {
	v, _ := o.Attrs.Text("podman_version")
	return v
}

// ChangesLimits reports whether a version of Podman keeps changed limits.
func ChangesLimits(version string) bool {
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	return err == nil && n >= 5
}

// sharesNetwork reports whether two containers like this would ask for the same port.
func sharesNetwork(a resource.Attrs) bool {
	_, pod := a.Get("pod")
	return pod || slices.ContainsFunc(a.List("ports"), func(v resource.Value) bool {
		p, _ := v.(resource.Attrs)
		port, _ := p.Int("host_port")
		return port != 0
	})
}

func writes(a resource.Attrs) bool {
	if len(a.Object(OwnVolumes)) > 0 {
		return true
	}
	return slices.ContainsFunc(a.List("volumes"), func(v resource.Value) bool {
		m, _ := v.(resource.Attrs)
		return !m.Bool("read_only")
	})
}
