package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/podmantest"
)

const byHandChart = `kind: CuteNetwork
apiVersion: cutepod/v1alpha0
metadata: {name: back}
---
kind: CuteVolume
apiVersion: cutepod/v1alpha0
metadata: {name: data, labels: {team: shop}}
---
kind: CuteContainer
apiVersion: cutepod/v1alpha0
metadata: {name: db}
spec:
  image: ` + podmantest.Image + `
  env: {LEVEL: info}
  networks: [back]
  volumes: [{name: data, mountPath: /data}]
  restartPolicy: unless-stopped
`

const byHandNative = `version: v1
provider: podman
stack: shop
resources:
  - {type: network, name: back}
  - {type: volume, name: data, labels: {team: shop}}
  - type: container
    name: db
    image: ` + podmantest.Image + `
    env: {LEVEL: info}
    networks: [back]
    volumes: [{name: data, mount_path: /data}]
    restart_policy: unless-stopped
`

// TestWhatWasMadeByHandIsAdoptedAsItIs: nothing is done to it when it is as configured, and a
// difference is found as of what ovi created.
func TestWhatWasMadeByHandIsAdoptedAsItIs(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs containers")
	}
	const plain = "fake-tr0ub4dor-and-3"
	for name, site := range map[string]struct {
		write func(dir string)
		args  []string
	}{
		"a file": {func(dir string) { writeConfig(t, dir, byHandNative) }, nil},
		"a chart": {func(dir string) {
			if err := os.MkdirAll(filepath.Join(dir, "shop", "templates"), 0o755); err != nil {
				t.Fatal(err)
			}
			for file, content := range map[string]string{"Chart.yaml": "name: shop\nversion: 0.1.0\n", "templates/all.yaml": byHandChart} {
				if err := os.WriteFile(filepath.Join(dir, "shop", file), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}, []string{"-f", "shop"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newPod(t)
			site.write(s.dir)
			run := func(want int, command string, args ...string) string {
				return s.run(want, append(append([]string{command}, args...), site.args...)...)
			}
			s.host.Podman(t, "network", "create", "back")
			s.host.Podman(t, "volume", "create", "data")
			if out, err := s.host.Try(plain, "secret", "create", "key", "-"); err != nil {
				t.Fatal(out)
			}
			s.host.Podman(t, "run", "-d", "--name", "db", "--network", "back", "-v", "data:/data", "-e", "LEVEL=info", "--secret", "key,type=env", "--restart", "unless-stopped", podmantest.Image)
			id := s.host.Podman(t, "inspect", "-f", "{{.Id}}", "db")
			for _, ref := range []string{"network/back", "volume/data", "container/db"} {
				run(0, "adopt", ref)
			}
			for range 2 {
				if out := run(0, "apply", "--auto-approve"); !strings.Contains(out, "No changes. 3 unchanged.") {
					t.Errorf("what was adopted changes:\n%s", out)
				}
			}
			if now := s.host.Podman(t, "inspect", "-f", "{{.Id}}", "db"); now != id {
				t.Error("the container was replaced")
			}
			if out := run(0, "history", "container/db"); strings.Contains(out, "outside") || strings.Contains(out, plain) {
				t.Errorf("its history:\n%s", out)
			}
			s.host.Podman(t, "network", "disconnect", "back", "db")
			if out := run(0, "plan"); !strings.Contains(out, "networks") || !strings.Contains(out, "1 to update") {
				t.Errorf("drift of an adopted container is not found:\n%s", out)
			}
			if found := filesWith(t, s.dir, plain); len(found) > 0 {
				t.Errorf("the secret is in %s", found)
			}
		})
	}
}
