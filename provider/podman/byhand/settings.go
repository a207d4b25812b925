package byhand

import (
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/provider/podman/spec"
	"github.com/ovi-project/ovi/resource"
)

// program is a container as Podman's command line describes it.
type program struct {
	settings []setting
	image    string
	args     []string
	// unsaid is what the command line cannot say.
	unsaid []string
}

// containerSettings are the options of `podman run` for a container.
func containerSettings(d resource.Desired, find func(resource.Ref) (resource.Desired, bool)) program {
	a := d.Attrs
	var p program
	add := func(flag, value string) { p.settings = append(p.settings, setting{flag: flag, value: value}) }
	optional := func(flag, name string) {
		if v, ok := namedOf(a, name); ok && v != "" {
			add(flag, v)
		}
	}
	p.image, _ = namedOf(a, "image")
	p.args = namedAll(a, "args")
	optional("--pod", "pod")
	p.settings = append(p.settings, each("--network", namedAll(a, "networks"))...)
	p.settings = append(p.settings, each("--network-alias", namedAll(a, "network_aliases"))...)
	p.settings = append(p.settings, portSettings(a)...)
	p.mounts(a, find)
	p.secrets(a, find)
	p.settings = append(p.settings, pairs("--env", namedMap(a, "env"))...)
	if command := namedAll(a, "command"); len(command) > 0 {
		add("--entrypoint", jsonOf(command))
	}
	optional("--workdir", "working_dir")
	if user := spec.UserOf(a); user != "" {
		add("--user", user)
	}
	p.settings = append(p.settings, healthSettings(a.Object("health"))...)
	v, _ := a.Get("resources")
	p.settings = append(p.settings, limitSettings(v)...)
	policy, set := namedOf(a, "restart_policy")
	if v, ok := a.Get("pod"); ok && !set { // it is that of the pod
		pod, _ := found(v, find)
		policy, _ = namedOf(pod.Attrs, "restart_policy")
	}
	if policy != "" {
		add("--restart", policy)
	}
	p.settings = append(p.settings, pairs("--sysctl", namedMap(a, "sysctl"))...)
	security := a.Object("security_context")
	if security.Bool("privileged") {
		p.settings = append(p.settings, setting{flag: "--privileged", alone: true})
	}
	caps := security.Object("capabilities")
	p.settings = append(p.settings, each("--cap-add", caps.Texts("add"))...)
	p.settings = append(p.settings, each("--cap-drop", caps.Texts("drop"))...)
	if policy := spec.PullPolicy(a); policy != "IfNotPresent" {
		add("--pull", strings.ToLower(policy))
	}
	p.settings = append(p.settings, pairs("--label", ownLabels(a))...)
	return p
}

func podSettings(a resource.Attrs) []setting {
	out := each("--network", namedAll(a, "networks"))
	out = append(out, each("--network-alias", namedAll(a, "network_aliases"))...)
	out = append(out, portSettings(a)...)
	return append(out, pairs("--label", ownLabels(a))...)
}

func networkSettings(a resource.Attrs) []setting {
	var out []setting
	for _, x := range []struct{ flag, name string }{
		{"--driver", "driver"}, {"--subnet", "subnet"}, {"--gateway", "gateway"},
	} {
		if v, ok := namedOf(a, x.name); ok {
			out = append(out, setting{flag: x.flag, value: v})
		}
	}
	out = append(out, pairs("--opt", namedMap(a, "options"))...)
	return append(out, pairs("--label", ownLabels(a))...)
}

func volumeSettings(a resource.Attrs) []setting {
	var out []setting
	if driver, _ := namedOf(a, "driver"); driver != "local" && driver != "" {
		out = append(out, setting{flag: "--driver", value: driver})
	}
	out = append(out, pairs("--opt", spec.VolumeOptions(a))...)
	return append(out, pairs("--label", ownLabels(a))...)
}

func portSettings(a resource.Attrs) []setting {
	var out []setting
	for _, m := range spec.PortMappings(a) {
		v, ip := strconv.Itoa(m.ContainerPort), m.HostIP
		if strings.Contains(ip, ":") {
			ip = "[" + ip + "]"
		}
		switch {
		case ip != "" && m.HostPort == 0:
			v = ip + "::" + v
		case ip != "":
			v = ip + ":" + strconv.Itoa(m.HostPort) + ":" + v
		case m.HostPort != 0:
			v = strconv.Itoa(m.HostPort) + ":" + v
		}
		if m.Protocol != "" && m.Protocol != "tcp" {
			v += "/" + m.Protocol
		}
		out = append(out, setting{flag: "--publish", value: v})
	}
	return out
}

// mounts mounts volumes by name, and paths of the host by path.
func (p *program) mounts(a resource.Attrs, find func(resource.Ref) (resource.Desired, bool)) {
	for _, e := range a.List("volumes") {
		m, _ := e.(resource.Attrs)
		name, _ := m.Get("name")
		where, _ := m.Text("mount_path")
		sub, _ := m.Text("sub_path")
		source := named(name)
		if v, ok := found(name, find); ok {
			if host, _ := spec.HostPath(v.Attrs); host != "" {
				source, sub = path.Join(host, sub), ""
			}
		}
		if sub != "" {
			p.unsaid = append(p.unsaid,
				fmt.Sprintf("subPath %s of the volume %s: all of it is mounted at %s", sub, source, where))
		}
		value := source + ":" + where
		if options := spec.MountOptions(m); len(options) > 1 || options[0] != "rw" {
			value += ":" + strings.Join(options, ",")
		}
		p.settings = append(p.settings, setting{flag: "--volume", value: value})
	}
}

// found is the configuration of what a value refers to.
func found(v resource.Value, find func(resource.Ref) (resource.Desired, bool)) (resource.Desired, bool) {
	r, ok := v.(resource.Reference)
	if !ok || find == nil {
		return resource.Desired{}, false
	}
	return find(r.Ref)
}

// secrets gives the container its secrets by name, as variables or files.
func (p *program) secrets(a resource.Attrs, find func(resource.Ref) (resource.Desired, bool)) {
	for _, e := range a.List("secrets") {
		m, _ := e.(resource.Attrs)
		v, _ := m.Get("name")
		name, file, env := named(v), "", m.Bool("env")
		if file, _ = m.Text("path"); file == "" && !env {
			file = "/run/secrets/" + name
		}
		d, _ := found(v, find)
		data := d.Attrs.Object("data")
		if len(data) == 0 {
			p.unsaid = append(p.unsaid, "the keys of the secret "+name+": they are not in this chart")
		}
		for _, k := range data {
			part, target := partName(name, k.Name, len(data)), file
			if len(data) > 1 {
				target = path.Join(file, k.Name)
			}
			if env {
				p.settings = append(p.settings, setting{flag: "--secret", value: part + ",type=env,target=" + k.Name})
			}
			if file != "" {
				p.settings = append(p.settings,
					setting{flag: "--secret", value: fmt.Sprintf("%s,type=mount,target=%s,mode=%04o", part, target, spec.SecretMode)})
			}
		}
	}
}

func healthSettings(h resource.Attrs) []setting {
	check := spec.CheckOf(h)
	if check == nil {
		return nil
	}
	test := check.Test[1:]
	command := test[0]
	if len(test) > 1 {
		command = jsonOf(test)
	}
	out := []setting{{flag: "--health-cmd", value: command}}
	const second = 1_000_000_000
	for _, x := range []struct {
		flag string
		n    int64
	}{
		{"--health-interval", check.Interval / second},
		{"--health-timeout", check.Timeout / second},
		{"--health-start-period", check.StartPeriod / second},
	} {
		out = append(out, setting{flag: x.flag, value: fmt.Sprintf("%ds", x.n)})
	}
	return append(out, setting{flag: "--health-retries", value: strconv.Itoa(check.Retries)})
}

// limitSettings are the limits in the units of the command line.
func limitSettings(v resource.Value) []setting {
	l := spec.LimitsOf(v)
	var out []setting
	if l.Quota != 0 {
		out = append(out, setting{flag: "--cpus", value: strconv.FormatFloat(float64(l.Quota)/spec.Period, 'g', -1, 64)})
	}
	for _, x := range []struct {
		flag string
		n    int64
		text string
	}{
		{"--cpu-shares", l.Shares, strconv.FormatInt(l.Shares, 10)},
		{"--memory", l.Memory, bytesOf(l.Memory)},
		{"--memory-reservation", l.Reservation, bytesOf(l.Reservation)},
	} {
		if x.n != 0 {
			out = append(out, setting{flag: x.flag, value: x.text})
		}
	}
	return out
}

// bytesOf writes an amount of memory in the units of Podman's command line.
func bytesOf(n int64) string {
	for _, u := range []struct {
		bytes int64
		name  string
	}{{1 << 30, "g"}, {1 << 20, "m"}, {1 << 10, "k"}} {
		if n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10) + "b"
}

func jsonOf(all []string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(all) != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}

// inheritSettings are the options of `podman run` that do what inherit does.
func inheritSettings(old resource.Attrs) (out []setting) {
	for _, a := range old.Object(schema.OwnVolumes) {
		if name, ok := a.Value.(resource.String); ok {
			out = append(out, setting{flag: "--volume", value: string(name) + ":" + a.Name})
		}
	}
	return out
}
