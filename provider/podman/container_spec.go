package podman

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/internal/engineapi"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/resource"
)

// specOf is a container as it is created.
func specOf(ctx context.Context, h *host, r provider.Request) (*libpod.ContainerSpec, error) {
	a := r.Desired.Attrs
	s := &libpod.ContainerSpec{
		Name: r.Desired.Ref.Name, Env: a.TextMap("env"), Labels: birthLabels(r), Entrypoint: a.Texts("command"), Command: a.Texts("args"),
		Sysctl: a.TextMap("sysctl"), Health: checkOf(a.Object("health")), PortMappings: portMappings(a),
	}
	s.Image, _ = a.Text("image")
	s.WorkDir, _ = a.Text("working_dir")
	s.User = userOf(a)
	v, _ := a.Get("resources")
	s.ResourceLimits = limitsOf(v).spec()
	security := a.Object("security_context")
	caps := security.Object("capabilities")
	s.Privileged, s.CapAdd, s.CapDrop = security.Bool("privileged"), caps.Texts("add"), caps.Texts("drop")
	restart, _ := a.Text("restart_policy")
	if pod, ok := a.Text("pod"); ok {
		s.Pod = pod
		if restart == "" {
			p, err := h.Pod(ctx, pod)
			if err != nil {
				return nil, err
			}
			want, _ := applied(p.Labels)
			if restart, _ = want.Text("restart_policy"); restart != "" {
				s.Labels[labelRestart] = restart
			}
		}
	}
	s.RestartPolicy, s.RestartTries = restartOf(restart)
	s.Networks = linksOf(a)
	if len(s.Networks) > 0 {
		s.NetNS = &libpod.Namespace{Mode: "bridge"}
	}
	if err := mountsOf(ctx, h, a, s); err != nil {
		return nil, err
	}
	if old := cmp.Or(r.Beside, r.Replaces); old != nil {
		inherit(s, old.Attrs)
	}
	return s, secretsOf(ctx, h, a, s)
}

func userOf(a resource.Attrs) string {
	uid, ok := a.Int("uid")
	if !ok {
		return ""
	}
	out := strconv.FormatInt(uid, 10)
	if gid, ok := a.Int("gid"); ok {
		out += ":" + strconv.FormatInt(gid, 10)
	}
	return out
}

func restartOf(policy string) (name string, tries *uint) {
	name, count, limited := strings.Cut(policy, ":")
	if n, err := strconv.ParseUint(count, 10, 32); limited && err == nil {
		most := uint(n)
		tries = &most
	}
	return name, tries
}

func linksOf(a resource.Attrs) map[string]libpod.NetworkLink {
	out := map[string]libpod.NetworkLink{}
	for _, id := range a.Texts("networks") {
		out[id] = libpod.NetworkLink{Aliases: a.Texts("network_aliases")}
	}
	return out
}

func portMappings(a resource.Attrs) (out []libpod.PortMapping) {
	for _, v := range a.List("ports") {
		p, _ := v.(resource.Attrs)
		inside, _ := p.Int("container_port")
		outside, _ := p.Int("host_port")
		m := libpod.PortMapping{ContainerPort: int(inside), HostPort: int(outside)}
		m.HostIP, _ = p.Text("host_ip")
		m.Protocol, _ = p.Text("protocol")
		out = append(out, m)
	}
	return out
}

// mountsOf mounts volumes by name, and paths of the host and folders of volumes by their path.
func mountsOf(ctx context.Context, h *host, a resource.Attrs, s *libpod.ContainerSpec) error {
	sources := map[string]string{}
	for _, e := range a.List("volumes") {
		m, _ := e.(resource.Attrs)
		name, _ := m.Text("name")
		where, _ := m.Text("mount_path")
		v, err := h.Volume(ctx, name)
		if err != nil {
			return err
		}
		want, _ := applied(v.Labels)
		source, _ := hostPath(want)
		sub, _ := m.Text("sub_path")
		if source == "" && sub != "" {
			source = v.Mountpoint
		}
		options := mountOptions(m)
		if source == "" {
			s.Volumes = append(s.Volumes, libpod.NamedVolume{Name: name, Dest: where, Options: options})
			continue
		}
		sources[where] = path.Join(source, sub)
		s.Mounts = append(s.Mounts, libpod.BindMount{Type: "bind", Source: sources[where], Destination: where, Options: append(options, "rbind")})
	}
	if len(sources) > 0 {
		b, err := json.Marshal(sources)
		if err != nil {
			return err
		}
		s.Labels[labelSources] = string(b)
	}
	return nil
}

func mountOptions(m resource.Attrs) []string {
	out := []string{"rw"}
	if m.Bool("read_only") {
		out = []string{"ro"}
	}
	o := m.Object("mount_options")
	if relabel, ok := o.Text("se_linux_label"); ok {
		out = append(out, relabel)
	}
	var ids []string
	for _, x := range []struct{ name, key string }{{"uid_mapping", "uids"}, {"gid_mapping", "gids"}} {
		if all := o.Texts(x.name); len(all) > 0 {
			ids = append(ids, x.key+"="+strings.ReplaceAll(strings.Join(all, "#"), ":", "-"))
		}
	}
	if len(ids) > 0 {
		out = append(out, "idmap="+strings.Join(ids, ";"))
	}
	return out
}

func sourcesOf(labels map[string]string) map[string]string {
	var out map[string]string
	if json.Unmarshal([]byte(labels[labelSources]), &out) != nil {
		return nil
	}
	return out
}

// secretMode lets every user of the container read a secret.
const secretMode = 0o444

// secretsOf gives the container its secrets, by ID: as variables, as files, or both.
func secretsOf(ctx context.Context, h *host, a resource.Attrs, s *libpod.ContainerSpec) error {
	s.SecretEnv = map[string]string{}
	for _, e := range a.List("secrets") {
		m, _ := e.(resource.Attrs)
		id, _ := m.Text("name")
		secret, err := h.Secret(ctx, id)
		if engineapi.IsNotFound(err) {
			return &provider.Error{Class: provider.Transient, Op: "create", Err: fmt.Errorf("there is no secret %s", id), Hint: "create it on that host, with `podman secret create " + id + " -`"}
		}
		if err != nil {
			return err
		}
		file, fixed := m.Text("path")
		env := m.Bool("env")
		if !fixed && !env {
			file = "/run/secrets/" + secretName(secret)
		}
		ids := partsOf(secret.Spec.Labels)
		want, made := applied(secret.Spec.Labels)
		if !made && !env { // by hand, for a container that names it: it has one value, and no keys
			s.Secrets = append(s.Secrets, libpod.SecretMount{Source: secret.ID, Target: file, Mode: secretMode})
		}
		keys := want.Object("data")
		for _, k := range keys {
			part, several := ids[k.Name]
			target := file
			if several {
				target = path.Join(file, k.Name)
			} else {
				part = secret.ID
			}
			if env {
				if err := freeVariable(s, k.Name); err != nil {
					return err
				}
				s.SecretEnv[k.Name] = part
			}
			if file != "" {
				s.Secrets = append(s.Secrets, libpod.SecretMount{Source: part, Target: target, Mode: secretMode})
			}
		}
	}
	if len(s.SecretEnv) > 0 {
		b, err := json.Marshal(s.SecretEnv)
		if err != nil {
			return err
		}
		s.Labels[labelEnv] = string(b)
	}
	return nil
}

// freeVariable refuses a variable of two values: one of them would be lost.
func freeVariable(s *libpod.ContainerSpec, name string) error {
	_, other := s.SecretEnv[name]
	if _, plain := s.Env[name]; plain || other {
		return permanent("", "rename one of them, or give the secret a path", "the variable %s of a secret is set twice", name)
	}
	return nil
}

// secretEnv are the IDs of the secrets that a container has as variables.
func secretEnv(labels map[string]string) (out map[string]string) {
	_ = json.Unmarshal([]byte(labels[labelEnv]), &out) // not made by ovi: none
	return out
}

// secretName is the name of a secret in its configuration.
func secretName(s libpod.Secret) string {
	if ref, err := resource.ParseRef(s.Spec.Labels[labelRef]); err == nil {
		return ref.Name
	}
	return s.Spec.Name
}
