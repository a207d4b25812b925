package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/internal/clustertest"
	"github.com/ovi-project/ovi/source/sqlite/sqlitetest"
)

// inShell runs a command in a shell, which reads its exit code, and returns what it printed.
func inShell(t *testing.T, want string, cmd *exec.Cmd) string {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "sh", slices.Concat([]string{"-c", `"$@"; echo "exit code $?"`, "sh", cmd.Path}, cmd.Args[1:])...)
	shell.Dir, shell.Env = cmd.Dir, cmd.Env
	out, err := shell.CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "exit code "+want+"\n") {
		t.Fatalf("%s: %v, want exit code %s:\n%s", strings.Join(cmd.Args[1:], " "), err, want, out)
	}
	return string(out)
}

// realTable is a table of one kind and one k3d cluster on an engine of its own. The nodes are quick fakes; kind,
// k3d and Podman are real.
func realTable(t *testing.T) *clusterSite {
	t.Helper()
	f := &clusterSite{t: t, e: clustertest.Quick(t), dir: t.TempDir(), kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	sqlitetest.Exec(t, f.file(), sqlitetest.Schema(), `INSERT INTO clusters (name, provider, subnet, http_port, https_port) VALUES
		('dev', 'k3d', '10.101.0.0/16', 18090, 18443), ('dev-a', 'kind', NULL, 18093, 18446)`)
	settings := "version: v1\noptions: {cluster: {kind-image: \"" + clustertest.QuickImage + "\", k3d-image: \"" + clustertest.QuickK3sImage + "\"}}\n"
	if err := os.WriteFile(f.file()+".yaml", []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *clusterSite) file() string { return filepath.Join(f.dir, "clusters.db") }

func (f *clusterSite) shell(want string, args ...string) string {
	f.t.Helper()
	if args[0] == "reconcile" {
		args = append(args, "--log-file=log", "--retry-wait=1ms", "--verify-wait=1ms") // twice by default: podman exec may lose the output of kind's
	}
	return inShell(f.t, want, f.command(append([]string{"cluster"}, args...)...))
}

// states are the clusters of the table with their actual_state, and why it is so.
func (f *clusterSite) states() []string {
	f.t.Helper()
	return sqlitetest.Quoted(f.t, f.file(), "SELECT name||' '||actual_state||' '||coalesce(reconcile_error, '-') FROM clusters ORDER BY name")
}

// TestATableOnRealClusters: bootstrap, verify, heal, prune, and what happens while the engine or a program is
// missing: nothing is destroyed, and the exit code and the message say what it is.
func TestATableOnRealClusters(t *testing.T) {
	f := realTable(t)
	f.shell("0", "reconcile", "--from-db", "--require", "kind=1,k3d=1")
	f.shows(f.shell("0", "verify", "--json-summary"), `DB_VERIFY_SUMMARY={"total":2,"missing":0,"drift":0`)
	f.shows(f.shell("0", "consistency"), `"configured":2,"consistent":2`)

	f.e.Podman(t, "stop", "dev-a-control-plane")
	f.shows(f.shell("10", "verify"), "MISSING  dev-a-control-plane is exited")
	sqlitetest.Exec(t, f.file(), "INSERT INTO clusters (name, provider) VALUES ('uat', 'k3d')")
	without := f.command("cluster", "reconcile", "--prune-missing", "--log-file=log", "--verify-attempts=1", "--attempts=1")
	without.Env = append(without.Env, "PATH="+f.only("kind", "podman"))
	f.shows(inShell(t, "1", without), "k3d is missing in PATH", "Suggestion for uat: install k3d")
	if d := cmp.Diff([]string{"dev running -", "dev-a running -", "uat failed nothing was changed: k3d is missing in PATH"}, f.states()); d != "" {
		t.Errorf("without k3d (-want +got):\n%s", d)
	}
	sqlitetest.Exec(t, f.file(), "DELETE FROM clusters WHERE name = 'uat'")
	f.withoutPodman()

	f.e.Kill()
	f.shows(f.shell("12", "reconcile", "--prune-missing", "--prune-present", "--max-prune=100%", "--verify-attempts=1"), "no row was deleted", "cannot reach the container engine")
	if states := f.states(); len(states) != 2 || !strings.HasPrefix(states[0], "dev unknown ") {
		t.Errorf("without the engine: %q", states)
	}
	f.e.Serve(t)
	f.shell("0", "verify")

	sqlitetest.Exec(t, f.file(), "UPDATE clusters SET desired_state = 'absent'")
	f.shows(f.shell("0", "reconcile", "--prune-missing", "--max-prune=100%"), "2 rows deleted")
	if left := f.e.Podman(t, "ps", "-aq"); left != "" || len(f.states()) != 0 {
		t.Errorf("containers %q and rows %q are left", left, f.states())
	}
}

// withoutPodman: the engine answers, and the program of it that kind runs is missing. Nothing is destroyed, and nothing
// started.
func (f *clusterSite) withoutPodman() {
	f.t.Helper()
	sqlitetest.Exec(f.t, f.file(), "UPDATE clusters SET desired_state = 'absent' WHERE name = 'dev-a'", "INSERT INTO clusters (name, provider) VALUES ('dev-b', 'kind')")
	cmd := f.command("cluster", "reconcile", "--prune-missing", "--max-prune=100%", "--log-file=log", "--verify-attempts=1", "--attempts=1")
	cmd.Env = append(cmd.Env, "PATH="+f.only("kind", "k3d"))
	f.shows(inShell(f.t, "1", cmd), "podman is missing in PATH", "Suggestion for dev-b: install podman, which kind runs")
	if left := f.e.Podman(f.t, "ps", "-a", "--format", "{{.Names}}", "--filter", "name=dev-[ab]-"); left != "dev-a-control-plane" {
		f.t.Errorf("without podman: containers %q", left)
	}
	if states := f.states(); len(states) != 3 {
		f.t.Errorf("without podman: rows %q", states)
	}
	sqlitetest.Exec(f.t, f.file(), "UPDATE clusters SET desired_state = 'present' WHERE name = 'dev-a'", "DELETE FROM clusters WHERE name = 'dev-b'")
}

// only is a PATH with some programs alone.
func (f *clusterSite) only(programs ...string) string {
	f.t.Helper()
	dir := f.t.TempDir()
	for _, program := range programs {
		if err := os.Symlink(filepath.Join(f.e.Bin, program), filepath.Join(dir, program)); err != nil {
			f.t.Fatal(err)
		}
	}
	return dir
}
