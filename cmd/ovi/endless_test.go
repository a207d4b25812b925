package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAnEndlessFileEndsEachReading: an endless device stands for each file whose name a variable, an option or a
// link of someone else can replace. The command ends within its memory, and the error says that the file is too large.
func TestAnEndlessFileEndsEachReading(t *testing.T) {
	t.Parallel()
	const zero = "/dev/zero"
	dir := t.TempDir()
	writeConfig(t, dir, machines("web"))
	must(t, dir, "apply", "--sandbox", "--auto-approve", "--quiet")
	for name, args := range map[string][]string{
		"OVI_LOG_KEY_FILE=" + zero:                                              {"plan", "--sandbox"},
		"OVI_TRUSTED_KEYS_FILE=" + zero:                                         {"plan", "--sandbox"},
		"OVI_SIGNERS_FILE=" + zero:                                              {"plan", "--sandbox"},
		"OVI_STORE_PASSWORD_FILE=" + zero:                                       {"plan", "--sandbox", "--store", "etcd://127.0.0.1:1/x"},
		"OVI_STORE=etcd://127.0.0.1:1/x?password-file=" + zero:                  {"plan", "--sandbox"},
		"OVI_STORE=etcd://127.0.0.1:1/x?tls=true&ca=" + zero:                    {"plan", "--sandbox"},
		"OVI_STORE=etcd://127.0.0.1:1/x?tls=true&cert=" + zero + "&key=" + zero: {"plan", "--sandbox"},
		"A=1":  {"run", "--sandbox", "--auto-approve", "--listen", "0.0.0.0:0", "--tls-cert", zero, "--tls-key", zero, "--token-file", zero},
		"A=2":  {"run", "--sandbox", "--auto-approve", "--webhook-key-file", zero, "--webhook", "https://127.0.0.1:1"},
		"A=4":  {"plan", "-f", zero},
		"A=6":  {"edge", "node", "--name", "berlin/n1", "--token-file", zero, "--data-dir", "node"},
		"A=9":  {"adopt", "--sandbox", "--ids", zero},
		"A=10": {"signer", "add", "eve", zero},
	} {
		t.Run(strings.Join(append([]string{name}, args...), " "), func(t *testing.T) {
			cmd := ovi(t, dir, args...)
			cmd = exec.Command("sh", append([]string{"-c", `ulimit -v 3000000; exec timeout -s KILL 20 "$0" "$@"`, cmd.Path}, args...)...)
			cmd.Dir, cmd.Env = dir, append(ovi(t, dir).Env, name, "GOMEMLIMIT=400MiB")
			out, err := cmd.CombinedOutput()
			if text := unwrapped(string(out)); err == nil || exitText(err) != "1" && exitText(err) != "2" || !strings.Contains(text, " larger than ") {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
	linked := filepath.Join(dir, "linked")
	if err := os.Mkdir(linked, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ovi.yaml", "Chart.yaml", "ovi.lock", "site.yaml", "docker-compose.yml", "values.yaml"} {
		if err := os.Symlink(zero, filepath.Join(linked, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range []string{"plan", "validate", "config show"} {
		cmd := ovi(t, linked, append(strings.Fields(command), ".")...)
		out, err := cmd.CombinedOutput()
		if err == nil || exitText(err) != "1" && exitText(err) != "2" {
			t.Errorf("ovi %s in a folder of endless links: %v\n%s", command, err, out)
		}
	}
}

// TestAPipeWithoutAWriterEndsEachReading: a pipe stands for each file, and no command waits for its other end.
func TestAPipeWithoutAWriterEndsEachReading(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out, err := exec.Command("mkfifo", filepath.Join(dir, "pipe")).CombinedOutput(); err != nil {
		t.Skipf("mkfifo: %v\n%s", err, out)
	}
	for name, to := range map[string]string{"a.yaml": "pipe", "a.db": "pipe", "a.plan": "pipe", "ovi.lock": "pipe"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{
		"validate a.yaml", "validate a.db", "plan -f a.yaml", "apply --auto-approve a.plan", "apply --auto-approve pipe", "approve a.plan",
		"show a.plan", "config show pipe", "import compose a.yaml", "import terraform pipe", "policy require a.yaml", "policy test a.plan",
		"adopt --ids pipe", "signer add eve pipe", "export quadlet pipe", "plan --out a.plan", "validate --data-dir pipe a.yaml",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		cmd := ovi(t, dir, strings.Fields(line)...)
		cmd = exec.CommandContext(ctx, cmd.Path, cmd.Args[1:]...)
		cmd.Dir, cmd.Env = dir, ovi(t, dir).Env
		out, err := cmd.CombinedOutput()
		cancel()
		if err == nil || exitText(err) != "1" || !strings.Contains(string(out), "Error: ") {
			t.Errorf("ovi %s: %v\n%s", line, err, out)
		}
	}
}
