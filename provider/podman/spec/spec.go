// Package spec says attributes in the words and units of Podman's API. It is pure: what it needs of a host is an
// argument.
package spec

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/resource"
)

// ShortID returns the first twelve characters of an ID.
func ShortID(id string) string { return id[:min(12, len(id))] }

// Period is that of CPU quotas, in microseconds.
const Period = 100_000

// Limits are resources in the units of Podman; 0 is not set.
type Limits struct{ Quota, Shares, Memory, Reservation int64 }

// LimitsOf returns the attribute resources in the units of Podman.
func LimitsOf(v resource.Value) (l Limits) {
	a, _ := v.(resource.Attrs)
	upper, lower := a.Object("limits"), a.Object("requests")
	if s, ok := upper.Text("cpu"); ok {
		milli, _ := schema.MilliCPU(s)
		l.Quota = milli * Period / 1000
	}
	if s, ok := lower.Text("cpu"); ok {
		milli, _ := schema.MilliCPU(s)
		l.Shares = max(2, milli*1024/1000)
	}
	if s, ok := upper.Text("memory"); ok {
		l.Memory, _ = schema.MemoryBytes(s)
	}
	if s, ok := lower.Text("memory"); ok {
		l.Reservation, _ = schema.MemoryBytes(s)
	}
	return l
}

// Attributes returns the limits as the attribute resources; nil if nothing is set.
func (l Limits) Attributes() resource.Value {
	amounts := func(milli, bytes int64) resource.Attrs {
		out := map[string]resource.Value{}
		if milli > 0 {
			out["cpu"] = resource.String(schema.CanonicalCPU(strconv.FormatInt(milli, 10) + "m"))
		}
		if bytes > 0 {
			out["memory"] = resource.String(schema.CanonicalMemory(strconv.FormatInt(bytes, 10)))
		}
		return resource.AttrsOf(out)
	}
	out := map[string]resource.Value{}
	if a := amounts(l.Quota*1000/Period, l.Memory); len(a) > 0 {
		out["limits"] = a
	}
	if a := amounts(l.Shares*1000/1024, l.Reservation); len(a) > 0 {
		out["requests"] = a
	}
	if len(out) == 0 {
		return nil
	}
	return resource.AttrsOf(out)
}

// Spec is what is sent when a container is created; nil if nothing is set.
func (l Limits) Spec() *libpod.Resources {
	if l == (Limits{}) {
		return nil
	}
	r := &libpod.Resources{}
	if l.Memory != 0 || l.Reservation != 0 {
		r.Memory = &libpod.Memory{Limit: set(l.Memory), Reservation: set(l.Reservation)}
	}
	if l.Quota != 0 || l.Shares != 0 {
		r.CPU = &libpod.CPU{Quota: set(l.Quota)}
		if l.Quota != 0 {
			p := uint64(Period)
			r.CPU.Period = &p
		}
		if l.Shares != 0 {
			s := uint64(l.Shares)
			r.CPU.Shares = &s
		}
	}
	return r
}

func set(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// CheckOf is a health check as it is sent: with all of its numbers, so that none is Podman's.
func CheckOf(h resource.Attrs) *libpod.Healthcheck {
	if len(h) == 0 {
		return nil
	}
	number := func(name string, otherwise int64) int64 {
		if n, ok := h.Int(name); ok {
			return n
		}
		return otherwise
	}
	const second = 1_000_000_000
	return &libpod.Healthcheck{
		Test: testOf(h), Interval: number("interval_seconds", 30) * second, Timeout: number("timeout_seconds", 30) * second,
		StartPeriod: number("start_period_seconds", 0) * second, Retries: int(number("retries", 3)),
	}
}

func testOf(h resource.Attrs) []string {
	if get := h.Object("http_get"); get != nil {
		port, _ := get.Int("port")
		path, _ := get.Text("path")
		url := "http://127.0.0.1:" + strconv.FormatInt(port, 10) + path
		return []string{
			"CMD-SHELL",
			"if command -v wget >/dev/null; then wget -q " +
				"-O /dev/null " + quoted(url) + "; else curl -fsS -o /dev/null " + quoted(url) + "; fi",
		}
	}
	return append([]string{"CMD"}, h.Texts("command")...)
}

func quoted(s string) string { return "'" + s + "'" }

// UserOf returns the user of a container, as UID or UID:GID; "" if the image decides.
func UserOf(a resource.Attrs) string {
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

// RestartOf splits a restart policy into its name and its number of tries; nil means no limit.
func RestartOf(policy string) (name string, tries *uint) {
	name, count, limited := strings.Cut(policy, ":")
	if n, err := strconv.ParseUint(count, 10, 32); limited && err == nil {
		most := uint(n)
		tries = &most
	}
	return name, tries
}

// LinksOf returns the networks of a container or pod, by their IDs.
func LinksOf(a resource.Attrs) map[string]libpod.NetworkLink {
	out := map[string]libpod.NetworkLink{}
	for _, id := range a.Texts("networks") {
		out[id] = libpod.NetworkLink{Aliases: a.Texts("network_aliases")}
	}
	return out
}

// PortMappings returns the ports to publish.
func PortMappings(a resource.Attrs) (out []libpod.PortMapping) {
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

// MountOptions returns the options of a mount, of which the first is ro or rw.
func MountOptions(m resource.Attrs) []string {
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

// SecretMode lets every user of the container read a secret.
const SecretMode = 0o444

// PullPolicy returns the pull policy of a container. Default: IfNotPresent.
func PullPolicy(a resource.Attrs) string {
	if policy, ok := a.Text("image_pull_policy"); ok {
		return policy
	}
	return "IfNotPresent"
}

// Inherit gives a new container the volumes that Podman made for the one that it replaces, except
// where something else is configured.
func Inherit(s *libpod.ContainerSpec, old resource.Attrs) {
	taken := map[string]bool{}
	for _, v := range s.Volumes {
		taken[v.Dest] = true
	}
	for _, m := range s.Mounts {
		taken[m.Destination] = true
	}
	for _, a := range old.Object(schema.OwnVolumes) {
		if name, ok := a.Value.(resource.String); ok && !taken[a.Name] {
			s.Volumes = append(s.Volumes, libpod.NamedVolume{Name: string(name), Dest: a.Name, Options: []string{"rw"}})
		}
	}
}

// AsideName is the name of a container that was set aside: the name it had, with its ID.
func AsideName(name, id string) string {
	const longestName = 63
	suffix := "-old-" + ShortID(id)
	return name[:min(len(name), longestName-len(suffix))] + suffix
}

// ConfiguredOptions are options without those that Podman makes of parts of the option o.
func ConfiguredOptions(have, configured map[string]string) map[string]string {
	out := maps.Clone(have)
	for _, k := range []string{"UID", "GID", "SIZE", "INODES", "NOQUOTA"} {
		if _, set := configured[k]; !set {
			delete(out, k)
		}
	}
	return out
}

// page is the block of a volume in memory.
const page = 4096

// VolumeOptions are the options of the driver that the attributes of a volume mean.
func VolumeOptions(a resource.Attrs) map[string]string {
	out := a.TextMap("options")
	var o []string
	if path, kind := HostPath(a); path != "" && kind == "Directory" {
		out["type"], out["device"] = "none", path
		o = append(o, "bind")
	}
	if empty := a.Object("empty_dir"); empty != nil {
		medium, _ := empty.Text("medium")
		if medium == "Memory" {
			out["type"], out["device"] = "tmpfs", "tmpfs"
		}
		limit, limited := empty.Text("size_limit")
		n, _ := schema.MemoryBytes(limit)
		switch {
		case limited && medium == "Memory":
			o = append(o, fmt.Sprintf("nr_blocks=%d", (n+page-1)/page)) // Podman takes size for a disk quota
		case limited:
			o = append(o, fmt.Sprintf("size=%d", n))
		}
	}
	security := a.Object("security_context")
	owner := security.Object("owner")
	for _, id := range []struct{ name, option string }{{"user", "uid"}, {"group", "gid"}} {
		if n, ok := owner.Int(id.name); ok {
			o = append(o, fmt.Sprintf("%s=%d", id.option, n))
		}
	}
	if level, ok := security.Object("se_linux_options").Text("level"); ok && out["type"] != "" {
		o = append(o, `context="system_u:object_r:container_file_t:`+level+`"`)
	}
	if given := out["o"]; given != "" {
		o = append([]string{given}, o...)
	}
	if len(o) > 0 {
		out["o"] = strings.Join(o, ",")
	}
	return out
}

// HostPath is the path of the host that a volume is; "" if it is none.
func HostPath(a resource.Attrs) (path, kind string) {
	p := a.Object("host_path")
	path, _ = p.Text("path")
	kind, _ = p.Text("type")
	return path, kind
}
