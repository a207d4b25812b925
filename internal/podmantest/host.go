package podmantest

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/needs"
)

// Image is the image of busybox that every host has. It runs idle, sets FROM_IMAGE=yes, and can
// do what Applets lists, and serve.
const Image = "localhost/bb:1"

// startWait is how long the service may take to answer, and one command of Podman's to end.
const startWait = time.Minute

// program is the variable of the environment that names another Podman than the machine's own.
const program = "OVI_TEST_PODMAN"

// Host is a Podman of its own.
type Host struct {
	Dir      string // configuration and storage
	Socket   string // of the REST service
	Registry string // host:port of a registry that accepts pushes
	bin      string
	cmd      *exec.Cmd
	slot     *slot
}

// Start gives a running Podman without any container, pod, volume, secret or network of its own,
// until the test ends. With -short the test is skipped.
func Start(t testing.TB) *Host {
	t.Helper()
	if testing.Short() {
		t.Skip("it runs containers, which takes long")
	}
	needs.Root(t, "Podman")
	bin := cmp.Or(os.Getenv(program), needs.Program(t, "podman"))
	for _, name := range []string{"runc", "iptables", "catatonit"} {
		needs.Program(t, name)
	}
	s := takeSlot(t, filepath.Base(bin))
	h := &Host{Dir: s.dir, Socket: filepath.Join(s.dir, "podman.sock"), bin: bin, slot: s}
	h.Registry = serveRegistry(t)
	h.configure(t)
	if err := os.WriteFile(s.running(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h.Serve(t)
	h.Reset(t)
	h.importImage(t)
	t.Cleanup(func() {
		h.Reset(t)
		h.Kill()
		h.slot.release()
	})
	return h
}

// Env is the environment in which Podman's command uses this host.
func (h *Host) Env() []string {
	var out []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "CONTAINER") {
			out = append(out, kv)
		}
	}
	if os.Getenv(program) != "" {
		out = append(out, "CONTAINERS_CONF_OVERRIDE="+h.file("override.conf"))
	}
	return append(out, "CONTAINERS_CONF="+h.file("containers.conf"), "CONTAINERS_STORAGE_CONF="+h.file("storage.conf"),
		"CONTAINERS_REGISTRIES_CONF="+h.file("registries.conf"), "PODMAN_IGNORE_CGROUPSV1_WARNING=1")
}

// network is the default network, which stays.
func (h *Host) network() string { return "ovi-" + itoa(h.slot.n) }

func (h *Host) file(name string) string { return filepath.Join(h.Dir, name) }

// Podman runs Podman's command on the host, without the service, and returns what it prints.
func (h *Host) Podman(t testing.TB, args ...string) string {
	t.Helper()
	out, err := h.Try("", args...)
	if err != nil {
		t.Fatalf("podman %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// Read runs a program in a container and returns what it prints, which is something: Podman's exec can lose
// what a short program prints on a busy host, so it is asked again.
func (h *Host) Read(t testing.TB, container string, program ...string) string {
	t.Helper()
	for range 5 {
		if out := h.Podman(t, append([]string{"exec", container}, program...)...); out != "" {
			return out
		}
	}
	t.Fatalf("%s in %s prints nothing", strings.Join(program, " "), container)
	return ""
}

const (
	// lostExit is how Podman 4's exec fails on a busy host when it has lost the exit code of a program that ran.
	lostExit = "unable to find event"
	// improper is how Podman fails to stop a container that ends at the same moment.
	improper = "container state improper"
)

// Try runs Podman's command with an input; one that fails is an error with what it prints. A program in a container
// whose exit code Podman loses is run again, and a container that ends while it is removed or inspected is removed or
// inspected again.
func (h *Host) Try(stdin string, args ...string) (out string, err error) {
	for range 5 {
		out, err = h.try(stdin, args...)
		lost := args[0] == "exec" && strings.Contains(out, lostExit)
		ended := slices.Contains(args, "rm") && args[0] != "exec" && strings.Contains(out, improper)
		looked := slices.Contains(args, "inspect") && strings.Contains(out, "/proc/")
		if err == nil || !lost && !ended && !looked {
			break
		}
	}
	return out, err
}

func (h *Host) try(stdin string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.bin, args...)
	cmd.Env, cmd.Stdin = h.Env(), strings.NewReader(stdin)
	// What a container leaves running keeps the pipes open.
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	return strings.TrimSpace(string(out)), err
}

// Before5 reports that it is a Podman 4.
func (h *Host) Before5(t testing.TB) bool {
	t.Helper()
	return strings.HasPrefix(h.Podman(t, "version", "-f", "{{.Client.Version}}"), "4.")
}

// Serve starts the REST service and waits until it answers.
func (h *Host) Serve(t testing.TB) {
	t.Helper()
	_ = os.Remove(h.Socket) // of a service that was killed
	log, err := os.Create(h.file("service.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }() // the service has its own
	h.cmd = exec.Command(h.bin, "system", "service", "--time=0", "unix://"+h.Socket)
	h.cmd.Env, h.cmd.Stdout, h.cmd.Stderr = h.Env(), log, log
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(startWait); !h.answers(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			out, _ := os.ReadFile(h.file("service.log"))
			t.Fatalf("podman system service does not answer: %s", out)
		}
	}
}

// Kill ends the service at once; containers run on.
func (h *Host) Kill() {
	if h.cmd != nil {
		_ = h.cmd.Process.Signal(syscall.SIGKILL)
		_ = h.cmd.Wait()
		h.cmd = nil
	}
}

func (h *Host) answers() bool { return h.call(http.MethodGet, "_ping", nil) == nil }
