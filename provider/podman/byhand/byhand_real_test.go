package byhand

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/podmantest"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/resource"
)

// TestByHandOnPodman: a real Podman accepts the commands that are printed, and what they make is
// what they are printed for.
func TestByHandOnPodman(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs containers")
	}
	h := podmantest.Start(t)
	conf := t.TempDir()
	run := func(command, input string) string {
		t.Helper()
		cmd := exec.Command("/bin/sh", "-c", command)
		cmd.Env, cmd.Stdin = h.Env(), strings.NewReader(input)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		return string(out)
	}
	do := func(o provider.Operation) {
		t.Helper()
		for _, command := range Commands(o) {
			run(command, "a value")
		}
	}
	one := configured(t, schema.Secret, "one",
		values{"data": object(values{"KEY": resource.NewSecret("plain-one", "d1")})})
	two := configured(t, schema.Secret, "two",
		values{
			"data": object(values{
				"PASSWORD": resource.NewSecret("plain-two", "d2"), "USER": resource.NewSecret("plain-user", "d3"),
			}),
		})
	volume := configured(t, schema.Volume, "data", values{"labels": object(values{"team": text("a b")})})
	bind := configured(t, schema.Volume, "conf", values{"host_path": object(values{"path": text(conf)})})
	find := func(r resource.Ref) (resource.Desired, bool) {
		for _, d := range []resource.Desired{one, two, volume, bind} {
			if d.Ref == r {
				return d, true
			}
		}
		return resource.Desired{}, false
	}
	web := configured(t, schema.Container, "web", values{
		"image": text(podmantest.Image), "command": texts("/bin/sh", "-c"),
		"args": texts("trap 'exit 0' TERM; echo $LEVEL > /data/level; sleep 1000 & wait"), "image_pull_policy": text("Never"),
		"env": object(values{"LEVEL": text("it's on")}), "working_dir": text("/tmp"), "uid": resource.Int(0),
		"gid":      resource.Int(0),
		"networks": resource.List{to(schema.Network, "back")}, "network_aliases": texts("www"),
		"ports": resource.List{
			object(values{"container_port": resource.Int(53), "host_ip": text("127.0.0.1"), "protocol": text("udp")}),
		},
		"volumes": resource.List{
			object(values{"name": to(schema.Volume, "data"), "mount_path": text("/data")}),
			object(values{"name": to(schema.Volume, "conf"), "mount_path": text("/etc/web"), "read_only": resource.Bool(true)}),
		},
		"secrets": resource.List{
			object(values{"name": to(schema.Secret, "one"), "path": text("/run/key")}),
			object(values{"name": to(schema.Secret, "two"), "env": resource.Bool(true)}),
		},
		"health": object(values{
			"command": texts("/bin/test", "-s", "/data/level"), "interval_seconds": resource.Int(5),
		}),
		"restart_policy": text("on-failure:3"),
		"security_context": object(values{
			"capabilities": object(values{"drop": texts("KILL")}),
		}), "labels": object(values{"team": text("shop")}),
	})
	for _, d := range []resource.Desired{
		configured(t, schema.Network, "back", nil), volume, bind, one, two,
		configured(t, schema.Pod, "jobs", values{"networks": resource.List{to(schema.Network, "back")}}),
	} {
		do(provider.Operation{Verb: provider.VerbCreate, Desired: d})
	}
	create := provider.Operation{Verb: provider.VerbCreate, Desired: web, Find: find}
	do(create)
	for command, want := range map[string]string{
		"podman exec web cat /data/level": "it's on",
		"podman exec web sh -c 'cat /run/key; echo " +
			"$PASSWORD $USER'": "a valuea value a value",
		"podman healthcheck run web && echo healthy": "healthy",
		"podman inspect -f '{{.HostConfig.RestartPolicy}} {{.Config.WorkingDir}} " +
			"{{.Config.User}}' web": "{on-failure 3} /tmp 0:0",
		"podman inspect -f '{{range .NetworkSettings.Networks}}{{.Aliases}}{{end}}' web | grep -c www": "1",
		"podman inspect -f '{{range .Mounts}}{{.Destination}}={{.RW}} {{end}}' web | tr ' ' " +
			"'\\n' | grep etc": "/etc/web=false",
	} {
		got := run(command, "")
		for try := 0; try < 4 && got == ""; try++ { // podman exec can lose what a short program prints
			got = run(command, "")
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s prints %q, not %q", command, got, want)
		}
	}
	id := strings.TrimSpace(run("podman inspect -f '{{.Id}}' web", ""))
	old := &resource.Observed{Ref: web.Ref, ID: id}
	create.Have, create.Beside = old, true
	for _, o := range []provider.Operation{
		{Verb: provider.VerbSetAside, Desired: web, Have: old, Beside: true},
		create,
		{Verb: provider.VerbSwitch, Desired: web, Have: old, Beside: true},
		{Verb: provider.VerbDelete, Desired: web, Have: old, Beside: true},
		{Verb: provider.VerbDelete, Desired: web},
		{Verb: provider.VerbDelete, Desired: configured(t, schema.Pod, "jobs", nil)},
		{Verb: provider.VerbDelete, Desired: configured(t, schema.Network, "back", nil)},
		{Verb: provider.VerbDelete, Desired: volume},
		{Verb: provider.VerbDelete, Desired: one},
	} {
		do(o)
	}
	if left := run("podman ps -aq; podman volume ls -q; podman secret ls -q --noheading",
		""); !strings.HasPrefix(left, "conf\n") {
		t.Errorf("left: %s", left)
	}
}
