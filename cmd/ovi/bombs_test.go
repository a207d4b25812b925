package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// bombText is a template whose rendering takes all of its budget.
const bombText = `{{range until 1000000}}{{$x := derivePassword 1 "long" "a" "b" "c"}}{{end}}`

// chartIn writes a chart with one template.
func chartIn(t *testing.T, dir, chart, template string) {
	t.Helper()
	for name, text := range map[string]string{"Chart.yaml": "name: " + chart + "\nversion: 0.1.0\n", "templates/x.yaml": template} {
		name = filepath.Join(dir, chart, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAnInterruptEndsARendering sends SIGINT while a chart renders that uses up its budget otherwise. The values come
// through a pipe, so that the test knows when the rendering starts. Without the interrupt the exit code is 1.
func TestAnInterruptEndsARendering(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"validate", "plan", "apply"} {
		t.Run(command, func(t *testing.T) {
			dir := t.TempDir()
			chartIn(t, dir, "bomb", bombText)
			values := filepath.Join(dir, "values.pipe")
			if err := syscall.Mkfifo(values, 0o600); err != nil {
				t.Fatal(err)
			}
			w, err := os.OpenFile(values, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			var out bytes.Buffer
			cmd := ovi(t, dir, command, "bomb", "--values", values)
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			eventually(t, "ovi reads the values", func() bool { return len(ended) > 0 || hasOpen(cmd, values) })
			if _, err := w.WriteString("a: 1\n"); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err == nil || exitText(err) != "130" {
				t.Errorf("%v, not 130\n%s", err, out.String())
			}
		})
	}
}

// hasOpen reports whether a process has opened a file.
func hasOpen(cmd *exec.Cmd, file string) bool {
	folder := filepath.Join("/proc", strconv.Itoa(cmd.Process.Pid), "fd")
	all, err := fs.ReadDir(os.DirFS(folder), ".")
	for _, e := range all {
		if to, bad := os.Readlink(filepath.Join(folder, e.Name())); err == nil && bad == nil && to == file {
			return true
		}
	}
	return false
}

// TestABombEndsNoOtherStack runs two charts on a host without Podman. A template of one becomes one that uses up its
// budget in each cycle. The other chart is read again meanwhile, and an interrupt ends both.
func TestABombEndsNoOtherStack(t *testing.T) {
	t.Parallel()
	dir, i := t.TempDir(), &instance{name: "ovi run"}
	network := func(name string) string {
		return "---\napiVersion: cutepod/v1alpha0\nkind: CuteNetwork\nmetadata: {name: " + name + "}\nspec: {}\n"
	}
	chartIn(t, dir, "good", network("a"))
	chartIn(t, dir, "bomb", network("b"))
	i.cmd = ovi(t, dir, "run", "--auto-approve", "--interval", "1s", "good", "bomb")
	i.cmd.Env = append(i.cmd.Env, "CONTAINER_HOST=unix://"+filepath.Join(dir, "none.sock"))
	i.cmd.Stdout, i.cmd.Stderr = i, i
	if err := i.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = i.cmd.Process.Kill() })
	says := func(what string) {
		t.Helper()
		eventually(t, what, func() bool { return strings.Contains(unwrapped(i.said()), what) })
	}
	says("good (start")
	chartIn(t, dir, "bomb", bombText)
	says("more than its budget")
	for n := 2; n <= 3; n++ {
		chartIn(t, dir, "good", network("a")+network("a2")+strings.Repeat(network("a3"), n-2))
		says(strconv.Itoa(n) + " not evaluated")
	}
	if err := i.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := i.cmd.Wait(); err != nil || !strings.Contains(i.said(), "Stopped.") {
		t.Errorf("%v\n%s", err, i.said())
	}
}
