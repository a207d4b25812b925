package byhand

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/resource"
)

// boot is a stack with all that a unit can say, and some that it cannot.
func boot(t *testing.T) []resource.Desired {
	t.Helper()
	web := wholeContainer(t)
	web.DependsOn = []resource.Ref{at(schema.Container, "db"), at(schema.Network, "back")}
	web.Blessed = true
	web.Attrs = web.Attrs.With("env",
		object(values{
			"PRICE":   text("5 $ or 10%"),
			"ADDRESS": resource.Text{resource.Reference{Ref: at(schema.Container, "db"), Path: "address"}},
		}))
	conf := configured(t, schema.Volume, "conf", values{"host_path": object(values{"path": text("/srv/conf")})})
	job := configured(t, schema.Container, "job",
		values{
			"image": text("busybox:1"), "pod": to(schema.Pod, "jobs"),
			"volumes": resource.List{
				object(values{"name": to(schema.Volume, "data"), "mount_path": text("/d"), "sub_path": text("in")}),
			},
		})
	db := configured(t, schema.Container, "db",
		values{
			"image": text("postgres:17"), "restart_policy": text("on-failure:3"),
			"networks": resource.List{to(schema.Network, "other")},
		})
	off := configured(t, schema.Container, "off", values{"image": text("busybox:1")})
	off.State = resource.StateStopped
	find := site(t)
	one, _ := find(at(schema.Secret, "one"))
	two, _ := find(at(schema.Secret, "two"))
	return []resource.Desired{
		web, db, job, off, conf, one, two,
		configured(t, schema.Volume, "data",
			values{"empty_dir": object(values{"medium": text("Memory"), "size_limit": text("64Mi")})}),
		configured(t, schema.Pod, "jobs",
			values{
				"restart_policy": text("always"), "networks": resource.List{to(schema.Network, "back")},
				"ports": resource.List{object(values{"container_port": resource.Int(80), "host_port": resource.Int(8090)})},
			}),
		configured(t, schema.Network, "back",
			values{
				"subnet": text("10.9.0.0/24"), "options": object(values{"mtu": text("1400")}),
				"labels": object(values{"team": text("a b")}),
			}),
	}
}

// TestQuadlets: each unit has what the resource configures, and what it cannot say is listed.
func TestQuadlets(t *testing.T) {
	t.Parallel()
	got := quadlets("shop", boot(t))
	for name, lines := range map[string][]string{
		"web.container": {
			"Description=container web of stack shop", "Requires=db.service", "After=db.service", "ContainerName=web",
			"Image=nginx:1.27",
			"Network=back.network", "Network=front", "PodmanArgs=--network-alias www", "PublishPort=127.0.0.1::53/udp",
			"PublishPort=8080:80",
			"Volume=data.volume:/data", "Volume=/srv/conf/web:/etc/web:ro", "Secret=one,type=mount,target=/etc/key,mode=0444",
			"Secret=two.USER,type=env,target=USER",
			`Environment="PRICE=5 $$ or 10%%"`, "Environment=ADDRESS=<container/db.address>",
			`PodmanArgs=--entrypoint "[\"/bin/serve\",\"-x\"]"`, "WorkingDir=/srv", "User=10", "Group=20",
			`HealthCmd=["/bin/test","-s","/data/x"]`, "HealthInterval=5s", "PodmanArgs=--memory 512m",
			"Sysctl=net.core.somaxconn=512",
			"AddCapability=NET_ADMIN", "DropCapability=KILL", "Pull=always", "Label=team=shop", `Exec=80 "a b"`,
			"Restart=always", "WantedBy=multi-user.target default.target",
		},
		"db.container":  {"Restart=on-failure", "Network=other"},
		"job.container": {"Pod=jobs.pod", "Volume=data.volume:/d", "Restart=always"},
		"off.container": {"Restart=no"},
		"jobs.pod":      {"PodName=jobs", "Network=back.network", "PublishPort=8090:80"},
		"back.network": {
			"NetworkName=back", "Driver=bridge", "Subnet=10.9.0.0/24", "PodmanArgs=--opt mtu=1400", `Label="team=a b"`,
		},
		"data.volume": {"VolumeName=data", "PodmanArgs=--opt type=tmpfs", "PodmanArgs=--opt o=nr_blocks=16384"},
	} {
		unit := "\n" + got.Files[name]
		delete(got.Files, name)
		for _, line := range lines {
			if !strings.Contains(unit, "\n"+line+"\n") {
				t.Errorf("%s has no line %s:\n%s", name, line, unit)
			}
		}
		for _, never := range []string{"ovi/", "cutepod.io/", "plain-"} {
			if strings.Contains(unit, never) {
				t.Errorf("%s holds %s:\n%s", name, never, unit)
			}
		}
		if name == "off.container" && strings.Contains(unit, "[Install]") {
			t.Errorf("%s is started at boot", name)
		}
	}
	if len(got.Files) > 0 {
		t.Errorf("more units: %v", got.Files)
	}
	var notes []string
	for _, n := range got.Notes {
		words := strings.Fields(n.Text)
		notes = append(notes, n.Ref.Short()+": "+strings.Join(words[:min(4, len(words))], " "))
	}
	want := []string{
		"container/web: ${container/db.address}: its value is", "container/web: that it is blessed:",
		"container/db: at most 3 restarts:",
		"container/job: subPath in of the", "container/off: that it is stopped:",
		"secret/one: its values; it has", "secret/two: its values; it has",
	}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Errorf("notes: -want +got:\n%s", diff)
	}
}

// TestServices: plain units start the pods, and the containers that are in none, in the order of
// their dependencies.
func TestServices(t *testing.T) {
	t.Parallel()
	all := boot(t)
	all[2].DependsOn = []resource.Ref{at(schema.Container, "db")}
	got := services("shop", all)
	var names []string
	for _, name := range []string{"web.service", "db.service", "jobs-pod.service", "job.service", "off.service"} {
		if _, ok := got.Files[name]; ok {
			names = append(names, name)
		}
	}
	if diff := cmp.Diff([]string{"web.service", "db.service", "jobs-pod.service"},
		names); diff != "" || len(got.Files) != 3 {
		t.Errorf("units: -want +got:\n%s", diff)
	}
	for name, lines := range map[string][]string{
		"web.service":      {"After=db.service", "ExecStart=/usr/bin/podman start web", "ExecStop=/usr/bin/podman stop web"},
		"jobs-pod.service": {"After=db.service", "ExecStart=/usr/bin/podman pod start jobs"},
	} {
		for _, line := range lines {
			if !strings.Contains(got.Files[name], line+"\n") {
				t.Errorf("%s has no line %s:\n%s", name, line, got.Files[name])
			}
		}
	}
}

// TestTheGeneratorTakesTheUnits: Podman's own generator makes a service of each unit. OVI_QUADLET is
// its program: `make quadlet` builds one.
func TestTheGeneratorTakesTheUnits(t *testing.T) {
	generator := os.Getenv("OVI_QUADLET")
	if generator == "" {
		t.Skip("no generator: run `make quadlet`")
	}
	dir := t.TempDir()
	units := quadlets("shop", boot(t)).Files
	for name, content := range units {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(generator, "-dryrun")
	cmd.Env = append(os.Environ(), "QUADLET_UNIT_DIRS="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := string(out)
	for _, want := range []string{
		"---web.service---", "---db.service---", "---job.service---", "---off.service---", "---jobs-pod.service---",
		"---back-network.service---", "---data-volume.service---",
		`--entrypoint "[\"/bin/serve\",\"-x\"]"`, `--env "PRICE=5\x20$$\x20or\x2010%%"`, "--user 10:20", "--network back ",
		"--network front", `nginx:1.27 80 "a\x20b"`,
		"-v data:/data", "--pod jobs", "--opt mtu=1400", `--label "team=a\x20b"`, "--memory 512m",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the generator does not print %q", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}
