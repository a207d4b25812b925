package schema

import (
	"fmt"
	"net/netip"

	"github.com/ovi-project/ovi/resource"
)

// published are the host ports that a stack publishes, by location, protocol and port.
type published map[string][]publisher

type publisher struct {
	ip  string
	ref resource.Ref
}

// add adds a port, unless a resource has it already on the same address or on all; that one is returned.
func (p published) add(d *resource.Desired, port resource.Attrs) (other resource.Ref, clash bool) {
	n, _ := port.Int("host_port")
	ip, _ := port.Text("host_ip")
	protocol, _ := port.Text("protocol")
	if n == 0 {
		return resource.Ref{}, false
	}
	key := fmt.Sprint(d.Ref.Location, " ", protocol, " ", n)
	for _, x := range p[key] {
		if SameAddress(x.ip, ip) {
			return x.ref, true
		}
	}
	p[key] = append(p[key], publisher{ip, d.Ref})
	return resource.Ref{}, false
}

// crossCheckContainers finds host ports that two containers or pods of a stack publish, and containers
// with the name of a pod: Podman has one table of names for both.
func crossCheckContainers(configured []*resource.Desired,
	find func(resource.Ref) *resource.Desired,
) (out []resource.Finding) {
	taken := published{}
	pods := map[resource.Ref]bool{}
	publish := func(user resource.Ref, d *resource.Desired, path string) {
		for i, v := range d.Attrs.List("ports") {
			p, _ := v.(resource.Attrs)
			other, clash := taken.add(d, p)
			if !clash {
				continue
			}
			at := path
			if path == "" {
				at = fmt.Sprintf("ports[%d].host_port", i)
			}
			n, _ := p.Int("host_port")
			out = append(out, resource.Finding{Ref: user, Problem: resource.Problem{
				Path:       at,
				Summary:    fmt.Sprintf("host port %d is also published by %s/%s", n, other.Kind, other.Name),
				Suggestion: "use another host_port",
			}})
		}
	}
	for _, d := range configured {
		pod := d.Ref
		if pod.Kind = Pod; find(pod) != nil {
			out = append(out, resource.Finding{Ref: d.Ref, Problem: resource.Problem{
				Path: "name", Summary: "a pod of the same stack is named " + pod.Name + " too",
				Suggestion: "rename one of them: Podman has one table of names for containers and pods",
			}})
		}
	}
	for _, d := range configured {
		publish(d.Ref, d, "")
	}
	for _, d := range configured {
		v, _ := d.Attrs.Get("pod")
		ref, ok := v.(resource.Reference)
		if pod := find(ref.Ref); ok && pod != nil && !pods[ref.Ref] {
			pods[ref.Ref] = true
			publish(d.Ref, pod, "pod")
		}
	}
	return out
}

// crossCheckNetworks finds networks of a stack whose subnets overlap.
func crossCheckNetworks(configured []*resource.Desired,
	_ func(resource.Ref) *resource.Desired,
) (out []resource.Finding) {
	type used struct {
		subnet netip.Prefix
		ref    resource.Ref
	}
	var all []used
	for _, d := range configured {
		text, _ := d.Attrs.Text("subnet")
		p, err := netip.ParsePrefix(text)
		if err != nil {
			continue // none, or reported by its own check
		}
		for _, x := range all {
			if x.ref.Location == d.Ref.Location && x.subnet.Overlaps(p) {
				out = append(out, resource.Finding{Ref: d.Ref, Problem: resource.Problem{
					Path: "subnet", Summary: fmt.Sprintf("%s overlaps with %s of network/%s", p, x.subnet, x.ref.Name),
					Suggestion: "use another subnet",
				}})
				break
			}
		}
		all = append(all, used{p, d.Ref})
	}
	return out
}

// SameAddress reports whether two addresses of a host are one, or one of them is all.
func SameAddress(one, other string) bool {
	ip := func(s string) string {
		if a, err := netip.ParseAddr(s); err == nil && a.IsUnspecified() {
			return ""
		}
		return s
	}
	return ip(one) == ip(other) || ip(one) == "" || ip(other) == ""
}

// crossCheck finds problems between resources of a stack.
type crossCheck = func(configured []*resource.Desired, find func(resource.Ref) *resource.Desired) []resource.Finding

func crossChecks(all ...crossCheck) crossCheck {
	return func(configured []*resource.Desired, find func(resource.Ref) *resource.Desired) (out []resource.Finding) {
		for _, check := range all {
			out = append(out, check(configured, find)...)
		}
		return out
	}
}

// crossCheckVariables finds variables that two secrets, or a secret and env, set: the key of a
// secret is the name of its variable.
func crossCheckVariables(configured []*resource.Desired,
	find func(resource.Ref) *resource.Desired,
) (out []resource.Finding) {
	for _, d := range configured {
		taken := map[string]string{}
		for _, a := range d.Attrs.Object("env") {
			taken[a.Name] = "env"
		}
		for i, e := range d.Attrs.List("secrets") {
			m, _ := e.(resource.Attrs)
			v, _ := m.Get("name")
			ref, _ := v.(resource.Reference)
			secret := find(ref.Ref)
			if !m.Bool("env") || secret == nil {
				continue
			}
			for _, key := range secret.Attrs.Object("data") {
				if by, clash := taken[key.Name]; clash {
					out = append(out, resource.Finding{Ref: d.Ref, Problem: resource.Problem{
						Path:       fmt.Sprintf("secrets[%d].env", i),
						Summary:    fmt.Sprintf("the variable %s of secret/%s is also set by %s", key.Name, secret.Ref.Name, by),
						Suggestion: "rename one of them, or give the secret a path",
					}})
					continue
				}
				taken[key.Name] = "secret/" + secret.Ref.Name
			}
		}
	}
	return out
}
