package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/internal/gitclone/gittest"
	"github.com/ovi-project/ovi/internal/podmantest"
)

// edgeSite is a site with one node, whose deployments are in Git.
type edgeSite struct {
	t       *testing.T
	host    *podmantest.Host
	repo    *gittest.Repository
	dir     string
	address string
}

func newEdgeSite(t *testing.T) *edgeSite {
	s := &edgeSite{t: t, host: podmantest.Start(t), repo: gittest.New(t), dir: t.TempDir(), address: fmt.Sprintf("127.0.0.1:%d", freePort(t))}
	for _, v := range []string{"1", "2"} {
		s.host.Import(t, "localhost/app:"+v, map[string]string{"www/version": v}, `CMD ["/bin/sh","-c","trap 'exit 0' TERM; echo x >/ok; /bin/idle & wait"]`)
	}
	s.repo.Commit(map[string]string{"deployments/berlin/site.yaml": "nodes: [{name: n1}]\ndeployments: none\n"})
	return s
}

// start starts a process of ovi, and returns what kills it.
func (s *edgeSite) start(args ...string) (kill func()) {
	s.t.Helper()
	cmd := ovi(s.t, s.dir, args...)
	cmd.Env = append(cmd.Env, "OVI_DATA_DIR="+s.data())
	if s.host != nil {
		cmd.Env = append(cmd.Env, "CONTAINER_HOST=unix://"+s.host.Socket)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait()
		if s.t.Failed() {
			s.t.Logf("ovi %s:\n%s", strings.Join(args, " "), out.String())
		}
	})
	s.t.Cleanup(kill)
	return kill
}

func (s *edgeSite) data() string { return filepath.Join(s.dir, "data") }

func (s *edgeSite) orchestrator(more ...string) func() {
	return s.start(append(append([]string{"edge", "lo", "--interval", "1s", "--edge-listen", s.address}, more...), s.repo.URL("deployments/berlin"))...)
}

// central starts a central orchestrator, and gives the options with which that of the site enrolls there.
func (s *edgeSite) central() (dir string, options []string) {
	s.t.Helper()
	dir, address := filepath.Join(s.dir, "central"), fmt.Sprintf("127.0.0.1:%d", freePort(s.t))
	s.start("edge", "co", "--data-dir", dir, "--listen", address)
	s.listens(address)
	file := filepath.Join(s.dir, "site-token")
	if err := os.WriteFile(file, []byte(s.read("edge", "token", "berlin", "--data-dir", dir)), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return dir, []string{"--edge-co", address, "--co-token-file", file}
}

// alarmed uses the token of the node again: that is refused, an alert of the orchestrator, and on record there and
// at the central one.
func (s *edgeSite) alarmed(central string) {
	s.t.Helper()
	out := s.read("edge", "node", "--data-dir", filepath.Join(s.dir, "thief"), "--name", "berlin/n1", "--lo", s.address, "--token-file", filepath.Join(s.dir, "token"))
	if !strings.Contains(out, "used before") {
		s.t.Errorf("a token a second time:\n%s", out)
	}
	for _, dir := range []string{s.data(), central} {
		got := ""
		eventually(s.t, "the alarm is on record", func() bool {
			got = s.read("edge", "status", "--events", "--data-dir", dir)
			return strings.Contains(strings.Join(strings.Fields(got), " "), "the token of berlin/n1 was used a second time")
		})
	}
	if log := s.read("audit", "log", "--type", "alarmed"); strings.Count(log, "alarm: the token") != 1 {
		s.t.Errorf("the audit log has:\n%s", log)
	}
}

// listens waits until a process listens.
func (s *edgeSite) listens(address string) {
	s.t.Helper()
	eventually(s.t, "the orchestrator listens", func() bool {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	})
}

// statuses waits until an orchestrator has all statuses of the deployment, in order.
func (s *edgeSite) statuses(dir string, want ...string) {
	s.t.Helper()
	wanted, got := strings.Join(want, " "), ""
	defer s.onFailure("the statuses are %s\nwant             %s", &got, &wanted)
	eventually(s.t, "the statuses have come", func() bool {
		out := s.read("edge", "status", "berlin", "--events", "--output", "json", "--data-dir", dir)
		var all []string
		for _, m := range regexp.MustCompile(`"to":"(\w+)"`).FindAllStringSubmatch(out, -1) {
			all = append(all, m[1])
		}
		got = strings.Join(all, " ")
		return got == wanted
	})
}

// node starts the node, which has enrolled.
func (s *edgeSite) node(more ...string) func() {
	return s.start(append([]string{
		"edge", "node", "--data-dir", filepath.Join(s.dir, "node"), "--name", "berlin/n1", "--lo", s.address, "--beat", "1s", "--podman-host", "unix://" + s.host.Socket,
	}, more...)...)
}

// enroll starts the node with a token, once the orchestrator listens.
func (s *edgeSite) enroll() func() {
	s.t.Helper()
	s.listens(s.address)
	file := filepath.Join(s.dir, "token")
	if err := os.WriteFile(file, []byte(s.read("edge", "token", "berlin/n1")), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return s.node("--token-file", file)
}

// until waits until the containers of the host are as described, a line each: NAME IMAGE.
func (s *edgeSite) until(want string) {
	s.t.Helper()
	got := ""
	defer s.onFailure("the containers are:\n%s\nwant:\n%s", &got, &want)
	eventually(s.t, "the containers are as described", func() bool {
		got, _ = s.host.Try("", "ps", "-a", "--format", "{{.Names}} {{.Image}}")
		return got == want
	})
}

// healthy waits until the record says that the deployment is healthy with a version.
func (s *edgeSite) healthy(version string) {
	s.t.Helper()
	out := ""
	defer s.onFailure("version %s is not healthy:\n%s", &version, &out)
	eventually(s.t, "the version is healthy", func() bool {
		out = s.read("status", "--output", "json")
		return strings.Contains(out, `"health":"healthy"`) && strings.Contains(out, `"version":"`+version+`"`)
	})
}

func (s *edgeSite) read(args ...string) string {
	s.t.Helper()
	cmd := ovi(s.t, s.dir, args...)
	cmd.Env = append(cmd.Env, "OVI_DATA_DIR="+s.data())
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return string(out)
}

// app is the file of a deployment, whose health check finds what the program wrote when it started.
func app(version string) string {
	return fmt.Sprintf("id: app1\nversion: %q\nimage: localhost/app:%s\nnodes: all\nhealth_check: {command: [/bin/test, -e, /ok], interval: 1, retries: 3}\n", version, version)
}

// TestTheFiveScenariosOfTheEdge: a new deployment is installed, a new version updates it, a crashed node
// gets it again, an unhealthy one is restarted, and one that is deleted in Git is deleted. Nothing is done twice.
func TestTheFiveScenariosOfTheEdge(t *testing.T) {
	s := newEdgeSite(t)
	central, options := s.central()
	s.orchestrator(options...)
	killNode := s.enroll()

	file := "deployments/berlin/app1.yaml"
	s.repo.Commit(map[string]string{file: app("1"), "deployments/berlin/site.yaml": "nodes: [{name: n1}]\n"})
	s.until("ovi-app1 localhost/app:1")
	s.healthy("1")

	s.repo.Commit(map[string]string{file: app("2")})
	s.until("ovi-app1 localhost/app:2")
	s.healthy("2")

	killNode() // and all that ran on it
	s.host.Podman(t, "rm", "-f", "-t", "0", "ovi-app1")
	killNode = s.node()
	s.until("ovi-app1 localhost/app:2")
	s.healthy("2")

	s.host.Podman(t, "exec", "ovi-app1", "/bin/rm", "-f", "/ok")
	s.restarted()

	s.repo.Commit(map[string]string{file: "", "deployments/berlin/site.yaml": "nodes: [{name: n1}]\ndeployments: none\n"})
	s.until("")
	statuses := []string{"pending", "installing", "installed", "installing", "installed", "deleted", "pending", "installing", "installed", "failed", "restarted", "deleted"}
	s.statuses(s.data(), statuses...)
	s.statuses(central, statuses...)
	if out := s.read("edge", "status", "--data-dir", central); !regexp.MustCompile(`berlin/n1 +app1 +deleted +2 `).MatchString(out) {
		t.Errorf("ovi edge status shows:\n%s", out)
	}
	s.alarmed(central)
	killNode()

	s.started("missing", "restarts", "deleted_outside", "state", "unwanted")
}

// started checks why the actions on record were started, in order: each of them once.
func (s *edgeSite) started(reasons ...string) {
	s.t.Helper()
	log := s.read("audit", "log", "--type", "started", "--output", "json")
	var got []string
	for _, m := range regexp.MustCompile(`"reason":"(\w+)"`).FindAllStringSubmatch(log, -1) {
		got = append(got, m[1])
	}
	if diff := cmp.Diff(reasons, got); diff != "" {
		s.t.Errorf("the actions that were started (-want +got):\n%s", diff)
	}
}

// TestAnOrchestratorDerivesEverythingAgain: a new one deploys what Git has already, finds a container that was
// stopped by hand, and after kill -9 goes on without sending anything twice.
func TestAnOrchestratorDerivesEverythingAgain(t *testing.T) {
	s := newEdgeSite(t)
	file := "deployments/berlin/app1.yaml"
	s.repo.Commit(map[string]string{file: app("1"), "deployments/berlin/site.yaml": "nodes: [{name: n1}]\n"})
	kill := s.orchestrator()
	s.enroll()
	s.until("ovi-app1 localhost/app:1")
	s.healthy("1")

	id := s.host.Podman(t, "inspect", "-f", "{{.Id}}", "ovi-app1")
	s.host.Podman(t, "stop", "-t", "0", "ovi-app1")
	s.inspected("{{.State.Running}}", func(running string) bool { return running == "true" })
	s.healthy("1")

	kill()
	s.orchestrator()
	s.repo.Commit(map[string]string{"deployments/paris/app.yaml": app("1")}) // of another site
	s.repo.Commit(map[string]string{file: app("1") + "env: {CHANGED: \"1\"}\n"})
	s.inspected("{{.Id}}", func(now string) bool { return now != id })
	s.healthy("1")
	s.until("ovi-app1 localhost/app:1")
	s.started("missing", "state", "restarts")
}

// inspected waits until the container of the deployment exists and is as it is to be.
func (s *edgeSite) inspected(format string, ok func(string) bool) {
	s.t.Helper()
	got := ""
	defer s.onFailure("%s of the container is %s", &format, &got)
	eventually(s.t, "the container is as it is to be", func() bool {
		out, err := s.host.Try("", "inspect", "-f", format, "ovi-app1")
		got = out
		return err == nil && ok(got)
	})
}

// restarted waits until the program has started again.
func (s *edgeSite) restarted() {
	s.t.Helper()
	eventually(s.t, "its program started again", func() bool {
		_, err := s.host.Try("", "exec", "ovi-app1", "/bin/test", "-e", "/ok")
		return err == nil
	})
	s.healthy("2")
}

// onFailure tells what a wait that failed saw last.
func (s *edgeSite) onFailure(format string, what ...*string) {
	if !s.t.Failed() {
		return
	}
	texts := make([]any, len(what))
	for i, t := range what {
		texts[i] = *t
	}
	s.t.Logf(format, texts...)
}
