package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/podmantest"
)

// filesWith finds files of a folder that contain a text.
func filesWith(t *testing.T, dir, text string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(text)) {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const leaking = `version: v1
provider: podman
stack: shop
resources:
  - {type: secret, name: password, data: {PASSWORD: "${env:SHOP_PASSWORD}"}}
  - type: container
    name: web
    image: ` + podmantest.Image + `
    secrets: [{name: password}]
    command: [sh, -c, 'echo "$(cat /run/secrets/password) is wrong"; exit 3']
`

// TestSecretsThatProgramsPrintAreNotRecorded: neither on the screen nor in the data directory.
func TestSecretsThatProgramsPrintAreNotRecorded(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs containers")
	}
	const plain = "fake-tr0ub4dor-and-3"
	t.Setenv("SHOP_PASSWORD", plain)
	s := newPod(t)
	writeConfig(t, s.dir, leaking)
	said := s.run(3, "apply", "--auto-approve")
	if !strings.Contains(strings.Join(strings.Fields(said), " "), "exited with 3: (1 line is not shown: the container has a secret)") {
		t.Errorf("it does not tell that the program printed a line:\n%s", said)
	}
	for _, command := range []string{"why", "history"} {
		said += s.run(0, command, "container/web")
	}
	if strings.Contains(said, plain) {
		t.Errorf("the screen shows the secret:\n%s", said)
	}
	found := slices.DeleteFunc(filesWith(t, filepath.Join(s.dir, ".ovi"), plain), kept)
	if len(found) > 0 {
		t.Errorf("the secret is in %s", found)
	}
}
