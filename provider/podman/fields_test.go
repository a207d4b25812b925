package podman_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/podmantest"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// checked is a configuration as a provider gets it: checked, its references resolved.
func (r *real) checked(kind, name string, set values) resource.Desired {
	r.t.Helper()
	attrs, problems := resource.Check(kindNamed(r.t, kind), resource.AttrsOf(set))
	if len(problems) > 0 {
		r.t.Fatalf("%s/%s: %v", kind, name, problems)
	}
	return resource.Desired{Ref: r.ref(kind, name), Attrs: attrs}
}

func (r *real) request(d resource.Desired) provider.Request {
	r.keys++
	d.Attrs, _ = resource.MapRefs(kindNamed(r.t, d.Ref.Kind).ForCreate(d.Attrs),
		func(ref resource.Reference) resource.Value {
			return resource.String(r.ids[ref.Ref])
		}).(resource.Attrs)
	return provider.Request{Key: fmt.Sprintf("key-%04d", r.keys), Owner: "ovi", Desired: d}
}

// create creates a resource, and returns its configuration too.
func (r *real) create(kind, name string, set values) (resource.Desired, resource.Observed) {
	r.t.Helper()
	d := r.checked(kind, name, set)
	o, err := r.p.Create(r.context(), r.request(d))
	if err != nil {
		r.t.Fatalf("create %s/%s: %v", kind, name, err)
	}
	r.ids[d.Ref] = o.ID
	return d, o
}

// changes is what a plan would say of a resource that exists.
func (r *real) changes(d resource.Desired, o resource.Observed) []resource.Change {
	k := kindNamed(r.t, d.Ref.Kind)
	out := resource.Diff(d.Attrs, o.Attrs, k,
		resource.DiffOptions{Resolve: func(ref resource.Reference) (resource.Value, bool) {
			id, ok := r.ids[ref.Ref]
			return resource.String(id), ok
		}})
	if k.EffectOf != nil {
		for i := range out {
			out[i].Effect = max(out[i].Effect, k.EffectOf(o, out[i]))
		}
	}
	return out
}

func (r *real) observe() resource.Snapshot {
	r.t.Helper()
	s, err := r.p.Observe(r.context(), provider.ObserveRequest{Scope: r.scope})
	if err != nil {
		r.t.Fatal(err)
	}
	if len(s.Unreachable) > 0 {
		r.t.Fatalf("unreachable: %v", s.Unreachable)
	}
	return s
}

func (r *real) byID(id string) (resource.Observed, bool) {
	r.t.Helper()
	for _, o := range r.observe().Resources {
		if o.ID == id {
			return o, true
		}
	}
	return resource.Observed{}, false
}

func show(changes []resource.Change) (out []string) {
	for _, c := range changes {
		out = append(out,
			fmt.Sprintf("%s: %s -> %s (%s)", c.Path, resource.AppendJSON(nil, c.From), resource.AppendJSON(nil, c.To), c.Effect))
	}
	return out
}

// one is a configuration that sets a field.
type one struct {
	name, kind string
	set        values
}

// fields are configurations that together set every attribute of every kind.
func (r *real) fields(dir string) []one {
	container := func(name string, set values) one {
		if _, ok := set["image"]; !ok {
			set["image"] = text(podmantest.Image)
		}
		return one{name, "container", set}
	}
	n := func(v int64) resource.Value { return resource.Int(v) }
	port := func(set values) resource.List { return resource.List{object(set)} }
	volume := func(name, at string, more values) resource.Attrs {
		set := values{"name": r.of("volume", name), "mount_path": text(at)}
		for k, v := range more {
			set[k] = v
		}
		return object(set)
	}
	return []one{
		{"n-plain", "network", values{}},
		{"n-labels", "network", values{"labels": object(values{"team": text("shop"), "cutepod.io/version": text("1.2.3")})}},
		{"n-subnet", "network", values{"subnet": text("10.250.1.7/24")}},
		{"n-gateway", "network", values{"subnet": text("10.250.2.0/24"), "gateway": text("10.250.2.200")}},
		{"n-options", "network", values{"driver": text("bridge"), "options": object(values{"mtu": text("1400")})}},
		{"n-six", "network", values{"subnet": text("fd00:0:0:beef::/64")}},
		{"v-plain", "volume", values{}},
		{"v-labels", "volume", values{"driver": text("local"), "labels": object(values{"team": text("shop")})}},
		{
			"v-options", "volume",
			values{"options": object(values{"type": text("tmpfs"), "device": text("tmpfs"), "o": text("nr_blocks=256")})},
		},
		{
			"v-nested", "volume",
			values{"volume": object(values{"driver": text("local"), "options": object(values{"o": text("uid=7")})})},
		},
		{"v-path", "volume", values{"type": text("bind"), "host_path": object(values{"path": text(dir)})}},
		{
			"v-file", "volume",
			values{"host_path": object(values{"path": text(filepath.Join(dir, "file")), "type": text("File")})},
		},
		{"v-empty", "volume", values{"empty_dir": object(nil)}},
		{"v-memory", "volume", values{"empty_dir": object(values{"medium": text("Memory"), "size_limit": text("8Mi")})}},
		{
			"v-owner", "volume",
			values{
				"security_context": object(values{
					"owner":            object(values{"user": n(1000), "group": n(1001)}),
					"se_linux_options": object(values{"level": text("s0:c1,c2")}),
				}),
			},
		},
		{
			"s-one", "secret",
			values{
				"type": text("Opaque"), "data": object(values{"PASSWORD": secretOf("fake-password")}),
				"labels": object(values{"team": text("shop")}),
			},
		},
		{"s-two", "secret", values{"data": object(values{"USER": secretOf("fake-user"), "TOKEN": secretOf("fake-token")})}},
		{"p-plain", "pod", values{}},
		{"p-all", "pod", values{
			"restart_policy": text("Always"), "labels": object(values{"team": text("shop")}),
			"networks":        resource.List{r.of("network", "n-subnet")},
			"network_aliases": texts("together"), "ports": port(values{
				"container_port": n(80), "host_port": n(18380), "host_ip": text("127.0.0.1"),
			}),
		}},
		container("plain", values{}),
		container("in-pod", values{"pod": r.of("pod", "p-all"), "command": texts("/bin/serve", "80")}),
		container("in-pod-restart", values{"pod": r.of("pod", "p-all"), "restart_policy": text("Never")}),
		container("tag", values{"image": text("localhost/bb:1")}),
		container("policy", values{"image_pull_policy": text("Never")}),
		container("command", values{"command": texts("/bin/sleep"), "args": texts("1000")}),
		container("command-only", values{"command": texts("/bin/sleep", "1000")}),
		container("args-only", values{"args": texts("/bin/sleep", "1000")}),
		container("env",
			values{
				"env": object(values{
					"A": text("1"), "FROM_IMAGE": text("no"), "PATH": text("/bin"), "EMPTY": text(""), "EQUALS": text("a=b"),
				}),
			}),
		container("dir", values{"working_dir": text("/tmp")}),
		container("dir-of-image", values{"working_dir": text("/www")}),
		container("user", values{"uid": n(1000)}),
		container("group", values{"uid": n(1000), "gid": n(1001)}),
		container("root", values{"uid": n(0), "gid": n(0)}),
		container("labels",
			values{
				"labels": object(values{
					"team": text("shop"), "cutepod.io/chart": text("demo"), "cutepod.io/version": text("1.0.0"),
				}),
			}),
		container("port", values{"ports": port(values{"container_port": n(80), "host_port": n(18381)})}),
		container("port-any", values{"ports": port(values{"container_port": n(80)})}),
		container("port-udp", values{"ports": resource.List{
			object(values{
				"container_port": n(53), "host_port": n(18353), "protocol": text("UDP"), "host_ip": text("127.0.0.1"),
			}),
			object(values{"container_port": n(53), "host_port": n(18353), "protocol": text("tcp"), "host_ip": text("0.0.0.0")}),
		}}),
		container("network", values{"networks": resource.List{r.of("network", "n-plain")}}),
		container("networks",
			values{
				"networks":        resource.List{r.of("network", "n-plain"), r.of("network", "n-gateway")},
				"network_aliases": texts("db", "database"),
			}),
		container("aliases", values{"network_aliases": texts("alone")}),
		container("mounts", values{"volumes": resource.List{
			volume("v-plain", "/data", nil), volume("v-labels", "/ro", values{"read_only": resource.Bool(true)}),
			volume("v-options", "/opt", nil),
			volume("v-memory", "/mem", nil), volume("v-owner", "/own", nil), volume("v-nested", "/nested", nil),
			volume("v-empty", "/empty/", nil),
		}}),
		container("paths", values{"volumes": resource.List{
			volume("v-path", "/path", nil), volume("v-path", "/sub",
				values{"sub_path": text("in/side"), "read_only": resource.Bool(true)}), volume("v-file", "/etc/file", nil),
			object(values{"name": r.of("volume", "v-plain"), "container_path": text("/alias")}),
		}}),
		container("relabel",
			values{
				"volumes": resource.List{
					volume("v-plain", "/data", values{"mount_options": object(values{"se_linux_label": text("z")})}),
				},
			}),
		container("mapped",
			values{
				"volumes": resource.List{
					volume("v-plain", "/data",
						values{
							"mount_options": object(values{
								"uid_mapping": texts("0:1000:10"), "gid_mapping": texts("0:1000:10", "20:2000:1"),
							}),
						}),
				},
			}),
		container("secret-env",
			values{"secrets": resource.List{object(values{"name": r.of("secret", "s-one"), "env": resource.Bool(true)})}}),
		container("secret-file",
			values{
				"secrets": resource.List{
					object(values{"name": r.of("secret", "s-one")}),
					object(values{"name": r.of("secret", "s-two"), "path": text("/etc/two"), "env": resource.Bool(true)}),
				},
			}),
		container("health-exec",
			values{
				"health": object(values{
					"type": text("exec"), "command": texts("true"), "interval_seconds": n(2), "timeout_seconds": n(2),
					"start_period_seconds": n(1), "retries": n(2),
				}),
			}),
		container("health-http",
			values{
				"command": texts("/bin/serve", "8080"),
				"health":  object(values{"http_get": object(values{"path": text("/index.html?a=b&c"), "port": n(8080)})}),
			}),
		container("limits",
			values{
				"resources": object(values{
					"limits":   object(values{"cpu": text("500m"), "memory": text("64Mi")}),
					"requests": object(values{"cpu": text("0.1"), "memory": text("32M")}),
				}),
			}),
		container("odd-limits",
			values{"resources": object(values{"limits": object(values{"cpu": text("333m"), "memory": text("100000001")})})}),
		container("sysctl", values{"sysctl": object(values{"net.core.somaxconn": text("512")})}),
		container("caps",
			values{
				"security_context": object(values{
					"capabilities": object(values{"add": texts("net_admin"), "drop": texts("CAP_CHOWN", "KILL")}),
				}),
			}),
		container("caps-none",
			values{"security_context": object(values{"capabilities": object(values{"drop": texts("ALL")})})}),
		container("privileged", values{"security_context": object(values{"privileged": resource.Bool(true)})}),
		container("restart-always", values{"restart_policy": text("Always")}),
		container("restart-tries", values{"restart_policy": text("on-failure:3")}),
		container("restart-failure", values{"restart_policy": text("OnFailure")}),
		container("restart-unless", values{"restart_policy": text("unless-stopped")}),
		container("restart-no", values{"restart_policy": text("no")}),
	}
}

// TestNothingDriftsByItself: what is applied and observed again has no change: every attribute
// of every kind, in the answer, observed, observed by another process, and after a restart.
func TestNothingDriftsByItself(t *testing.T) {
	r := newReal(t)
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "in", "side"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := r.fields(dir)
	var desired []resource.Desired
	var answers []resource.Observed
	for _, x := range all {
		d, o := r.create(x.kind, x.name, x.set)
		desired, answers = append(desired, d), append(answers, o)
	}
	judge := func(when string, i int, o resource.Observed) {
		t.Helper()
		if c := r.changes(desired[i], o); len(c) > 0 {
			t.Errorf("%s/%s %s: %q", all[i].kind, all[i].name, when, show(c))
		}
		if o.Health != resource.Healthy {
			t.Errorf("%s/%s %s: %s %s", all[i].kind, all[i].name, when, o.Health, o.Message)
		}
	}
	observed := func(when string) {
		t.Helper()
		for i := range all {
			o, ok := r.byRef(desired[i].Ref)
			if !ok {
				t.Errorf("%s is not observed %s", desired[i].Ref, when)
				continue
			}
			judge(when, i, o)
		}
	}
	for i := range all {
		judge("in the answer", i, answers[i])
	}
	r.last = nil
	observed("observed")
	r.connect()
	observed("observed by another process")
	r.host.Podman(t, "restart", "-t", "0", "--all")
	for deadline := time.Now().Add(time.Minute); r.starting() && time.Now().Before(deadline); {
		time.Sleep(100 * time.Millisecond)
	}
	observed("after a restart")
	if t.Failed() {
		return
	}
	seen := map[string]bool{}
	for i := range all {
		for _, a := range desired[i].Attrs {
			seen[all[i].kind+"."+a.Name] = true
		}
	}
	for _, k := range r.p.Kinds() {
		for _, a := range k.Attrs {
			if !a.Computed && !seen[k.Name+"."+a.Name] && k.Name+"."+a.Name != "volume.volume" {
				t.Errorf("no configuration sets %s.%s", k.Name, a.Name)
			}
		}
	}
}

// starting observes again, and reports whether a health check has not passed yet.
func (r *real) starting() bool {
	r.t.Helper()
	r.last = r.observe().Resources
	return slices.ContainsFunc(r.last, func(o resource.Observed) bool { return o.Health == resource.Pending })
}

// byRef finds a resource by its marks in the last observation, or makes one.
func (r *real) byRef(ref resource.Ref) (resource.Observed, bool) {
	r.t.Helper()
	if r.last == nil {
		r.last = r.observe().Resources
	}
	for _, o := range r.last {
		if o.Marks.Ref == ref {
			return o, true
		}
	}
	return resource.Observed{}, false
}
