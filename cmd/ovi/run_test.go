package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/etcdtest"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

const runTTL = 3 * time.Second

// instance is a running `ovi run`.
type instance struct {
	s    *site
	name string
	cmd  *exec.Cmd
	mu   sync.Mutex
	out  bytes.Buffer
}

func (i *instance) Write(b []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.out.Write(b)
}

func (i *instance) said() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.out.String()
}

// keep starts an instance that reconciles the stack until the test ends.
func (s *site) keep(name string, args ...string) *instance {
	s.t.Helper()
	i := &instance{s: s, name: name}
	i.cmd = s.as(name, append([]string{"run", "--sandbox", "--auto-approve", "--interval", "2s", "--claim-ttl", runTTL.String()}, args...)...)
	i.cmd.Env = append(i.cmd.Env, "OVI_SANDBOX_SETTLE=150ms")
	i.cmd.Stdout, i.cmd.Stderr = i, i
	if err := i.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = i.cmd.Process.Kill()
		_ = i.cmd.Wait()
		if s.t.Failed() {
			s.t.Logf("%s said:\n%s", name, i.said())
		}
	})
	return i
}

// cycles counts the cycles of its interval that an instance reported.
func (i *instance) cycles() int { return strings.Count(i.said(), " (interval, ") }

var listenLine = regexp.MustCompile(`Listening on (127\.0\.0\.1:\d+)\.`)

// address is the address of an instance that listens on any port.
func (i *instance) address(t *testing.T) (at string) {
	t.Helper()
	eventually(t, i.name+" listens", func() bool {
		if m := listenLine.FindStringSubmatch(i.said()); m != nil {
			at = m[1]
		}
		return at != ""
	})
	return at
}

// never is when a condition that has not come does not come any more, however busy the machine is.
const never = 15 * time.Minute

// eventually waits until a condition holds, and returns how long that took, to an eighth: many conditions start a process,
// and to ask them all the time would take the time of what they wait for. It has no other limit than never.
func eventually(t *testing.T, what string, so func() bool) time.Duration {
	t.Helper()
	t.Log("until ", what) // read where it never comes
	start := time.Now()
	for !so() {
		if time.Since(start) > never {
			t.Fatalf("not within %s: %s", never, what)
		}
		time.Sleep(min(max(20*time.Millisecond, time.Since(start)/8), 500*time.Millisecond))
	}
	return time.Since(start)
}

var leadLine = regexp.MustCompile(`lead/fleet\s+(\w+)@`)

// leader is the instance that leads the stack; "" if none does.
func (s *site) leader() string {
	out, _ := s.as("eve", "claims").CombinedOutput()
	if m := leadLine.FindSubmatch(out); m != nil {
		return string(m[1])
	}
	return ""
}

// stopInAnAction stops an instance with SIGSTOP during an action, while it does not hold the file
// lock of the sandbox: the others would wait for that lock, which no real provider has.
func (s *site) stopInAnAction(i *instance) {
	s.t.Helper()
	lock, err := os.OpenFile(filepath.Join(s.dir, "cloud", "aws.json.lock"), os.O_RDWR, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	defer lock.Close()
	eventually(s.t, i.name+" stopped in an action, without the lock of the sandbox", func() bool {
		if err := i.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			s.t.Fatal(err)
		}
		s.stopped(i)
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_UN); err != nil {
				s.t.Fatal(err)
			}
			if strings.Contains(s.run("eve", "0", "status", "--sandbox"), ": creating for ") {
				return true
			}
		}
		if err := i.cmd.Process.Signal(syscall.SIGCONT); err != nil {
			s.t.Fatal(err)
		}
		return false
	})
}

// stopped waits until the kernel reports that all threads of an instance are stopped.
func (s *site) stopped(i *instance) {
	s.t.Helper()
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(i.cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil || !status.Stopped():
			s.t.Fatalf("%s was not stopped: %v, %v", i.name, status, err)
		default:
			return
		}
	}
}

// claims reports whether an instance holds a claim.
func (s *site) claims(name string) bool {
	out, err := s.as("eve", "claims").CombinedOutput()
	return err != nil || strings.Contains(string(out), name+"@")
}

// created counts the calls that create instances.
func (s *site) created() int {
	all, err := sandbox.ReadRequests(filepath.Join(s.dir, "cloud", "aws.json"))
	if err != nil {
		return 0
	}
	n := 0
	for what, times := range sandbox.Changes(all) {
		if strings.Contains(what, "RunInstances") {
			n += times
		}
	}
	return n
}

// converged waits until all n resources exist, each once, and a plan has no changes.
func (s *site) converged(n int) {
	s.t.Helper()
	eventually(s.t, "the stack converged", func() bool {
		if s.created() == 0 || s.made() < n {
			return false
		}
		out, err := s.as("eve", "plan", "--sandbox", "--detailed-exitcode").CombinedOutput()
		return err == nil && strings.Contains(string(out), "No changes")
	})
	if got := s.made(); got != n {
		s.t.Errorf("%d resources, want %d", got, n)
	}
}

// TestAnotherTakesTheLead kills the leader with kill -9: another instance takes over, and SIGTERM
// ends that one with 0. The tests of the coordinator check how soon, in a synctest bubble.
func TestAnotherTakesTheLead(t *testing.T) {
	t.Parallel()
	s := newSite(t, fleet(5))
	byName := map[string]*instance{"ann": s.keep("ann"), "bob": s.keep("bob")}
	s.converged(5)
	var first string
	eventually(t, "one leads", func() bool { first = s.leader(); return first != "" })
	other := map[string]string{"ann": "bob", "bob": "ann"}[first]
	if other == "" {
		t.Fatalf("%q leads", first)
	}
	if err := byName[first].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.run("eve", "0", "sandbox", "break", "delete", "ec2/web-1", "--region", "us-east-1")
	took := eventually(t, "another leads", func() bool { return s.leader() == other })
	t.Logf("taken over after %s, the TTL is %s", took.Round(time.Millisecond), runTTL)
	s.converged(5)
	if err := byName[other].cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := byName[other].cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
	if who := s.leader(); who != "" {
		t.Errorf("%s still leads", who)
	}
}

// TestLaw7_OutcomesAreFenced_AfterATakeover pauses the leader during its actions until its claims
// expired: another takes over, late results are recorded as refused, and observing recovers them.
func TestLaw7_OutcomesAreFenced_AfterATakeover(t *testing.T) {
	t.Parallel()
	s := newSite(t, fleet(24))
	ann := s.keep("ann", "--parallelism", "2")
	eventually(t, "the first calls were made", func() bool { return s.created() >= 2 })
	s.stopInAnAction(ann)
	bob := s.keep("bob", "--parallelism", "4")
	eventually(t, "bob leads", func() bool { return s.leader() == "bob" })
	eventually(t, "ann's claims expired", func() bool { return !s.claims("ann") })
	if err := ann.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	s.converged(24)
	eventually(t, "the late result is recorded as refused", func() bool {
		out, _ := s.as("ann", "audit", "log", "--type", "refused").CombinedOutput()
		return strings.Contains(string(out), "claim was lost")
	})
	if !strings.Contains(bob.said(), "recovered: the ") {
		t.Errorf("bob recovered nothing by observing:\n%s", bob.said())
	}
	s.run("ann", "0", "audit", "verify")
	s.run("bob", "0", "audit", "verify")
}

// TestLaw2_RecordBeforeAct_NothingStartsWithoutTheStore kills etcd during the actions: no other
// starts, which is reported, and once etcd is back the stack converges by itself.
func TestLaw2_RecordBeforeAct_NothingStartsWithoutTheStore(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	const all = 20
	s := siteOn(t, etcdtest.Start(t), fleet(all))
	ann := s.keep("ann", "--parallelism", "2", "--listen", "127.0.0.1:0")
	address := ann.address(t)
	eventually(t, "the first calls were made", func() bool { return s.created() >= 2 })
	s.server.Kill()
	// The first that meets it is a heartbeat of the store, or the cycle.
	silent := regexp.MustCompile(`the store does not answer; no action is started|a cycle failed: .*: no answer`)
	eventually(t, "the store is reported", func() bool { return silent.MatchString(unwrapped(ann.said())) })
	// If it cannot be known whether the last record was written, the store is opened again instead of the next cycles.
	failed := func() int {
		text := unwrapped(ann.said())
		return strings.Count(text, "a cycle failed") + strings.Count(text, "no action is started: cannot use the store")
	}
	eventually(t, "the cycle ended", func() bool { return failed() >= 1 })
	because := regexp.MustCompile(`the last cycle failed: fleet: \w+|the data directory is not open: cannot use the store`)
	eventually(t, "the reason is in /readyz", func() bool {
		r, err := http.Get("http://" + address + "/readyz") //nolint:noctx // a test's own process
		if err != nil {
			return false
		}
		defer r.Body.Close()
		b, _ := io.ReadAll(r.Body)
		return r.StatusCode == http.StatusServiceUnavailable && because.Match(b)
	})
	before := s.created()
	eventually(t, "two more cycles failed", func() bool { return failed() >= 3 })
	if after := s.created(); after != before || after >= all {
		t.Errorf("%d calls started without the store, %d in all", after-before, after)
	}
	s.server.Restart(t)
	s.converged(all)
}

// TestListen sends a running loop the requests that others send.
func TestListen(t *testing.T) {
	t.Parallel()
	s := newSite(t, fleet(2))
	token := filepath.Join(s.dir, "token")
	if err := os.WriteFile(token, []byte("not-a-real-token-0123456789\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ann := s.keep("ann", "--listen", "127.0.0.1:0", "--token-file", token, "--interval", "10m", "--claim-ttl", "1m")
	address := ann.address(t)
	ask := func(method, path, bearer string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+bearer)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err.Error()
		}
		defer response.Body.Close()
		b, _ := io.ReadAll(response.Body)
		return response.StatusCode, string(b)
	}
	const good = "not-a-real-token-0123456789"
	eventually(t, "ready", func() bool { code, _ := ask("GET", "/readyz", good); return code == 200 })
	s.converged(2)
	if code, _ := ask("GET", "/metrics", "wrong"); code != http.StatusUnauthorized {
		t.Errorf("a wrong token: %d", code)
	}
	var text string
	eventually(t, "a cycle is counted", func() bool {
		_, text = ask("GET", "/metrics", good)
		return strings.Contains(text, `ovi_cycles_total{stack="fleet",role="leader",outcome="done"} `)
	})
	for _, want := range []string{
		`ovi_actions_total{action="create",outcome="done"} 2`,
		`ovi_scope_observed_timestamp_seconds{scope="aws/`, "ovi_interval_seconds 600", "ovi_store_up 1", "ovi_claims_held 1", `ovi_leader{stack="fleet"} 1`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the scrape:\n%s", want, text)
		}
	}
	cycles := strings.Count(ann.said(), "(woken")
	if code, _ := ask("POST", "/wake", good); code != http.StatusAccepted {
		t.Errorf("wake: %d", code)
	}
	eventually(t, "woken", func() bool { return strings.Count(ann.said(), "(woken") > cycles })
	if out := s.run("eve", "1", "run", "--listen", "0.0.0.0:1", "--sandbox"); !strings.Contains(out, "not loopback") {
		t.Errorf("listening on every address: %s", out)
	}
}

// TestAPromiseThatTheStoreCannotKeep: a TTL shorter than a lease of etcd is an error at once.
func TestAPromiseThatTheStoreCannotKeep(t *testing.T) {
	t.Parallel()
	s := newSite(t, fleet(1))
	out := s.run("ann", "1", "run", "--sandbox", "--claim-ttl", "1s")
	for _, want := range []string{"claims with a TTL of 1s", "the shortest lease here lasts 1s", "use a TTL of 2s or more"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}
