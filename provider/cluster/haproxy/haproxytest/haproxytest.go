// Package haproxytest runs a real HAProxy for tests, on addresses of this host alone.
package haproxytest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/needs"
	"github.com/ovi-project/ovi/provider/cluster/haproxy"
)

// Proxy is a HAProxy with a frontend and backends of a user, which loads an empty folder of routes.
type Proxy struct {
	Folder  haproxy.Folder
	Address string // of its frontend
	User    string // the file with the user's configuration
	t       testing.TB
	stop    func()
}

const users = `global
	stats socket %[1]s mode 600 level admin expose-fd listeners
defaults
	mode http
	timeout connect 5s
	timeout client 30s
	timeout server 30s
frontend web
	bind %[2]s
	use_backend %%[req.hdr(host),field(1,:),lower,field(2,.),map_str(%[3]s/routes.map,none)]
backend none
	http-request return status 404
backend be_by_hand
	server s1 127.0.0.1:9
`

// Start starts one. It ends with the test.
func Start(t testing.TB) *Proxy {
	t.Helper()
	program := needs.Program(t, "haproxy")
	dir, err := os.MkdirTemp("", "hap") // short: it has sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := &Proxy{
		Folder: haproxy.Folder{
			Path: filepath.Join(dir, "ovi"), Socket: filepath.Join(dir, "admin.sock"),
			Master: filepath.Join(dir, "master.sock"),
		},
		Address: freeAddress(t), User: filepath.Join(dir, "haproxy.cfg"), t: t,
	}
	if err := os.Mkdir(p.Folder.Path, 0o755); err != nil {
		t.Fatal(err)
	}
	p.write(p.User, fmt.Sprintf(users, p.Folder.Socket, p.Address, p.Folder.Path))
	p.write(filepath.Join(p.Folder.Path, "routes.map"), "")
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-W", "-S", p.Folder.Master, "-f", p.User, "-f", p.Folder.Path)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.stop = sync.OnceFunc(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait() // its status is that of the signal
	})
	t.Cleanup(p.Stop)
	p.await(log.Name())
	return p
}

// await returns once both sockets answer.
func (p *Proxy) await(log string) {
	p.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		_, err := p.Folder.Read(context.Background())
		if err == nil {
			_, err = p.Folder.Reloads(context.Background())
		}
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			b, _ := os.ReadFile(log)
			p.t.Fatalf("HAProxy does not start: %v\n%s", err, b)
		}
	}
}

// Stop stops it.
func (p *Proxy) Stop() { p.stop() }

// Reloads is how often it was reloaded.
func (p *Proxy) Reloads() int {
	p.t.Helper()
	n, err := p.Folder.Reloads(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

// Get is the status and the body that it answers for a host name.
func (p *Proxy) Get(host string) (int, string) {
	p.t.Helper()
	q, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, "http://"+p.Address+"/", nil)
	if err != nil {
		p.t.Fatal(err)
	}
	q.Host = host
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(q)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return answer.StatusCode, string(b)
}

func (p *Proxy) write(path, content string) {
	p.t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}
