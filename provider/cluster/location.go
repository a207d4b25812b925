package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/docker"
	"github.com/ovi-project/ovi/provider/cluster/kube"
	"github.com/ovi-project/ovi/resource"
)

// local is the word of a configuration for the engine that is found by itself.
const local = "local"

// inside separates an engine and a cluster on it in the location of what is in the cluster.
const inside = "#"

// Inside is the scope that a cluster opens.
func Inside(cluster resource.Ref) resource.Scope {
	return resource.Scope{Provider: cluster.Provider, Location: cluster.Location + inside + cluster.Name}
}

const (
	// management is the word for the management cluster of the options.
	management = "management"
	// inContext starts the location of what is in a cluster of the user's kubeconfig.
	inContext = "context:"
)

// area is the system that a location is in.
type area string

// The areas.
const (
	onEngine    area = "engine"
	inCluster   area = "cluster"
	onHAProxy   area = "haproxy"
	onPortainer area = "portainer"
	onGit       area = "git"
)

// areaOf tells the area of a location, resolved or not.
func areaOf(location string) area {
	word, _, _ := strings.Cut(location, ":")
	switch {
	case word == string(onHAProxy), word == string(onPortainer), word == string(onGit):
		return area(word)
	case location == management || strings.HasPrefix(location, inContext) || strings.Contains(location, inside):
		return inCluster
	}
	return onEngine
}

// misplaced are the findings of resources that are configured in another area than that of their kind.
func misplaced(configured []*resource.Desired, in area, summary, suggestion string) (out []resource.Finding) {
	for _, d := range configured {
		if areaOf(d.Ref.Location) != in {
			out = append(out, finding(d, "region", summary, suggestion))
		}
	}
	return out
}

// Locate implements provider.Locator: the location of a cluster is the URL of its engine, and that of the
// management cluster its context. It asks no engine.
func (p *Provider) Locate(_ context.Context, location string) (string, error) {
	switch {
	case location == management && p.opts.Management == "":
		return "", permanent("", "set options.cluster.management to its context in your kubeconfig", "no management cluster is configured")
	case location == management:
		return inContext + p.opts.Management, nil
	case strings.HasPrefix(location, inContext):
		return location, nil
	case areaOf(location) == onHAProxy:
		return p.locateHAProxy(location)
	case areaOf(location) == onPortainer:
		return p.locatePortainer(location)
	case areaOf(location) == onGit:
		return p.locateGit(location)
	}
	engine, cluster, in := strings.Cut(location, inside)
	if engine == local || engine == "" || engine == "default" {
		engine = p.endpoint()
	}
	if _, err := docker.Dial(engine); err != nil {
		return "", permanent("", "use local, unix://PATH or tcp://HOST:PORT", "invalid engine %q: %w", engine, err)
	}
	if in {
		engine += inside + cluster
	}
	return engine, nil
}

// Describe implements provider.Describer.
func (p *Provider) Describe(location string) string {
	if name, ok := strings.CutPrefix(location, inContext); ok {
		return "cluster of the context " + name
	}
	switch areaOf(location) {
	case onHAProxy:
		return "HAProxy of " + strings.TrimPrefix(location, string(onHAProxy)+":")
	case onPortainer:
		return "Portainer at " + strings.TrimPrefix(location, string(onPortainer)+":")
	case onGit:
		return "Git repository " + strings.TrimPrefix(location, string(onGit)+":")
	case onEngine, inCluster:
	}
	if engine, cluster, in := strings.Cut(location, inside); in {
		return "cluster " + cluster + " at " + engine
	}
	return "engine " + location
}

// api reaches the cluster of a location that is inside of one.
func (p *Provider) api(ctx context.Context, location string) (*kube.Client, error) {
	location, err := p.Locate(ctx, location)
	if err != nil {
		return nil, err
	}
	if name, ok := strings.CutPrefix(location, inContext); ok {
		config, err := p.contextOf(name)
		if err != nil {
			return nil, err
		}
		return kube.New(config)
	}
	engine, name, in := strings.Cut(location, inside)
	if !in {
		return nil, permanent("", "use local#NAME, or management", "%s is an engine, not the inside of a cluster", location)
	}
	if config, known := p.reached.get(location); known {
		return kube.New(config)
	}
	h, err := p.host(ctx, engine)
	if err != nil {
		return nil, err
	}
	f, err := h.one(ctx, func(f *found) bool { return f.name == name && f.id != "" })
	switch {
	case err != nil:
		return nil, err
	case f == nil:
		return nil, &provider.Error{Class: provider.Transient, Err: fmt.Errorf("the cluster %s does not exist", name)}
	}
	c, err := h.see(ctx, f)
	if err != nil {
		return nil, err
	}
	config, err := h.config(ctx, c)
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
		text, err := os.ReadFile(file)
		if err == nil {
			var c kube.Config
			if c, err = kube.Parse(text, name, filepath.Dir(file)); err == nil {
				return c, nil
			}
		}
		failed = err
	}
	return kube.Config{}, permanent("", "check options.cluster.management and --cluster-kubeconfig", "cannot use the context %s of %s: %w", name, files, failed)
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
