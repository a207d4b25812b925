package podman

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

func words(v resource.Value) []string {
	l, _ := v.(resource.List)
	return l.Texts()
}

// full is the whole command line that runs.
func (f *facts) full() []string {
	if f.Path == "" {
		return nil
	}
	return append([]string{f.Path}, f.Args...)
}

// command starts the command line. What the image says is not configured.
func (f *facts) command(want resource.Value) resource.Value {
	if want == nil && f.ours {
		return nil
	}
	full, said := f.full(), words(want)
	switch {
	case want == nil && f.image != nil && len(f.image.Config.Entrypoint) > 0:
		return resource.TextList(f.image.Config.Entrypoint)
	case want == nil:
		return nil
	case len(full) >= len(said) && slices.Equal(full[:len(said)], said):
		return want
	}
	return resource.TextList(full)
}

// args end it.
func (f *facts) args(want resource.Value) resource.Value {
	full, said := f.full(), words(want)
	if want == nil {
		if f.ours || len(full) == 0 {
			return nil
		}
		entry := 0
		if f.image != nil {
			entry = len(f.image.Config.Entrypoint)
		}
		return resource.TextList(full[min(entry, len(full)):])
	}
	if n := len(full) - len(said); n >= 0 && slices.Equal(full[n:], said) {
		return want
	}
	return resource.TextList(full)
}

func (f *facts) user(part int) resource.Value {
	parts := strings.SplitN(f.Config.User, ":", 2)
	if part >= len(parts) {
		return nil
	}
	n, err := strconv.ParseInt(parts[part], 10, 64)
	if err != nil {
		return nil
	}
	return resource.Int(n)
}

func (f *facts) uid(want resource.Value) resource.Value {
	if want == nil && f.ours {
		return nil
	}
	return f.user(0)
}

func (f *facts) gid(want resource.Value) resource.Value {
	if want == nil && f.ours {
		return nil
	}
	return f.user(1)
}

// restartPolicy: of one that is not configured, what its pod said was sent.
func (f *facts) restartPolicy(want resource.Value) resource.Value {
	p := f.HostConfig.RestartPolicy
	have := p.Name
	if have == "" {
		have = "no"
	}
	if have == "on-failure" && p.MaximumRetryCount > 0 {
		have += ":" + strconv.Itoa(p.MaximumRetryCount)
	}
	if want == nil && (f.ours || have == "no") {
		sent := f.Config.Labels[labelRestart]
		if !f.ours || have == "no" && sent == "" || have == sent {
			return nil
		}
	}
	return resource.String(have)
}

// security compares the capabilities that the container may have at most.
func (f *facts) security(want resource.Value) resource.Value {
	said, _ := want.(resource.Attrs)
	wanted := said.Object("capabilities") // style:ok
	may := func(name string) bool { return slices.Contains(f.BoundingCaps, "CAP_"+name) }
	fits := said.Bool("privileged") == f.HostConfig.Privileged
	for _, name := range wanted.Texts("add") {
		fits = fits && (name == "ALL" || may(name))
	}
	for _, name := range wanted.Texts("drop") {
		fits = fits && (name == "ALL" || f.HostConfig.Privileged || !may(name))
	}
	if fits && (f.ours || want != nil) {
		return want
	}
	out := map[string]resource.Value{}
	if f.HostConfig.Privileged {
		out["privileged"] = resource.Bool(true)
	}
	caps := map[string]resource.Value{}
	if len(f.HostConfig.CapAdd) > 0 {
		caps["add"] = capabilities(resource.TextList(f.HostConfig.CapAdd))
	}
	if len(f.HostConfig.CapDrop) > 0 {
		caps["drop"] = capabilities(resource.TextList(f.HostConfig.CapDrop))
	}
	if len(caps) > 0 {
		out["capabilities"] = resource.AttrsOf(caps)
	}
	if len(out) == 0 {
		return nil
	}
	return resource.AttrsOf(out)
}
