package cluster

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/provider/cluster/docker"
	"github.com/ovi-project/ovi/provider/cluster/engine"
	"github.com/ovi-project/ovi/provider/cluster/git"
	"github.com/ovi-project/ovi/provider/cluster/haproxy/route"
	"github.com/ovi-project/ovi/provider/cluster/kube"
	"github.com/ovi-project/ovi/provider/cluster/portainer/environment"
	"github.com/ovi-project/ovi/provider/cluster/system"
)

// Locate implements provider.Locator: the location of a cluster is the URL of its engine, and that of the
// management cluster its context. It asks no engine.
func (p *Provider) Locate(_ context.Context, location string) (string, error) {
	switch {
	case location == system.Management && p.opts.Management == "":
		return "", system.Mistake("", "set options.cluster.management to its context in your kubeconfig",
			"no management cluster is configured")
	case location == system.Management:
		return system.InContext + p.opts.Management, nil
	case strings.HasPrefix(location, system.InContext):
		return location, nil
	case system.AreaOf(location) == system.OnHAProxy:
		return route.Locate(location, p.opts.HAProxy.Path)
	case system.AreaOf(location) == system.OnPortainer:
		return environment.Locate(location, p.opts.Portainer.URL)
	case system.AreaOf(location) == system.OnGit:
		return git.Locate(location, p.opts.Git)
	}
	url, cluster, in := strings.Cut(location, system.Separator)
	if url == system.Local || url == "" || url == "default" {
		url = p.endpoint()
	}
	if _, err := docker.Dial(url); err != nil {
		return "", system.Mistake("", "use local, unix://PATH or tcp://HOST:PORT", "invalid engine %q: %w", url, err)
	}
	if in {
		url += system.Separator + cluster
	}
	return url, nil
}

// Describe implements provider.Describer.
func (p *Provider) Describe(location string) string {
	if name, ok := strings.CutPrefix(location, system.InContext); ok {
		return "cluster of the context " + name
	}
	switch system.AreaOf(location) {
	case system.OnHAProxy:
		return "HAProxy of " + strings.TrimPrefix(location, string(system.OnHAProxy)+":")
	case system.OnPortainer:
		return "Portainer at " + strings.TrimPrefix(location, string(system.OnPortainer)+":")
	case system.OnGit:
		return "Git repository " + strings.TrimPrefix(location, string(system.OnGit)+":")
	case system.OnEngine, system.InCluster:
	}
	if url, cluster, in := strings.Cut(location, system.Separator); in {
		return "cluster " + cluster + " at " + url
	}
	return "engine " + location
}

// api reaches the cluster of a location that is inside of one.
func (p *Provider) api(ctx context.Context, location string) (*kube.Client, error) {
	location, err := p.Locate(ctx, location)
	if err != nil {
		return nil, err
	}
	if name, ok := strings.CutPrefix(location, system.InContext); ok {
		config, err := p.contextOf(name)
		if err != nil {
			return nil, err
		}
		return kube.New(config)
	}
	url, name, in := strings.Cut(location, system.Separator)
	if !in {
		return nil, system.Mistake("", "use local#NAME, or management", "%s is an engine, not the inside of a cluster",
			location)
	}
	if config, known := p.reached.Get(location); known {
		return kube.New(config)
	}
	h, err := p.host(ctx, url)
	if err != nil {
		return nil, err
	}
	config, err := h.Reachable(ctx, name)
	if err != nil {
		return nil, err
	}
	return kube.New(config)
}

// contextOf reads a context of the user's kubeconfig.
func (p *Provider) contextOf(name string) (kube.Config, error) {
	files := p.opts.Kubeconfig
	if files == "" {
		files = p.opts.Getenv("KUBECONFIG")
	}
	if files == "" {
		files = filepath.Join(p.opts.Getenv("HOME"), ".kube", "config")
	}
	var failed error
	for _, file := range filepath.SplitList(files) {
		text, err := budget.ReadFile(file, budget.Text)
		if err == nil {
			var c kube.Config
			if c, err = kube.Parse(text, name, filepath.Dir(file)); err == nil {
				return c, nil
			}
		}
		failed = err
	}
	return kube.Config{}, system.Mistake("", "check options.cluster.management and --cluster-kubeconfig",
		"cannot use the context %s of %s: %w", name, files, failed)
}

// endpoint finds the engine: what is configured, else the usual sockets of Docker and Podman.
func (p *Provider) endpoint() string {
	for _, configured := range []string{p.opts.Engine, p.opts.Getenv("DOCKER_HOST"), p.opts.Getenv("CONTAINER_HOST")} {
		if configured != "" {
			return configured
		}
	}
	const standard = "/var/run/docker.sock"
	paths := []string{standard}
	if uid := os.Getuid(); uid > 0 {
		dir := p.opts.Getenv("XDG_RUNTIME_DIR")
		if dir == "" {
			dir = filepath.Join("/run/user", strconv.Itoa(uid))
		}
		paths = append(paths, filepath.Join(dir, "podman", "podman.sock"))
	}
	for _, path := range append(paths, "/run/podman/podman.sock") {
		if _, err := os.Stat(path); err == nil {
			return "unix://" + path
		}
	}
	return "unix://" + standard
}

// host returns the host of a location, and asks nothing.
func (p *Provider) host(ctx context.Context, location string) (*engine.Host, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	endpoint, err := p.Locate(ctx, location)
	if err != nil {
		return nil, err
	}
	c, err := docker.Dial(endpoint)
	if err != nil {
		return nil, err
	}
	o := engine.Settings{
		Hooks: p.opts.Hooks, Getenv: p.opts.Getenv, Environ: p.opts.Environ, Clock: p.opts.Clock, Digest: p.opts.Digest,
	}
	return engine.New(c, endpoint, o, &p.reached), nil
}
