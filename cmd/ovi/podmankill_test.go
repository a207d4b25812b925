package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// killAt is when an apply is killed: at the nth of its calls of one kind, before Podman has it,
// while Podman works on it, or when Podman has done it and its answer is lost.
type killAt struct {
	call string // "POST containers/ID/start"
	nth  int
	when string
}

func (m killAt) String() string { return fmt.Sprintf("%s %s %d", m.when, m.call, m.nth) }

// killer stands between ovi and Podman, and kills ovi at a moment.
type killer struct {
	to     http.Handler
	mu     sync.Mutex
	counts map[string]int
	calls  []killAt // all, without a when
	at     killAt
	victim *os.Process
	killed bool
}

var ids = regexp.MustCompile(`[0-9a-f]{64}|web[a-z0-9-]*`)

func newKiller(t *testing.T, s *podSite) *killer {
	t.Helper()
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = "http", "podman" },
		Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			return net.Dial("unix", s.host.Socket)
		}},
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) {}, // the caller was killed
		FlushInterval: -1,
	}
	k := &killer{to: proxy, counts: map[string]int{}}
	s.via = filepath.Join(t.TempDir(), "podman.sock")
	l, err := net.Listen("unix", s.via)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: k}}
	server.Start()
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return k
}

// ServeHTTP passes a call on, and kills before, meanwhile or afterwards if this is the moment.
func (k *killer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.Method + " " + ids.ReplaceAllString(strings.TrimPrefix(r.URL.Path, "/v4.0.0/libpod/"), "ID")
	k.mu.Lock()
	nth := k.counts[name]
	k.counts[name]++
	k.calls = append(k.calls, killAt{call: name, nth: nth})
	now := k.victim != nil && k.at.call == name && k.at.nth == nth
	when := k.at.when
	k.mu.Unlock()
	switch {
	case !now:
		k.to.ServeHTTP(w, r)
	case when == "before":
		k.kill()
	case when == "during": // Podman learns that its caller is gone
		go func() { time.Sleep(20 * time.Millisecond); k.kill() }()
		k.to.ServeHTTP(w, r)
	default: // Podman carries it out, and its answer goes nowhere
		k.to.ServeHTTP(httptest.NewRecorder(), r.WithContext(context.WithoutCancel(r.Context())))
		k.kill()
	}
}

func (k *killer) kill() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.killed = k.victim != nil && k.victim.Kill() == nil
}

// record returns the calls since it was armed, and whether the process was killed.
func (k *killer) record() (calls []killAt, killed bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.calls), k.killed
}

// arm starts counting, for a process that is killed at a moment.
func (k *killer) arm(victim *os.Process, at killAt) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.counts, k.calls, k.at, k.victim, k.killed = map[string]int{}, nil, at, victim, false
}

// stages are the calls that make a swap, and a moment of each, for `make test`.
func stages() []killAt {
	return []killAt{
		{"POST containers/ID/rename", 0, "after"},
		{"POST containers/create", 0, "after"},
		{"POST containers/ID/stop", 0, "during"},
		{"POST containers/ID/start", 0, "during"},
		{"GET containers/ID/healthcheck", 0, "before"},
		{"DELETE containers/ID", 0, "during"},
	}
}

// moments are n moments of a swap: those of the stages at each time first, then all other calls.
func moments(calls []killAt, n int) []killAt {
	out := stages()
	seen := map[killAt]bool{}
	for _, m := range out {
		seen[m] = true
	}
	for _, when := range []string{"during", "after", "before"} {
		for _, m := range append(stages(), calls...) {
			if m.when = when; !seen[m] {
				out, seen[m] = append(out, m), true
			}
		}
	}
	return out[:min(n, len(out))]
}

// TestASwapOfAContainerSurvivesKills kills applies that swap a container with kill -9, each at
// another call to Podman, and applies once more: one container is left, healthy, of the right
// image, and nothing else is to do. 50 moments with OVI_KILLS=50, else one of each stage.
func TestASwapOfAContainerSurvivesKills(t *testing.T) {
	kills := len(stages())
	if n, err := strconv.Atoi(os.Getenv("OVI_KILLS")); err == nil {
		kills = n
	}
	s := newPod(t)
	k := newKiller(t, s)
	s.configure("1", true)
	s.run(0, "apply", "--auto-approve")
	s.configure("2", true)
	k.arm(nil, killAt{})
	s.run(0, "apply", "--auto-approve")
	calls, _ := k.record()
	s.serving("2")
	version, reached := "2", map[string]int{}
	for i, at := range moments(calls, kills) {
		version = map[string]string{"1": "2", "2": "1"}[version]
		t.Run(fmt.Sprintf("%d %s", i, at), func(t *testing.T) {
			s.t = t
			s.configure(version, true)
			cmd := s.ovi("apply", "--auto-approve", "--claim-ttl", "3s")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			k.arm(cmd.Process, at) // long before its first call
			_ = cmd.Wait()
			if _, killed := k.record(); !killed && at.nth == 0 {
				t.Error("it ended before")
			}
			served, _ := s.serves()
			if served == "" {
				served = "nothing"
			}
			reached[stage(s.host.Podman(t, "ps", "-a", "--format", "{{.Names}} {{.Image}} {{.Status}}"))+": "+served]++
			k.arm(nil, killAt{})
			start := time.Now()
			s.run(0, "apply", "--auto-approve")
			t.Logf("killed, %s served; the next apply took %s", served, time.Since(start).Round(10*time.Millisecond))
			s.serving(version)
		})
	}
	s.t = t
	t.Logf("a swap makes %d calls; found after kills, and what served: %v", len(calls), reached)
}

// stage names what a killed apply left, without the suffix that holds an ID.
func stage(ps string) string {
	lines := strings.Split(ps, "\n")
	for i, l := range lines {
		name, rest, _ := strings.Cut(l, " ") // "web localhost/app:1 Up 3 seconds ago"
		if before, _, aside := strings.Cut(name, "-old-"); aside {
			name = before + "-old"
		}
		if fields := strings.Fields(rest); len(fields) > 1 {
			lines[i] = name + " " + strings.ToLower(fields[1])
		}
	}
	return strings.Join(lines, ", ")
}
