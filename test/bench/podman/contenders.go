package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// versionOf is the version of one container: only the first has the one that changes.
func versionOf(i int, version string) string {
	if i == 0 {
		return version
	}
	return "1"
}

func nameOf(i int) string { return fmt.Sprintf("ovibench-%02d", i) }

// command runs a program; its error has the last line that it printed.
func command(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", filepath.Base(name), strings.Join(args, " "), err,
			text[strings.LastIndexByte(text, '\n')+1:])
	}
	return text, nil
}

// running gives since when each container runs, by its ID.
func running() (map[string]string, error) {
	text, err := command("podman", "ps", "--no-trunc", "--format", "{{.ID}} {{.StartedAt}}")
	out := map[string]string{}
	for line := range strings.Lines(text) {
		id, since, _ := strings.Cut(strings.TrimSpace(line), " ")
		out[id] = since
	}
	return out, err
}

// oviChart is a chart with a manifest for each container.
type oviChart struct {
	bin, dir, image, host string
	n                     int
}

func (c *oviChart) name() string  { return "ovi apply" }
func (c *oviChart) chart() string { return filepath.Join(c.dir, "ovibench") }

func (c *oviChart) write(version string) error {
	var b strings.Builder
	for i := range c.n {
		fmt.Fprintf(&b, "---\napiVersion: cutepod/v1alpha0\nkind: CuteContainer\nmetadata: {name: %s}\nspec:\n"+
			"  image: %s\n  imagePullPolicy: Never\n  args: [web]\n  env: [{name: VERSION, value: %q}]\n", nameOf(i), c.image,
			versionOf(i, version))
	}
	templates := filepath.Join(c.chart(), "templates")
	return errors.Join(os.MkdirAll(templates, 0o700),
		os.WriteFile(filepath.Join(c.chart(), "Chart.yaml"), []byte("name: ovibench\nversion: 1.0.0\n"), 0o600),
		os.WriteFile(filepath.Join(templates, "apps.yaml"), []byte(b.String()), 0o600))
}

func (c *oviChart) apply() error {
	_, err := command(c.bin, "apply", c.chart(), "--auto-approve", "--quiet", "--podman-host", c.host)
	return err
}

func (c *oviChart) remove() error {
	return errors.Join(removeAll(c.n), os.RemoveAll(filepath.Join(c.dir, ".ovi-ovibench")))
}

// kubePlay is a file of pods. It can only be played again with --replace, which removes all of them
// and creates them again.
type kubePlay struct {
	dir, image string
	n          int
	played     bool
}

func (k *kubePlay) name() string { return "podman kube play" }
func (k *kubePlay) file() string { return filepath.Join(k.dir, "pods.yaml") }

func (k *kubePlay) write(version string) error {
	var b strings.Builder
	for i := range k.n {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec:\n  containers:\n"+
			"  - name: app\n    image: %s\n    imagePullPolicy: Never\n    args: [web]\n    env: [{name: VERSION, value: %q}]\n",
			nameOf(i), k.image, versionOf(i, version))
	}
	return os.WriteFile(k.file(), []byte(b.String()), 0o600)
}

func (k *kubePlay) apply() error {
	args := []string{"kube", "play", "--quiet"}
	if k.played {
		args = append(args, "--replace")
	}
	k.played = true
	_, err := command("podman", append(args, k.file())...)
	return err
}

func (k *kubePlay) remove() error {
	k.played = false
	args := []string{"pod", "rm", "--force", "--time", "0"}
	for i := range k.n {
		args = append(args, nameOf(i))
	}
	_, err := command("podman", args...)
	return err
}

// loop is what people write in a shell: what exists is left, and what its writer knows to have
// changed is removed and created again.
type loop struct {
	image   string
	n       int
	version string
	changed bool
}

func (l *loop) name() string { return "a loop of podman run" }

func (l *loop) write(version string) error {
	l.changed, l.version = l.version != "" && l.version != version, version
	return nil
}

func (l *loop) apply() error {
	for i := range l.n {
		if l.changed && i == 0 {
			if _, err := command("podman", "rm", "--force", nameOf(i)); err != nil {
				return err
			}
		} else if _, err := command("podman", "container", "exists", nameOf(i)); err == nil {
			continue
		}
		if _, err := command("podman", "run", "--detach", "--name", nameOf(i), "--env", "VERSION="+versionOf(i, l.version),
			l.image, "web"); err != nil {
			return err
		}
	}
	return nil
}

func (l *loop) remove() error {
	l.version = ""
	return removeAll(l.n)
}

func removeAll(n int) error {
	args := []string{"rm", "--force", "--time", "0"}
	for i := range n {
		args = append(args, nameOf(i))
	}
	_, err := command("podman", args...)
	return err
}
