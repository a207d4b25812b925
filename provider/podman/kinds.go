package podman

import (
	"context"
	"fmt"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/container"
	"github.com/ovi-project/ovi/provider/podman/failure"
	"github.com/ovi-project/ovi/provider/podman/host"
	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/resource"
)

// Name is the provider's name in refs and configurations.
const Name = schema.Name

// Kinds lists the schemas of all kinds, without I/O. Each call returns a fresh list.
func Kinds() []resource.Kind { return schema.Kinds() }

// kind is everything this provider knows about one kind of resource.
type kind struct {
	schema resource.Kind
	list   func(context.Context, *host.Reading) ([]resource.Observed, error)
	read   func(ctx context.Context, g *host.Reading, id string) (resource.Observed, error)
	check  func(context.Context, *host.Host, provider.Request) error
	create func(context.Context, *host.Host, provider.Request) (id string, err error)
	update func(context.Context, *host.Host, provider.Request) error
	remove func(context.Context, *host.Host, provider.Request) error
}

// kinds lists all kinds.
func kinds() []kind {
	return []kind{
		{
			schema: schema.ContainerKind(), list: container.List, read: container.Read, check: container.Check,
			create: container.Create, update: container.Update, remove: container.Remove,
		},
		{
			schema: schema.NetworkKind(), list: listNetworks, read: readNetwork, check: checkNetwork,
			create: createNetwork, update: relabel, remove: removeNetwork,
		},
		{
			schema: schema.PodKind(), list: listPods, read: readPod, check: checkPod,
			create: createPod, update: updatePod, remove: removePod,
		},
		{
			schema: schema.SecretKind(), list: listSecrets, read: readSecret,
			check:  func(context.Context, *host.Host, provider.Request) error { return nil },
			create: createSecret, remove: removeSecret,
			update: func(context.Context, *host.Host, provider.Request) error { return provider.ErrReplace },
		},
		{
			schema: schema.VolumeKind(), list: listVolumes, read: readVolume, check: checkVolume,
			create: createVolume, update: relabel, remove: removeVolume,
		},
	}
}

func kindOf(name string) (kind, error) {
	for _, k := range kinds() {
		if k.schema.Name == name {
			return k, nil
		}
	}
	return kind{}, failure.Mistake("", "", "unknown kind %q", name)
}

// after reads what an action made. Its result is uncertain if that fails.
func (k kind) after(ctx context.Context, h *host.Host, verb, id string) (resource.Observed, error) {
	o, err := k.read(ctx, h.Reading(), id)
	if err != nil {
		return o, &provider.Error{
			Cause: provider.UnknownResult, Op: verb + " " + k.schema.Name, Err: fmt.Errorf("cannot read the result: %w", err),
		}
	}
	return o, nil
}

// relabel changes nothing: labels of what exists are in the record alone.
func relabel(_ context.Context, _ *host.Host, r provider.Request) error {
	for _, c := range r.Changes {
		if c.On != resource.OnAttribute || !schema.PathIn(c.Path, "labels") {
			return provider.ErrReplace
		}
	}
	return nil
}
