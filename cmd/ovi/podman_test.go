package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/podmantest"
)

// podSite is a configuration on a Podman of its own.
type podSite struct {
	t    *testing.T
	host *podmantest.Host
	dir  string
	port int
	via  string // the socket that ovi uses, if it is not the host's
}

// newPod makes a site with the images app:1 and app:2, which serve their number, and app:sick,
// which serves nothing.
func newPod(t *testing.T) *podSite {
	s := &podSite{t: t, host: podmantest.Start(t), dir: t.TempDir()}
	s.host.Podman(t, "volume", "prune", "-f")
	for _, v := range []string{"1", "2"} {
		s.host.Import(t, "localhost/app:"+v, map[string]string{"www/version": v}, `CMD ["/bin/serve","80"]`)
	}
	s.host.Import(t, "localhost/app:sick", map[string]string{"www/sick": "x"}, `CMD ["/bin/serve","81"]`)
	s.port = freePort(t)
	return s
}

const oneContainer = `version: v1
provider: podman
stack: shop
resources:
  - type: network
    name: front
  - type: container
    name: web
    image: localhost/app:%s
    networks: [front]
    %s
    health: {http_get: {path: /version, port: 80}, interval_seconds: 1, retries: 2}
`

// configure writes a configuration with one version, at a fixed port or none.
func (s *podSite) configure(version string, fixed bool) {
	rest := `env: {DRAIN: "1"}` // what is asked of the old one is answered on a busy machine too
	if fixed {
		rest = fmt.Sprintf("ports: [{container_port: 80, host_port: %d, host_ip: 127.0.0.1}]", s.port)
	}
	writeConfig(s.t, s.dir, fmt.Sprintf(oneContainer, version, rest))
}

func (s *podSite) ovi(args ...string) *exec.Cmd {
	cmd := ovi(s.t, s.dir, args...)
	cmd.Env = append(cmd.Env, "CONTAINER_HOST=unix://"+cmp.Or(s.via, s.host.Socket))
	return cmd
}

func (s *podSite) run(want int, args ...string) string {
	s.t.Helper()
	out, err := s.ovi(args...).CombinedOutput()
	got := "0"
	if err != nil {
		got = exitText(err)
	}
	if got != strconv.Itoa(want) {
		s.t.Fatalf("ovi %s: exit %s, want %d\n%s", strings.Join(args, " "), got, want, out)
	}
	return string(out)
}

// serves asks the fixed port for the version that it serves, often: that an outage ends is known within 100 ms.
func (s *podSite) serves() (string, error) { return versionAt(s.port, 100*time.Millisecond) }

func versionAt(port int, within time.Duration) (string, error) {
	c := http.Client{Timeout: within, Transport: &http.Transport{DisableKeepAlives: true}}
	return fetch(&c, fmt.Sprintf("http://127.0.0.1:%d/version", port))
}

func fetch(c *http.Client, url string) (string, error) {
	r, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer func() { _ = r.Body.Close() }()
	b, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %s", r.Status)
	}
	return string(b), err
}

// serving checks that one healthy container of a version is left, and that no plan changes it.
func (s *podSite) serving(version string) {
	s.t.Helper()
	all := s.host.Podman(s.t, "ps", "-a", "--format", "{{.Names}} {{.Image}} {{.Status}}")
	lines := strings.Split(all, "\n")
	if len(lines) != 1 || !strings.HasPrefix(all, "web localhost/app:"+version+" Up") || !strings.Contains(all, "(healthy)") {
		s.t.Errorf("the containers are:\n%s\nwant web of app:%s alone, healthy", all, version)
	}
	if got, err := versionAt(s.port, time.Minute); err != nil || got != version { // on a busy host, too
		s.t.Errorf("it serves %q, %v; want %s", got, err, version)
	}
	if out := s.run(0, "plan"); !strings.Contains(out, "No changes. 2 unchanged.") {
		s.t.Errorf("another plan has changes:\n%s", out)
	}
}

// TestAnImageThatIsNotHealthyGoesBack: the old container serves again, exit 3, and the message
// has what the check printed.
func TestAnImageThatIsNotHealthyGoesBack(t *testing.T) {
	s := newPod(t)
	s.configure("1", true)
	s.run(0, "apply", "--auto-approve")
	id := s.host.Podman(t, "inspect", "-f", "{{.Id}}", "web")
	s.configure("sick", true)
	out := s.run(3, "apply", "--auto-approve")
	if !strings.Contains(out, "goes back") || !strings.Contains(strings.Join(strings.Fields(out), " "), "can't connect to remote host") {
		t.Errorf("the output does not say why:\n%s", out)
	}
	if now := s.host.Podman(t, "inspect", "-f", "{{.Id}}", "web"); now != id {
		t.Errorf("the container is %s, it was %s", now, id)
	}
	s.configure("1", true)
	s.serving("1")
}

// TestASwapIsShort measures the outage of a swap with a fixed port beside that of the two commands that
// do the same by hand: both are what Podman takes to stop a container and to start another one.
func TestASwapIsShort(t *testing.T) {
	s := newPod(t)
	s.configure("1", true)
	s.run(0, "apply", "--auto-approve")
	for _, version := range []string{"2", "1", "2", "1", "2"} {
		s.configure(version, true)
		byOvi := s.during(s.serves, func() { s.run(0, "apply", "--auto-approve") })
		byHand := s.byHand(version)
		t.Logf("swap with a fixed port: %s; podman stop && podman run: %s", byOvi, byHand)
		if byOvi.longest > 10*time.Second {
			t.Errorf("an outage of %s", byOvi.longest)
		}
	}
	s.serving("2")
}

// byHand replaces a container at a port of its own by two commands.
func (s *podSite) byHand(version string) outage {
	port := freePort(s.t)
	run := func(name, version string) {
		s.host.Podman(s.t, "run", "-d", "--name", name, "--network", "front", "-p", fmt.Sprintf("127.0.0.1:%d:80", port), "localhost/app:"+version)
	}
	run("old", "1")
	defer func() { s.host.Podman(s.t, "rm", "-f", "-t", "0", "old", "new") }()
	return s.during(func() (string, error) { return versionAt(port, 100*time.Millisecond) }, func() {
		s.host.Podman(s.t, "stop", "old")
		run("new", version)
	})
}

// TestAContainerWithoutAPortStartsFirst: no request by its name fails while it is replaced.
func TestAContainerWithoutAPortStartsFirst(t *testing.T) {
	s := newPod(t)
	s.configure("1", false)
	s.run(0, "apply", "--auto-approve")
	ask := s.byName("front", "web.dns.podman/version")
	if _, err := ask(); err != nil {
		t.Fatal(err)
	}
	s.configure("2", false)
	seen := s.during(ask, func() {
		if out := s.run(0, "apply", "--auto-approve"); !strings.Contains(out, "(start-first)") {
			t.Errorf("it does not start first:\n%s", out)
		}
	})
	t.Logf("start-first: %s", seen)
	if seen.failed > 0 {
		t.Error(seen)
	}
	if got, err := ask(); err != nil || got != "2" {
		t.Errorf("it serves %q, %v", got, err)
	}
}

// byName asks a service of a network by its name: its DNS, again if that does not answer, and
// each address that it gets, the next if one does not answer.
func (s *podSite) byName(network, url string) func() (string, error) {
	gateway := s.host.Podman(s.t, "network", "inspect", "-f", "{{range .Subnets}}{{.Gateway}}{{end}}", network)
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		d := net.Dialer{Timeout: 100 * time.Millisecond}
		return d.DialContext(ctx, network, net.JoinHostPort(gateway, "53"))
	}}
	// As long as the C library of a client (5 s): the server of Podman is silent while it opens its sockets
	// again for a container more or less, and longer on a busy host. While it reads its file again it may say
	// once that a name is unknown (1 of 2,200 requests at a load of 8); without the name it goes on.
	var unknown atomic.Int32
	lookUp := func(name string) (addresses []string, err error) {
		for start := time.Now(); time.Since(start) < 5*time.Second; time.Sleep(10 * time.Millisecond) {
			ctx, cancel := context.WithTimeout(s.t.Context(), 200*time.Millisecond)
			addresses, err = resolver.LookupHost(ctx, name)
			cancel()
			dns, ok := errors.AsType[*net.DNSError](err)
			if err == nil || ok && dns.IsNotFound && unknown.Add(1) > 1 {
				break
			}
		}
		return addresses, err
	}
	name, path, _ := strings.Cut(url, "/")
	// On a busy host the addresses may be those of before when they come, or when they are used (1 of 253 requests at a
	// load of 13): with other ones it goes on.
	return func() (answer string, err error) {
		var tried []string
		for {
			addresses, failed := lookUp(name)
			if slices.Sort(addresses); tried != nil && (failed != nil || slices.Equal(tried, addresses)) {
				return answer, err
			}
			for _, a := range addresses {
				d := net.Dialer{Timeout: 2 * time.Second} // an address that is gone does not answer; a busy host answers late
				c := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true, DialContext: d.DialContext}}
				if answer, err = fetch(&c, "http://"+net.JoinHostPort(a, "80")+"/"+path); err == nil {
					return answer, nil
				}
			}
			if tried, err = addresses, cmp.Or(err, failed); len(tried) == 0 {
				return "", err
			}
		}
	}
}

// outage is what clients saw of a change.
type outage struct {
	longest       time.Duration // from the first request of a row without an answer to the next one with
	asked, failed int
	first         error // why the first request failed
}

func (o outage) String() string {
	text := fmt.Sprintf("outage %s, %d of %d requests failed", o.longest.Round(time.Millisecond), o.failed, o.asked)
	if o.first != nil {
		text += ", the first one with: " + o.first.Error()
	}
	return text
}

// during asks every 10 ms from the first answer on, while something is done, and until there is an
// answer again. A request does not wait for the one before it.
func (s *podSite) during(ask func() (string, error), do func()) outage {
	type request struct {
		at  time.Time
		err error
	}
	answered := func() bool {
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			if _, err := ask(); err == nil {
				return true
			}
		}
		return false
	}
	if !answered() {
		s.t.Error("it does not answer before the change")
	}
	var all []*request
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for last := false; ; {
			r := &request{at: time.Now()}
			all = append(all, r)
			wg.Go(func() { _, r.err = ask() })
			if last {
				return
			}
			select {
			case <-stop:
				last = true
			case <-tick.C:
			}
		}
	})
	do()
	if !answered() {
		s.t.Error("it does not answer after the change")
	}
	close(stop)
	wg.Wait()
	out := outage{asked: len(all)}
	var since time.Time
	for _, r := range all {
		switch {
		case r.err != nil:
			if out.failed++; out.first == nil {
				out.first = r.err
			}
			if since.IsZero() {
				since = r.at
			}
		case !since.IsZero():
			out.longest, since = max(out.longest, r.at.Sub(since)), time.Time{}
		}
	}
	return out
}
