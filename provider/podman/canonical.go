package podman

import (
	"net/netip"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// canonicalContainer brings a checked container to one form, and checks rules across attributes.
func canonicalContainer(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	var problems []resource.Problem
	add := func(p ...resource.Problem) { problems = append(problems, p...) }
	a = mapText(a, "image", canonicalImage)
	a = mapText(a, "restart_policy", canonicalRestart)
	a = canonicalPorts(a, add)
	a = mapElements(a, "volumes", func(m resource.Attrs, path string) resource.Attrs { return canonicalMount(m, path, add) })
	a = mapObject(a, "health", func(h resource.Attrs) resource.Attrs { return canonicalHealth(h, add) })
	a = canonicalResources(a)
	a = canonicalSecurity(a)
	a = dropEmpty(a, "command", "args", "env", "labels", "networks", "network_aliases", "secrets", "sysctl")
	if _, user := a.Get("uid"); !user {
		if _, group := a.Get("gid"); group {
			add(resource.Problem{Path: "gid", Summary: "gid needs uid", Suggestion: "set uid too"})
		}
	}
	add(sharedPaths(a)...)
	if _, pod := a.Get("pod"); pod {
		for _, name := range []string{"ports", "networks", "network_aliases"} {
			if _, set := a.Get(name); set {
				add(resource.Problem{Path: name, Summary: "a container in a pod has no " + strings.ReplaceAll(name, "_", " ") + " of its own", Suggestion: "set " + name + " on the pod"})
			}
		}
	}
	return a, problems
}

func canonicalNetwork(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	a = dropEmpty(a, "options", "labels")
	subnet, has := a.Text("subnet")
	gateway, fixed := a.Text("gateway")
	p, err := netip.ParsePrefix(subnet)
	if has && err == nil {
		a = a.With("subnet", resource.String(p.Masked().String()))
	}
	switch g, err := netip.ParseAddr(gateway); {
	case !fixed:
	case !has:
		return a, []resource.Problem{{Path: "gateway", Summary: "gateway needs subnet", Suggestion: "set subnet too"}}
	case err == nil && !p.Contains(g):
		return a, []resource.Problem{{Path: "gateway", Summary: "the gateway " + gateway + " is not in the subnet " + subnet, Suggestion: "use an address of the subnet"}}
	case err == nil:
		a = a.With("gateway", resource.String(g.String()))
	}
	return a, nil
}

func canonicalPod(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	var problems []resource.Problem
	a = mapText(a, "restart_policy", canonicalRestart)
	a = canonicalPorts(a, func(p ...resource.Problem) { problems = append(problems, p...) })
	return dropEmpty(a, "networks", "network_aliases", "labels"), problems
}

func canonicalSecret(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	return dropEmpty(mapText(a, "type", strings.ToLower), "labels"), nil
}

// canonicalImage adds the tag that Podman assumes.
func canonicalImage(s string) string {
	if strings.Contains(s, "@") || strings.Contains(s[strings.LastIndexByte(s, '/')+1:], ":") {
		return s
	}
	return s + ":latest"
}

// canonicalRestart gives Podman's word for a restart policy.
func canonicalRestart(s string) string {
	switch s {
	case "Never":
		return "no"
	case "Always":
		return "always"
	case "OnFailure":
		return "on-failure"
	case "UnlessStopped":
		return "unless-stopped"
	}
	return s
}
