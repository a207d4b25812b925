package podman

import "github.com/ovi-project/ovi/resource"

// containerRuntime are the attributes that say how it runs.
func containerRuntime() []resource.Attribute {
	limits := resource.Attribute{
		Name: "resources", Type: resource.TObject, Fields: resourceFields(),
		Example: "{limits: {cpu: 500m, memory: 512Mi}}", Doc: "How much of the host it can use. Before Podman 5 a change replaces the container, and one made outside ovi does not show; from Podman 5 on it is made in place, unless a limit is removed.",
	}
	return append(fixed([]resource.Attribute{
		{
			Name: "health", Type: resource.TObject, Fields: healthFields(),
			Example: "{type: http, http_get: {path: /, port: 80}}", Doc: "How to find out whether it is healthy. If omitted, as the image says.",
		},
		{
			Name: "restart_policy", Type: resource.TString, Valid: restartPolicyIsKnown,
			Example: "unless-stopped", Doc: "When Podman starts it again: no, on-failure, on-failure:3 (at most three times), always or unless-stopped; Never, OnFailure and Always are accepted too. A container set to no or on-failure that ended with 0 is done, and stays as it is. If omitted, as its pod says, else no, and one that ended is started again.",
		},
		{
			Name: "sysctl", Type: resource.TMap,
			Example: `{net.core.somaxconn: "512"}`, Doc: "Kernel parameters of the container.",
		},
		{
			Name: "security_context", Type: resource.TObject, Fields: securityFields(),
			Example: "{capabilities: {drop: [NET_RAW]}}", Doc: "What it may do on the host.",
		},
	}), limits)
}

func healthFields() []resource.Attribute {
	seconds := func(name, doc, example string, least int64) resource.Attribute {
		return resource.Attribute{Name: name, Type: resource.TInt, Min: bound(least), Max: bound(86400), Unit: "s", Doc: doc, Example: example}
	}
	return []resource.Attribute{
		{
			Name: "type", Type: resource.TString, Enum: []string{"exec", "http"}, Example: "http",
			Doc: "exec runs a command in the container; http asks with the wget or curl of its image. If omitted, what command or http_get says.",
		},
		{
			Name: "command", Type: resource.TList, Elem: &resource.Attribute{Type: resource.TString}, Min: bound(1),
			Example: `["pg_isready"]`, Doc: "The command of an exec check.",
		},
		{
			Name: "http_get", Type: resource.TObject, Example: "{path: /, port: 80}", Doc: "The request of an http check.",
			Fields: []resource.Attribute{
				{Name: "path", Type: resource.TString, Default: resource.String("/"), Pattern: `/[A-Za-z0-9._~!$&()*+,;=:@%/?#-]*`, Example: "/healthz", Doc: "The path that is requested."},
				{Name: "port", Type: resource.TInt, Required: true, Min: bound(1), Max: bound(65535), Example: "80", Doc: "The port inside the container."},
			},
		},
		seconds("interval_seconds", "The time between two checks. If omitted, 30.", "10", 1),
		seconds("timeout_seconds", "How long one check may take. If omitted, 30.", "3", 1),
		seconds("start_period_seconds", "How long failures do not count after the start. If omitted, 0.", "5", 0),
		{Name: "retries", Type: resource.TInt, Min: bound(1), Max: bound(1000), Example: "3", Doc: "How many failures in a row make it unhealthy. If omitted, 3."},
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
			Name: "limits", Type: resource.TObject, Example: "{cpu: 500m, memory: 512Mi}", Doc: "What it cannot exceed.",
			Fields: amounts("In cores (0.5) or thousandths of one (500m).", "In bytes, with the units Ki, Mi, Gi, Ti, k, M, G or T. A container that exceeds it is killed."),
		},
		{
			Name: "requests", Type: resource.TObject, Example: "{cpu: 100m, memory: 128Mi}", Doc: "Its share when the host is short of them.",
			Fields: amounts("Its weight against other containers: 1024 shares for each core.", "What it keeps when memory is reclaimed."),
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
		{Name: "privileged", Type: resource.TBool, Default: resource.Bool(false), Example: "false", Doc: "Whether it has all rights of the host's root."},
		{
			Name: "capabilities", Type: resource.TObject, Example: "{drop: [NET_RAW]}", Doc: "Rights it has besides or without the usual ones.",
			Fields: []resource.Attribute{names("add", "Added capabilities."), names("drop", "Removed capabilities; ALL removes every one.")},
		},
	}
}
