package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"sync"
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
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.port = l.Addr().(*net.TCPAddr).Port
	_ = l.Close() // Podman listens there next
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

// serves asks the fixed port for the version that it serves.
func (s *podSite) serves() (string, error) {
	c := http.Client{Timeout: 100 * time.Millisecond, Transport: &http.Transport{DisableKeepAlives: true}}
	return fetch(&c, fmt.Sprintf("http://127.0.0.1:%d/version", s.port))
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
	if got, err := s.serves(); err != nil || got != version {
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

// TestASwapIsShort measures the outage of a swap, as a client sees it that asks every 10 ms.
func TestASwapIsShort(t *testing.T) {
	s := newPod(t)
	s.configure("1", true)
	s.run(0, "apply", "--auto-approve")
	for _, version := range []string{"2", "1", "2"} {
		s.configure(version, true)
		outage, asked, failed := s.during(s.serves, func() { s.run(0, "apply", "--auto-approve") })
		t.Logf("swap with a fixed port: outage %s; %d of %d requests failed", outage.Round(time.Millisecond), failed, asked)
		if outage > 10*time.Second {
			t.Errorf("an outage of %s", outage)
		}
	}
	s.serving("2")
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
	outage, asked, failed := s.during(ask, func() {
		if out := s.run(0, "apply", "--auto-approve"); !strings.Contains(out, "(start-first)") {
			t.Errorf("it does not start first:\n%s", out)
		}
	})
	t.Logf("start-first: outage %s; %d of %d requests failed", outage.Round(time.Millisecond), failed, asked)
	if failed > 0 {
		t.Errorf("%d of %d requests failed", failed, asked)
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
	lookUp := func(name string) (addresses []string, err error) {
		for range 5 {
			ctx, cancel := context.WithTimeout(s.t.Context(), 200*time.Millisecond)
			addresses, err = resolver.LookupHost(ctx, name)
			cancel()
			if err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		return addresses, err
	}
	name, path, _ := strings.Cut(url, "/")
	return func() (answer string, err error) {
		addresses, err := lookUp(name)
		for _, a := range addresses {
			d := net.Dialer{Timeout: 200 * time.Millisecond}
			c := http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true, DialContext: d.DialContext}}
			if answer, err = fetch(&c, "http://"+net.JoinHostPort(a, "80")+"/"+path); err == nil {
				break
			}
		}
		return answer, err
	}
}

// during asks every 10 ms while something is done, and returns the longest time without an
// answer.
func (s *podSite) during(ask func() (string, error), do func()) (outage time.Duration, asked, failed int) {
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Add(1)
	go func() {
		defer wg.Done()
		var since time.Time
		for {
			start := time.Now()
			_, err := ask()
			asked++
			if err != nil {
				s.t.Logf("after %s: %v", time.Since(start).Round(time.Millisecond), err)
			}
			switch {
			case err != nil && since.IsZero():
				since, failed = start, failed+1
			case err != nil:
				failed++
			case !since.IsZero():
				outage, since = max(outage, time.Since(since)), time.Time{}
			}
			select {
			case <-stop:
				return
			case <-time.After(10*time.Millisecond - time.Since(start)):
			}
		}
	}()
	do()
	close(stop)
	wg.Wait()
	return outage, asked, failed
}
