// Package engine has the clusters of one container engine. Programs create and delete them; what exists is read from
// the engine and from the API server of each cluster.
package engine

import (
	"context"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/command"
	"github.com/ovi-project/ovi/provider/cluster/docker"
	"github.com/ovi-project/ovi/provider/cluster/kube"
	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

// Reachable reads how to reach the cluster of a name.
func (h *Host) Reachable(ctx context.Context, name string) (kube.Config, error) {
	f, err := h.one(ctx, func(f *found) bool { return f.name == name && f.id != "" })
	switch {
	case err != nil:
		return kube.Config{}, err
	case f == nil:
		return kube.Config{}, &provider.Error{
			Cause: provider.Unreachable, Err: provider.Errorf("the cluster %s does not exist", name),
		}
	}
	c, err := h.see(ctx, f)
	if err != nil {
		return kube.Config{}, err
	}
	return h.config(ctx, c)
}

// kubeconfig is the text of a kubeconfig of the administrator, which works on this host.
func (h *Host) kubeconfig(ctx context.Context, f *found) ([]byte, error) {
	c, err := h.see(ctx, f)
	if err != nil {
		return nil, err
	}
	config, err := h.config(ctx, c)
	if err != nil {
		return nil, err
	}
	return config.Kubeconfig(f.context())
}

// How long kind and k3d, and a cluster that they made, may take.
const (
	createWait = 10 * time.Minute
	deleteWait = 3 * time.Minute
	startWait  = 2 * time.Minute
	stopWait   = 10 * time.Second
)

// Settings are the settings of an engine.
type Settings struct {
	Hooks   command.Hooks
	Getenv  func(string) string
	Environ func() []string // of kind and k3d
	Clock   func() time.Time
	// Digest returns the keyed digest of a secret. If it is nil, kubeconfigs are not reported.
	Digest func(ref resource.Ref, path, plain string) resource.Digest
}

// Host is one engine, and what is known of it.
type Host struct {
	*docker.Client
	endpoint string
	scope    resource.Scope
	Settings
	reached  *Reached
	networks func(context.Context) ([]docker.Network, error)
	notes    func(context.Context) ([]docker.Volume, error)
}

// New returns the host of an engine.
func New(c *docker.Client, endpoint string, o Settings, r *Reached) *Host {
	return &Host{
		Client: c, endpoint: endpoint, scope: resource.Scope{
			Provider: system.Name, Location: endpoint,
		}, Settings: o, reached: r, networks: c.Networks,
		notes: func(ctx context.Context) ([]docker.Volume, error) { return c.Volumes(ctx, noteLabel) },
	}
}

// Reveal returns the kubeconfig of a cluster.
func (h *Host) Reveal(ctx context.Context, have resource.Observed, path string) (resource.Secret, error) {
	c, err := h.byID(ctx, have.ID)
	switch {
	case err != nil:
		return resource.Secret{}, err
	case c == nil || path != "kubeconfig":
		return resource.Secret{}, system.Mistake("", "", "%s has no %s", have.Ref.Short(), path)
	}
	text, err := h.kubeconfig(ctx, c)
	if err != nil {
		return resource.Secret{}, err
	}
	return resource.NewSecret(string(text), h.digest(c.name, path, text)), nil
}

func (h *Host) digest(cluster, path string, plain []byte) resource.Digest {
	if h.Digest == nil {
		return ""
	}
	return h.Digest(h.ref(cluster), path, string(plain))
}

func (h *Host) ref(cluster string) resource.Ref {
	return resource.Ref{Provider: system.Name, Location: h.scope.Location, Kind: system.KindCluster, Name: cluster}
}
