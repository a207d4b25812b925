package podmantest

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// recover ends what a test that was killed left running, and lets its Podman find everything
// stopped, as after a restart of the machine: its network and its mounts went with the test.
func (s *slot) recover(t testing.TB) {
	t.Helper()
	if _, err := os.Stat(s.running()); err != nil {
		return // it ended in order
	}
	for _, p := range processes() {
		if !slices.ContainsFunc(p.args, func(arg string) bool { return strings.Contains(arg, s.dir+"/") }) {
			continue
		}
		// The container of a conmon, which ends with its network and DNS.
		if i := slices.Index(p.args, "-p"); i > 0 && i+1 < len(p.args) && strings.HasSuffix(p.args[0], "conmon") {
			if b, err := os.ReadFile(p.args[i+1]); err == nil {
				kill(string(b))
			}
		}
		kill(p.id)
	}
	for _, dir := range []string{"tmp", "run"} {
		if err := os.RemoveAll(filepath.Join(s.dir, dir)); err != nil {
			t.Fatal(err)
		}
	}
	_ = os.Remove(s.running())
}

// running is the file that says that a Podman uses the slot.
func (s *slot) running() string { return filepath.Join(s.dir, "running") }

type process struct {
	id   string
	args []string
}

func processes() (out []process) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && len(b) > 0 { // else it has ended
			out = append(out, process{filepath.Base(filepath.Dir(f)), strings.Split(string(bytes.TrimRight(b, "\x00")), "\x00")})
		}
	}
	return out
}

func kill(id string) {
	if pid, err := strconv.Atoi(strings.TrimSpace(id)); err == nil && pid > 1 && pid != os.Getpid() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
