package container

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"

	"github.com/ovi-project/ovi/internal/engineapi"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/failure"
	"github.com/ovi-project/ovi/provider/podman/host"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/provider/podman/marks"
	"github.com/ovi-project/ovi/provider/podman/spec"
	"github.com/ovi-project/ovi/resource"
)

// specOf is a container as it is created.
func specOf(ctx context.Context, h *host.Host, r provider.Request) (*libpod.ContainerSpec, error) {
	a := r.Desired.Attrs
	s := &libpod.ContainerSpec{
		Name: r.Desired.Ref.Name, Env: a.TextMap("env"), Labels: marks.BirthLabels(r), Entrypoint: a.Texts("command"),
		Command: a.Texts("args"),
		Sysctl:  a.TextMap("sysctl"), Health: spec.CheckOf(a.Object("health")), PortMappings: spec.PortMappings(a),
	}
	s.Image, _ = a.Text("image")
	s.WorkDir, _ = a.Text("working_dir")
	s.User = spec.UserOf(a)
	v, _ := a.Get("resources")
	s.ResourceLimits = spec.LimitsOf(v).Spec()
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
			want, _ := marks.Applied(p.Labels)
			if restart, _ = want.Text("restart_policy"); restart != "" {
				s.Labels[marks.LabelRestart] = restart
			}
		}
	}
	s.RestartPolicy, s.RestartTries = spec.RestartOf(restart)
	s.Networks = spec.LinksOf(a)
	if len(s.Networks) > 0 {
		s.NetNS = &libpod.Namespace{Mode: "bridge"}
	}
	if err := mountsOf(ctx, h, a, s); err != nil {
		return nil, err
	}
	if old := cmp.Or(r.Beside, r.Replaces); old != nil {
		spec.Inherit(s, old.Attrs)
	}
	return s, secretsOf(ctx, h, a, s)
}

// mountsOf mounts volumes by name, and paths of the host and folders of volumes by their path.
func mountsOf(ctx context.Context, h *host.Host, a resource.Attrs, s *libpod.ContainerSpec) error {
	sources := map[string]string{}
	for _, e := range a.List("volumes") {
		m, _ := e.(resource.Attrs)
		name, _ := m.Text("name")
		where, _ := m.Text("mount_path")
		v, err := h.Volume(ctx, name)
		if err != nil {
			return err
		}
		want, _ := marks.Applied(v.Labels)
		source, _ := spec.HostPath(want)
		sub, _ := m.Text("sub_path")
		if source == "" && sub != "" {
			source = v.Mountpoint
		}
		options := spec.MountOptions(m)
		if source == "" {
			s.Volumes = append(s.Volumes, libpod.NamedVolume{Name: name, Dest: where, Options: options})
			continue
		}
		sources[where] = path.Join(source, sub)
		s.Mounts = append(s.Mounts,
			libpod.BindMount{Type: "bind", Source: sources[where], Destination: where, Options: append(options, "rbind")})
	}
	if len(sources) > 0 {
		b, err := json.Marshal(sources)
		if err != nil {
			return err
		}
		s.Labels[marks.LabelSources] = string(b)
	}
	return nil
}

// secretsOf gives the container its secrets, by ID: as variables, as files, or both.
func secretsOf(ctx context.Context, h *host.Host, a resource.Attrs, s *libpod.ContainerSpec) error {
	s.SecretEnv = map[string]string{}
	for _, e := range a.List("secrets") {
		m, _ := e.(resource.Attrs)
		id, _ := m.Text("name")
		secret, err := h.Secret(ctx, id)
		if engineapi.IsNotFound(err) {
			return &provider.Error{
				Cause: provider.Unreachable, Op: "create", Err: fmt.Errorf("there is no secret %s", id),
				Hint: "create it on that host, with `podman secret create " + id + " -`",
			}
		}
		if err != nil {
			return err
		}
		file, fixed := m.Text("path")
		env := m.Bool("env")
		if !fixed && !env {
			file = "/run/secrets/" + marks.SecretName(secret)
		}
		ids := marks.PartsOf(secret.Spec.Labels)
		want, made := marks.Applied(secret.Spec.Labels)
		if !made && !env { // by hand, for a container that names it: it has one value, and no keys
			s.Secrets = append(s.Secrets, libpod.SecretMount{Source: secret.ID, Target: file, Mode: spec.SecretMode})
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
				_, other := s.SecretEnv[k.Name]
				if _, plain := s.Env[k.Name]; plain || other { // one of the values would be lost
					return failure.Mistake("", "rename one of them, or give the secret a path",
						"the variable %s of a secret is set twice", k.Name)
				}
				s.SecretEnv[k.Name] = part
			}
			if file != "" {
				s.Secrets = append(s.Secrets, libpod.SecretMount{Source: part, Target: target, Mode: spec.SecretMode})
			}
		}
	}
	if len(s.SecretEnv) > 0 {
		b, err := json.Marshal(s.SecretEnv)
		if err != nil {
			return err
		}
		s.Labels[marks.LabelEnv] = string(b)
	}
	return nil
}
