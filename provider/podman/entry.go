package podman

import (
	"context"
	"os"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/byhand"
	"github.com/ovi-project/ovi/provider/podman/host"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/resource"
)

// Entry is Podman in a table of providers.
func Entry() provider.Entry {
	return provider.Entry{
		Name: schema.Name, Doc: "Podman",
		Locations: provider.Locations{
			Word: "host", Example: host.Local, Pattern: `local|(unix|tcp|ssh)://.+|[0-9a-f]{12}/.+`,
			Default: func(func(string) string) string { return host.Local },
		},
		Options: []provider.Option{
			{
				Key: "host", Env: []string{"CONTAINER_HOST"},
				Doc: "use the Podman at `URL` for the host local, such as unix:///run/podman/podman.sock",
			},
			{Key: "tls-ca", Doc: "trust the certificate `FILE` of hosts at tcp://"},
			{Key: "tls-cert", Doc: "show the certificate `FILE` to hosts at tcp://"},
			{Key: "tls-key", Doc: "use the key `FILE` of that certificate"},
		},
		Kinds: schema.Kinds, ByHand: byhand.Commands, Exports: byhand.Exports(),
		Open: func(_ context.Context, c provider.Config) (provider.Provider, error) {
			o := Options{
				Host: c.Options("host"), Getenv: os.Getenv, Clock: c.Clock,
				TLS: libpod.Certificates{CA: c.Options("tls-ca"), Cert: c.Options("tls-cert"), Key: c.Options("tls-key")},
			}
			if c.Digest != nil {
				o.Digest = func(plain string) string {
					return string(c.Digest(resource.Ref{Provider: schema.Name, Kind: "host"}, "id", plain))
				}
			}
			return New(o), nil
		},
	}
}
