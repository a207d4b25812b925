package podman

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/ovi-project/ovi/internal/engineapi"
	"github.com/ovi-project/ovi/provider/podman/failure"
	"github.com/ovi-project/ovi/provider/podman/host"
	"github.com/ovi-project/ovi/provider/podman/libpod"
)

// connect makes a client for the word of a location, without sending anything, and says whether
// the service is on this machine.
func (p *Provider) connect(word string) (*libpod.Client, bool, error) {
	endpoint := word
	if word == host.Local {
		endpoint = p.endpoint()
	}
	if p.opts.Transport != nil {
		t, err := p.opts.Transport(endpoint)
		if err != nil {
			return nil, false, err
		}
		return libpod.New(t), false, nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme == "" {
		return nil, false, failure.Mistake("", "use local, or a URL such as unix:///run/podman/podman.sock",
			"invalid host %q%s", endpoint, origin(word))
	}
	switch u.Scheme {
	case "unix":
		return libpod.New(engineapi.Unix(u.Path)), true, nil
	case "tcp":
		if p.opts.TLS != (libpod.Certificates{}) {
			return libpod.New(libpod.TLS(u.Host, p.opts.TLS)), false, nil
		}
		return libpod.New(engineapi.TCP(u.Host)), false, nil
	case "ssh":
		s := libpod.NewSSH(u)
		p.closers = append(p.closers, s.Close)
		return libpod.New(s), false, nil
	default:
		return nil, false, failure.Mistake("", "use unix://PATH, ssh://USER@HOST/PATH or tcp://HOST:PORT",
			"unknown way to connect to the host %q%s", endpoint, origin(word))
	}
}

// origin says where the URL of the host local comes from.
func origin(word string) string {
	if word != host.Local {
		return ""
	}
	return " for the host local, from --podman-host or CONTAINER_HOST"
}

// Close ends the connections to other hosts.
func (p *Provider) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, c := range p.closers {
		errs = append(errs, c())
	}
	p.closers = nil
	return errors.Join(errs...)
}

// endpoint finds the service: what is configured, else the socket of this user, else root's.
func (p *Provider) endpoint() string {
	for _, configured := range []string{p.opts.Host, p.opts.Getenv("CONTAINER_HOST")} {
		if configured != "" {
			return configured
		}
	}
	uid := os.Getuid()
	var found []string
	if dir := p.opts.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		found = append(found, filepath.Join(dir, "podman", "podman.sock"))
	}
	if uid > 0 {
		found = append(found, filepath.Join("/run/user", strconv.Itoa(uid), "podman", "podman.sock"))
	}
	const root = "/run/podman/podman.sock"
	if uid == 0 {
		found = nil
	}
	for _, path := range append(found, root) {
		if _, err := os.Stat(path); err == nil {
			return "unix://" + path
		}
	}
	if len(found) > 0 {
		return "unix://" + found[0]
	}
	return "unix://" + root
}
