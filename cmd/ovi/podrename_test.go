package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestRenamesInAChart: on a real Podman, `metadata.was`, `moved` and `removed` of a chart keep the containers, over two
// names and where a former name is used again. What is misspelled, or left next to its old manifest, changes nothing.
func TestRenamesInAChart(t *testing.T) {
	s := newPod(t)
	write := func(file, text string) {
		if err := os.WriteFile(filepath.Join(s.dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(s.dir, "templates"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("values.yaml", "{}\n")
	names := func() string {
		return strings.ReplaceAll(s.host.Podman(t, "ps", "-a", "--no-trunc", "--format", "{{.ID}} {{.Names}}", "--sort", "names"), "\n", ", ")
	}
	// containers are the manifests of "a", or of "b<a" with the former name a; "a:1" publishes the second port.
	containers := func(all string) string {
		text := "apiVersion: cutepod/v1alpha0\nkind: CuteNetwork\nmetadata: {name: lan}\n"
		for name := range strings.FieldsSeq(all) {
			name, at, published := strings.Cut(name, ":")
			name, was, renamed := strings.Cut(name, "<")
			ports := ""
			if published {
				n, err := strconv.Atoi(at)
				if err != nil {
					t.Fatal(err)
				}
				ports = fmt.Sprintf(", ports: [{containerPort: 80, hostPort: %d}]", s.port+n)
			}
			if renamed {
				was = ", was: " + was
			}
			text += fmt.Sprintf("---\napiVersion: cutepod/v1alpha0\nkind: CuteContainer\nmetadata: {name: %s%s}\n"+
				"spec: {image: 'localhost/app:1', networks: [lan]%s}\n", name, was, ports)
		}
		return text
	}
	apply := func(code int, top, all, want string) {
		t.Helper()
		write("Chart.yaml", "name: shop\nversion: 1.0.0\n"+top)
		write("templates/all.yaml", containers(all))
		if out := s.run(code, "apply", "--auto-approve"); !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("%s, %s: want %q\n%s", all, top, want, out)
		}
	}
	apply(0, "", "a:0 x:1", "3 created")
	a, x, _ := strings.Cut(names(), ", ")
	a, x = strings.TrimSuffix(a, " a"), strings.TrimSuffix(x, " x")
	left := func(what string, want ...string) {
		t.Helper()
		if got := names(); !strings.HasPrefix(got+", ", strings.Join(want, ", ")+", ") {
			t.Errorf("%s: the containers are %s, want %s", what, got, strings.Join(want, ", "))
		}
	}
	apply(0, "", "b<a:0 x:1", "1 updated, 2 unchanged")
	left("a former name", a+" b", x+" x")
	apply(7, "", "b<a:0 y<xx:1", "no resource has the former name container/xx, and container/x is no longer configured")
	apply(7, "", "b<a:0 x:1 y<x", "container/x is the former name of container/y, and is still configured")
	left("misspelled, or left", a+" b", x+" x")
	apply(0, "", "c<b:0 x:1", "1 updated, 2 unchanged")
	apply(0, "moved: [{from: container/c, to: container/d}, {from: container/d, to: container/e}]\n", "e:0 x:1", "1 updated, 2 unchanged")
	left("over two names", a+" e", x+" x")
	apply(7, "removed: [{ref: container/xx, keep: true}]\n", "e:0", "no resource has the name container/xx of an entry of `removed`")
	apply(0, "removed: [{ref: container/x, keep: true}]\n", "e:0", "1 forgotten, 2 unchanged")
	left("kept", a+" e", x+" x")
	apply(4, "", "e:0 a:0", "is also published by container/a")
	left("a port that its former owner keeps", a+" e", x+" x")
	apply(6, "", "e:0 a:1", "belongs to container/x")
	left("a port of a container that stays", a+" e", x+" x")
	apply(0, "", "e:0 a", "1 created, 2 unchanged")
	if got := names(); !strings.Contains(got, a+" e") || strings.Count(got, ", ") != 2 {
		t.Errorf("a name that is used again: %s", got)
	}
}

// TestAnExportHasTheNamesOfTheHost: Podman cannot rename a volume. A unit for one that was renamed in the chart has the
// name on the host: under the new one, a database would start empty.
func TestAnExportHasTheNamesOfTheHost(t *testing.T) {
	s := newPod(t)
	chart := func(container, volume string) {
		t.Helper()
		name, _, _ := strings.Cut(volume, ",")
		err := os.MkdirAll(filepath.Join(s.dir, "shop", "templates"), 0o700)
		for file, text := range map[string]string{
			"Chart.yaml": "name: shop\nversion: 1.0.0\n", "values.yaml": "{}\n",
			"templates/all.yaml": "apiVersion: cutepod/v1alpha0\nkind: CuteVolume\nmetadata: {name: " + volume + "}\n---\n" +
				"apiVersion: cutepod/v1alpha0\nkind: CuteContainer\nmetadata: {name: " + container + "}\n" +
				"spec: {image: 'localhost/app:1', volumes: [{name: " + name + ", mountPath: /data}]}\n",
		} {
			if err == nil {
				err = os.WriteFile(filepath.Join(s.dir, "shop", file), []byte(text), 0o600)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	exported := func(form, file string, want ...string) {
		t.Helper()
		out := form + "-" + file
		s.run(0, "export", form, "shop", "--out", out)
		text, err := os.ReadFile(filepath.Join(s.dir, out, file))
		for _, line := range want {
			if err != nil || !strings.Contains("\n"+string(text), "\n"+line+"\n") {
				t.Errorf("%s has no %s, %v:\n%s", out, line, err, text)
			}
		}
	}
	chart("db", "data")
	exported("quadlet", "data.volume", "VolumeName=data") // nothing was applied
	s.run(0, "apply", "shop", "--auto-approve")
	chart("postgres, was: db", "store, was: data")
	s.run(0, "apply", "shop", "--auto-approve")
	if all := s.host.Podman(t, "volume", "ls", "-q"); strings.Contains(all, "store") {
		t.Fatalf("the volumes are %s", all)
	}
	if err := os.RemoveAll(filepath.Join(s.dir, "quadlet-data.volume")); err != nil {
		t.Fatal(err)
	}
	exported("quadlet", "data.volume", "VolumeName=data")
	exported("quadlet", "postgres.container", "ContainerName=postgres", "Volume=data.volume:/data")
	exported("systemd", "postgres.service", "ExecStart=/usr/bin/podman start postgres")
	chart("postgres, labels: {tier: data}", "store") // its container is replaced, the volume stays
	for _, args := range [][]string{{"install", "shop", "--dry-run", "--output", "json"}, {"install", "shop", "--output", "json"}} {
		if out := s.run(0, args...); !strings.Contains(out, "data:/data") || strings.Contains(out, "store:/data") {
			t.Errorf("ovi %s has the commands\n%s", strings.Join(args, " "), out)
		}
	}
}
