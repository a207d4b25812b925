package facts

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/provider/podman/marks"
	"github.com/ovi-project/ovi/resource"
)

// EnvOf are the variables of a container.
func EnvOf(c libpod.Container) map[string]string {
	out := make(map[string]string, len(c.Config.Env))
	for _, e := range c.Config.Env {
		k, v, _ := strings.Cut(e, "=")
		out[k] = v
	}
	return out
}

// environment: the image and Podman set variables too, and secrets are among them, by Podman 4 with
// their values and by Podman 5 masked and under their own names; none is reported. What was configured is reported;
// of a container that ovi did not create, what its image does not say.
func (f *Container) environment(want resource.Value) resource.Value {
	out := map[string]resource.Value{}
	said, _ := want.(resource.Attrs)
	secrets, named := SecretVariables(f.Container)
	secret := func(name string) bool { _, is := secrets[name]; return is }
	for _, a := range said {
		if v, ok := f.Env[a.Name]; ok && !secret(a.Name) {
			out[a.Name] = resource.String(v)
		}
	}
	if !f.Ours {
		for k, v := range f.Env {
			switch {
			case f.inherited(k, v) || secret(k) || v == Masked:
			case named:
				out[k] = resource.String(v)
			case f.Digest != nil:
				out[k] = resource.Digest(f.Digest("env\n" + k + "\n" + v)) // it may be a secret
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	return resource.AttrsOf(out)
}

func (f *Container) inherited(name, value string) bool {
	if slices.Contains([]string{"PATH", "TERM", "container", "HOSTNAME", "HOME"}, name) {
		return true
	}
	return f.RunImage != nil && slices.Contains(f.RunImage.Config.Env, name+"="+value)
}

// SecretVariables are the variables of a container that hold secrets, with their IDs if they are
// known. Podman does not tell them from others: a label names them, or the command line that created
// the container. Without either they are not named, and each variable may hold one.
func SecretVariables(c libpod.Container) (ids map[string]string, named bool) {
	ids = map[string]string{}
	maps.Copy(ids, marks.SecretEnv(c.Config.Labels))
	words := c.Config.CreateCommand
	if !createsContainer(words) {
		_, ours := marks.Applied(c.Config.Labels)
		return ids, ours
	}
	for i, w := range words {
		value, joined := strings.CutPrefix(w, "--secret=")
		if w == "--secret" && i+1 < len(words) {
			value, joined = words[i+1], true
		}
		name, rest, _ := strings.Cut(value, ",") // NAME,type=env,target=VARIABLE
		for _, part := range strings.Split(rest, ",") {
			if target, ok := strings.CutPrefix(part, "target="); ok {
				name = target // the variable, or the file
			}
		}
		if joined && ids[name] == "" {
			ids[name] = ""
		}
	}
	return ids, true
}

// createsContainer reports whether a command line is one that names every secret of the container
// that it creates: not one of a file, whose secrets are not in it.
func createsContainer(words []string) bool {
	if len(words) == 0 || !strings.HasPrefix(path.Base(words[0]), "podman") { // podman-remote, podman5
		return false
	}
	verb := slices.IndexFunc(words, func(w string) bool { return w == "run" || w == "create" })
	return verb > 0 &&
		!slices.ContainsFunc(words[:verb], func(w string) bool { return w == "kube" || w == "play" || w == "clone" })
}

// Masked is how Podman 5 shows a variable that is a secret.
const Masked = "*******"
