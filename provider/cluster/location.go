package cluster

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/provider/cluster/docker"
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

// Locate implements provider.Locator: the location of a cluster is the URL of its engine. It asks no engine.
func (p *Provider) Locate(_ context.Context, location string) (string, error) {
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
	if engine, cluster, in := strings.Cut(location, inside); in {
		return "cluster " + cluster + " at " + engine
	}
	return "engine " + location
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
