// Package facts compares a container that was read with its attributes at creation: where both mean the same, an
// attribute is reported as it was configured. It is pure, and tells no value of a secret.
package facts

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/provider/podman/marks"
	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/provider/podman/spec"
	"github.com/ovi-project/ovi/resource"
)

// Container are what is known of one container.
type Container struct {
	libpod.Container
	Want     resource.Attrs // its attributes at creation
	Ours     bool           // they are known
	Env      map[string]string
	RunImage *libpod.Image // that it runs; nil if it was deleted
	Tag      string        // the name of its image
	Tagged   *libpod.Image // that has the name now; nil if none has
	Moved    string        // the ID that its registry has for the name, if it is another one
	Networks *Networks
	// Anonymous are the names of the volumes that Podman made for it, by path.
	Anonymous map[string]string
	Digest    func(plain string) string // keyed; may be nil
}

// Attributes compares each attribute, as far as it can be read, with what it was at creation:
// where both mean the same, it is reported as it was configured, else as it is.
func (f *Container) Attributes() resource.Attrs {
	out := make([]resource.Attr, 0, 16)
	for _, field := range []struct {
		name string
		read func(want resource.Value) resource.Value
	}{
		{"image", f.imageName},
		{"command", f.command},
		{"args", f.args},
		{"env", f.environment},
		{"working_dir", f.workingDir},
		{"uid", f.uid},
		{"gid", f.gid},
		{"labels", f.labels},
		{"ports", f.ports},
		{"networks", f.networkIDs},
		{"network_aliases", f.aliases},
		{"pod", f.pod},
		{"volumes", f.volumes},
		{"secrets", f.unread},
		{"health", f.healthcheck},
		{"resources", f.resources},
		{"restart_policy", f.restartPolicy},
		{"sysctl", f.unread},
		{"security_context", f.security},
		{"address", f.address},
		{"own_volumes", f.ownVolumes},
		{"image_id", f.imageID},
	} {
		want, _ := f.Want.Get(field.name)
		if v := field.read(want); v != nil {
			out = append(out, resource.Attr{Name: field.name, Value: v})
		}
	}
	return resource.NewAttrs(out...)
}

// unread is what Podman does not tell: it cannot change while the container exists.
func (f *Container) unread(want resource.Value) resource.Value { return want }

// imageName: the image is compared by its ID, because its name stays when a tag moves.
func (f *Container) imageName(resource.Value) resource.Value {
	switch {
	case f.Moved != "":
		return resource.String(f.Tag + " (image " + spec.ShortID(f.Image) +
			"; its registry has " + spec.ShortID(f.Moved) + ")")
	case f.Tagged == nil || f.Tagged.ID == f.Image:
		return resource.String(f.Tag)
	}
	return resource.String(f.Tag + " (image " + spec.ShortID(f.Image) +
		"; that tag is now " + spec.ShortID(f.Tagged.ID) + ")")
}

func (f *Container) imageID(resource.Value) resource.Value { return resource.String(f.Image) }

func (f *Container) workingDir(want resource.Value) resource.Value {
	if want == nil && f.Ours || f.Config.WorkingDir == "" {
		return nil
	}
	return resource.String(f.Config.WorkingDir)
}

func (f *Container) labels(resource.Value) resource.Value {
	var image map[string]string
	if f.RunImage != nil {
		image = f.RunImage.Labels
	}
	return marks.UserLabels(f.Config.Labels, image, f.Want.Object("labels"))
}

func (f *Container) pod(resource.Value) resource.Value {
	if f.Pod == "" {
		return nil
	}
	return resource.String(f.Pod)
}

func (f *Container) address(resource.Value) resource.Value {
	names := make([]string, 0, len(f.NetworkSettings.Networks))
	for name := range f.NetworkSettings.Networks {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if ip := f.NetworkSettings.Networks[name].IPAddress; ip != "" {
			return resource.String(ip)
		}
	}
	return nil
}

func words(v resource.Value) []string {
	l, _ := v.(resource.List)
	return l.Texts()
}

// full is the whole command line that runs.
func (f *Container) full() []string {
	if f.Path == "" {
		return nil
	}
	return append([]string{f.Path}, f.Args...)
}

// command starts the command line. What the image says is not configured.
func (f *Container) command(want resource.Value) resource.Value {
	if want == nil && f.Ours {
		return nil
	}
	full, said := f.full(), words(want)
	switch {
	case want == nil && f.RunImage != nil && len(f.RunImage.Config.Entrypoint) > 0:
		return resource.TextList(f.RunImage.Config.Entrypoint)
	case want == nil:
		return nil
	case len(full) >= len(said) && slices.Equal(full[:len(said)], said):
		return want
	}
	return resource.TextList(full)
}

// args end it.
func (f *Container) args(want resource.Value) resource.Value {
	full, said := f.full(), words(want)
	if want == nil {
		if f.Ours || len(full) == 0 {
			return nil
		}
		entry := 0
		if f.RunImage != nil {
			entry = len(f.RunImage.Config.Entrypoint)
		}
		return resource.TextList(full[min(entry, len(full)):])
	}
	if n := len(full) - len(said); n >= 0 && slices.Equal(full[n:], said) {
		return want
	}
	return resource.TextList(full)
}

func (f *Container) user(part int) resource.Value {
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

func (f *Container) uid(want resource.Value) resource.Value {
	if want == nil && f.Ours {
		return nil
	}
	return f.user(0)
}

func (f *Container) gid(want resource.Value) resource.Value {
	if want == nil && f.Ours {
		return nil
	}
	return f.user(1)
}

// restartPolicy: of one that is not configured, what its pod said was sent.
func (f *Container) restartPolicy(want resource.Value) resource.Value {
	p := f.HostConfig.RestartPolicy
	have := p.Name
	if have == "" {
		have = "no"
	}
	if have == "on-failure" && p.MaximumRetryCount > 0 {
		have += ":" + strconv.Itoa(p.MaximumRetryCount)
	}
	if want == nil && (f.Ours || have == "no") {
		sent := f.Config.Labels[marks.LabelRestart]
		if !f.Ours || have == "no" && sent == "" || have == sent {
			return nil
		}
	}
	return resource.String(have)
}

// security compares the capabilities that the container may have at most.
func (f *Container) security(want resource.Value) resource.Value {
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
	if fits && (f.Ours || want != nil) {
		return want
	}
	out := map[string]resource.Value{}
	if f.HostConfig.Privileged {
		out["privileged"] = resource.Bool(true)
	}
	caps := map[string]resource.Value{}
	if len(f.HostConfig.CapAdd) > 0 {
		caps["add"] = schema.Capabilities(resource.TextList(f.HostConfig.CapAdd))
	}
	if len(f.HostConfig.CapDrop) > 0 {
		caps["drop"] = schema.Capabilities(resource.TextList(f.HostConfig.CapDrop))
	}
	if len(caps) > 0 {
		out["capabilities"] = resource.AttrsOf(caps)
	}
	if len(out) == 0 {
		return nil
	}
	return resource.AttrsOf(out)
}

// resources compares the limits in the units of Podman.
func (f *Container) resources(want resource.Value) resource.Value {
	h := f.HostConfig
	have := spec.Limits{Quota: h.CPUQuota, Shares: h.CPUShares, Memory: h.Memory, Reservation: h.MemoryReservation}
	if h.CPUPeriod != 0 && h.CPUPeriod != spec.Period {
		have.Quota = h.CPUQuota * spec.Period / h.CPUPeriod
	}
	if have.Quota <= 0 {
		have.Quota = h.NanoCPUs / (1e9 / spec.Period)
	}
	if have == spec.LimitsOf(want) {
		return want
	}
	return have.Attributes()
}

// healthcheck: one that the image brings is not configured.
func (f *Container) healthcheck(want resource.Value) resource.Value {
	said, _ := want.(resource.Attrs)
	have, sent := f.Config.Healthcheck, spec.CheckOf(said)
	switch {
	case sent == nil && (f.Ours || have == nil):
		return nil
	case have == nil:
		return nil
	case sent != nil && slices.Equal(sent.Test, have.Test) && sent.Interval == have.Interval &&
		sent.Timeout == have.Timeout &&
		sent.StartPeriod == have.StartPeriod && sent.Retries == have.Retries:
		return want
	}
	const second = 1_000_000_000
	return resource.NewAttrs(
		resource.Attr{Name: "type", Value: resource.String("exec")},
		resource.Attr{Name: "command", Value: resource.TextList(have.Test)},
		resource.Attr{Name: "interval_seconds", Value: resource.Int(have.Interval / second)},
		resource.Attr{Name: "timeout_seconds", Value: resource.Int(have.Timeout / second)},
		resource.Attr{Name: "start_period_seconds", Value: resource.Int(have.StartPeriod / second)},
		resource.Attr{Name: "retries", Value: resource.Int(have.Retries)})
}
