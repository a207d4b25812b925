package libpod

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/internal/engineapi"
)

// SSH reaches the socket of another host through the ssh command, with the user's keys, agent and
// configuration. It forwards the remote socket to a local one while it is in use.
type SSH struct {
	http.RoundTripper
	host   []string // arguments that name the host
	remote string   // path of its socket; "" means as usual for the user
	mu     sync.Mutex
	dir    string // of the local socket; "" before the first connection
}

// NewSSH connects to ssh://[USER@]HOST[:PORT][/PATH] when it is first used.
func NewSSH(u *url.URL) *SSH {
	s := &SSH{remote: u.Path}
	if p := u.Port(); p != "" {
		s.host = append(s.host, "-p", p)
	}
	name := u.Hostname()
	if u.User != nil {
		name = u.User.Username() + "@" + name
	}
	s.host = append(s.host, "--", name)
	s.RoundTripper = engineapi.Over(s.dial)
	return s
}

// dial connects to the local socket, and forwards it again if ssh has ended.
func (s *SSH) dial(ctx context.Context) (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := net.Dialer{Timeout: engineapi.DialWait}
	if s.dir != "" {
		if conn, err := d.DialContext(ctx, "unix", s.local()); err == nil {
			return conn, nil
		}
	}
	if err := s.forward(ctx); err != nil {
		return nil, &net.OpError{Op: "dial", Net: "ssh", Err: err}
	}
	return d.DialContext(ctx, "unix", s.local())
}

func (s *SSH) local() string   { return filepath.Join(s.dir, "podman.sock") }
func (s *SSH) control() string { return filepath.Join(s.dir, "control") }

// forward starts an ssh that goes to the background once it forwards.
func (s *SSH) forward(ctx context.Context) error {
	if s.dir == "" {
		dir, err := os.MkdirTemp("", "ovi-ssh-")
		if err != nil {
			return err
		}
		s.dir = dir
	}
	_ = os.Remove(s.local()) // of an ssh that ended
	if s.remote == "" {
		out, err := s.run(ctx, nil,
			`if [ "$(id -u)" = 0 ]; then echo /run/podman/podman.sock; else echo "/run/user/$(id -u)/podman/podman.sock"; fi`)
		if err != nil {
			return err
		}
		s.remote = strings.TrimSpace(out)
	}
	_, err := s.run(ctx,
		[]string{
			"-f", "-N", "-M", "-S", s.control(), "-o", "ExitOnForwardFailure=yes", "-o", "ServerAliveInterval=15", "-L",
			s.local() + ":" + s.remote,
		})
	return err
}

// run runs ssh with options and a remote command. It asks nothing.
func (s *SSH) run(ctx context.Context, options []string, command ...string) (string, error) {
	args := append([]string{
		"-T", "-o", "BatchMode=yes", "-o", fmt.Sprintf("ConnectTimeout=%d", int(engineapi.DialWait.Seconds())),
	},
		options...)
	args = append(append(args, s.host...), command...)
	cmd := exec.CommandContext(ctx, "ssh", args...)
	// Not the variables of ovi, which can be secrets. A ProxyCommand of the user's may need any other one.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "OVI_") })
	// A file and no pipe: an ssh that goes to the background keeps it open.
	said, err := os.Create(filepath.Join(s.dir, "said"))
	if err != nil {
		return "", err
	}
	defer func() { _ = said.Close() }() // read below
	cmd.Stderr, cmd.Stdout = said, said
	err = cmd.Run()
	out, readErr := budget.ReadFile(said.Name(), budget.Text)
	if err != nil {
		return "", fmt.Errorf("ssh: %s", strings.Join(strings.Fields(string(out)+" "+err.Error()), " "))
	}
	return string(out), readErr
}

// Close ends the forwarding.
func (s *SSH) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), engineapi.DialWait)
	defer cancel()
	var err error
	if _, missing := os.Stat(s.control()); missing == nil { // else it never connected, or has ended
		_, err = s.run(ctx, []string{"-S", s.control(), "-O", "exit"})
	}
	_ = os.RemoveAll(s.dir) // it holds sockets only
	s.dir = ""
	return err
}
