package schema

import (
	"fmt"
	"net/netip"
	"path"
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
	a = mapElements(a, "volumes",
		func(m resource.Attrs, path string) resource.Attrs { return canonicalMount(m, path, add) })
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
				add(resource.Problem{
					Path: name, Summary: "a container in a pod has no " + strings.ReplaceAll(name, "_", " ") + " of its own",
					Suggestion: "set " + name + " on the pod",
				})
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
		return a, []resource.Problem{
			{
				Path: "gateway", Summary: "the gateway " + gateway + " is not in the subnet " + subnet,
				Suggestion: "use an address of the subnet",
			},
		}
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

// canonicalRestart returns Podman's word for a restart policy.
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

func canonicalPorts(a resource.Attrs, add func(...resource.Problem)) resource.Attrs {
	taken := published{}
	return mapElements(a, "ports", func(p resource.Attrs, at string) resource.Attrs {
		p = mapText(p, "protocol", strings.ToLower)
		p = mapText(p, "host_ip", CanonicalAddress)
		if ip, ok := p.Text("host_ip"); ok && ip == "" {
			p = p.Without("host_ip")
		}
		host, _ := p.Int("host_port")
		if _, clash := taken.add(&resource.Desired{}, p); clash {
			add(resource.Problem{
				Path: at + ".host_port", Summary: fmt.Sprintf("host port %d is published twice", host),
				Suggestion: "use another host_port",
			})
		}
		return p
	})
}

// CanonicalAddress drops the address that means all.
func CanonicalAddress(s string) string {
	if a, err := netip.ParseAddr(s); err == nil && !a.IsUnspecified() {
		return a.String()
	} else if err == nil && a.Is4() {
		return ""
	}
	return s
}

// canonicalMount has one name for the path, and no field that says nothing.
func canonicalMount(m resource.Attrs, at string, add func(...resource.Problem)) resource.Attrs {
	one, has := m.Get("mount_path")
	two, alias := m.Get("container_path")
	switch {
	case has && alias && !resource.Equal(one, two):
		add(resource.Problem{
			Path: at + ".container_path", Summary: "mount_path and container_path differ", Suggestion: "set mount_path alone",
		})
	case alias:
		m = m.With("mount_path", two)
	case !has:
		add(resource.Problem{
			Path: at + ".mount_path", Summary: "mount_path is required", Suggestion: "for example, mount_path: /var/lib/data",
		})
	}
	m = mapText(m.Without("container_path"), "mount_path", path.Clean)
	m = mapText(m, "sub_path", path.Clean)
	if sub, ok := m.Text("sub_path"); ok && (sub == "." || sub == "") {
		m = m.Without("sub_path")
	}
	return mapObject(m, "mount_options",
		func(o resource.Attrs) resource.Attrs { return dropEmpty(o, "uid_mapping", "gid_mapping") })
}

func canonicalHealth(h resource.Attrs, add func(...resource.Problem)) resource.Attrs {
	if len(h) == 0 {
		return h
	}
	kind, _ := h.Text("type")
	_, command := h.Get("command")
	_, request := h.Get("http_get")
	if kind == "" && command != request {
		if kind = "exec"; request {
			kind = "http"
		}
		h = h.With("type", resource.String(kind))
	}
	switch {
	case command == request:
		add(resource.Problem{
			Path: "health", Summary: "a health check has either command or http_get", Suggestion: "set one of them",
		})
	case kind == "exec" && request:
		add(resource.Problem{
			Path: "health.http_get", Summary: "a health check of type exec has no http_get", Suggestion: "use type: http",
		})
	case kind == "http" && command:
		add(resource.Problem{
			Path: "health.command", Summary: "a health check of type http has no command", Suggestion: "use type: exec",
		})
	}
	return h
}

func canonicalResources(a resource.Attrs) resource.Attrs {
	return mapObject(a, "resources", func(r resource.Attrs) resource.Attrs {
		for _, name := range []string{"limits", "requests"} {
			r = mapObject(r, name, func(o resource.Attrs) resource.Attrs {
				return mapText(mapText(o, "cpu", CanonicalCPU), "memory", CanonicalMemory)
			})
		}
		return r
	})
}

func canonicalSecurity(a resource.Attrs) resource.Attrs {
	return mapObject(a, "security_context", func(s resource.Attrs) resource.Attrs {
		s = mapObject(s, "capabilities", func(c resource.Attrs) resource.Attrs {
			for _, name := range []string{"add", "drop"} {
				if l, ok := c.Get(name); ok {
					c = c.With(name, Capabilities(l))
				}
			}
			return dropEmpty(c, "add", "drop")
		})
		if !s.Bool("privileged") {
			s = s.Without("privileged")
		}
		return s
	})
}

// Capabilities are written without CAP_, in upper case, sorted.
func Capabilities(v resource.Value) resource.Value {
	in, ok := v.(resource.List)
	if !ok {
		return v
	}
	out := make(resource.List, len(in))
	for i, e := range in {
		out[i] = e
		if s, ok := e.(resource.String); ok {
			out[i] = resource.String(strings.TrimPrefix(strings.ToUpper(string(s)), "CAP_"))
		}
	}
	return resource.SortSet(out)
}

// sharedPaths reports mounts, secrets among them, at one path.
func sharedPaths(a resource.Attrs) (out []resource.Problem) {
	taken := map[string]bool{}
	for _, at := range []struct{ list, field string }{{"volumes", "mount_path"}, {"secrets", "path"}} {
		for i, e := range a.List(at.list) {
			o, _ := e.(resource.Attrs)
			p, ok := o.Text(at.field)
			if v, _ := o.Get("name"); at.list == "secrets" && !ok && !o.Bool("env") {
				if r, is := v.(resource.Reference); is {
					p, ok = "/run/secrets/"+r.Ref.Name, true
				}
			}
			if ok && p != "" && taken[p] {
				out = append(out, resource.Problem{
					Path: fmt.Sprintf("%s[%d].%s", at.list, i, at.field), Summary: "two mounts at " + p,
					Suggestion: "use another path",
				})
			}
			taken[p] = true
		}
	}
	return out
}

// canonicalVolume says driver and options in one way, and checks that they go together.
func canonicalVolume(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	var problems []resource.Problem
	nested := a.Object("volume")
	for _, name := range []string{"driver", "options"} {
		if v, ok := nested.Get(name); ok {
			a = a.With(name, v)
		}
	}
	a = dropEmpty(a.Without("volume"), "options", "labels")
	_, host := a.Get("host_path")
	_, empty := a.Get("empty_dir")
	if kind, said := a.Text("type"); !said {
		if kind = "volume"; host {
			kind = "bind"
		}
		a = a.With("type", resource.String(kind))
	} else if (kind == "bind") != host {
		problems = append(problems,
			resource.Problem{
				Path: "type", Summary: "a volume of type bind has a host_path, and no other has",
				Suggestion: "set type: bind and host_path, or neither",
			})
	}
	if _, options := a.Get("options"); (host || empty) && options || host && empty {
		problems = append(problems,
			resource.Problem{
				Path: "options", Summary: "host_path, empty_dir and options exclude each other", Suggestion: "set one of them",
			})
	}
	a = mapObject(a, "host_path", func(o resource.Attrs) resource.Attrs { return mapText(o, "path", path.Clean) })
	if e, ok := a.Get("empty_dir"); ok {
		if o, ok := e.(resource.Attrs); ok {
			a = a.With("empty_dir", mapText(o, "size_limit", CanonicalMemory))
		}
	}
	return a, problems
}
