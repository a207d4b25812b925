package edge

import (
	"time"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman"
	"github.com/ovi-project/ovi/provider/podman/libpod"
)

// The pace of a site.
const (
	edgeInterval = 10 * time.Second
	edgeBeat     = 10 * time.Second
)

// nodeContainers is what runs the containers of a node: the Podman that --podman-host or CONTAINER_HOST
// names, else that of this host.
func nodeContainers(c *command.Call) *podman.Provider {
	option := func(key string) string { return optionOf(c, command.ChartProvider, key) }
	return podman.New(podman.Options{
		Host: option("host"), Getenv: c.Getenv, Clock: c.Now,
		TLS: libpod.Certificates{CA: option("tls-ca"), Cert: option("tls-cert"), Key: option("tls-key")},
	})
}

// optionOf is an option of a provider, of the command line or the environment.
func optionOf(c *command.Call, name, key string) string {
	for _, e := range c.Entries() {
		if e.Name == name {
			return c.Option(e, key, nil)
		}
	}
	return ""
}

// The pauses before the service that runs containers is asked again.
const (
	containersFirst = time.Second
	containersMost  = 30 * time.Second
)

// awaitContainers finds where a node's containers are. It waits for a service that does not answer: after a
// power cut that may start later than the node.
func awaitContainers(c *command.Call, containers *podman.Provider) (location string, err error) {
	for pause := containersFirst; ; pause = min(2*pause, containersMost) {
		location, err = containers.Locate(c, "local")
		if err == nil || provider.CauseOf(err) != provider.Unreachable {
			return location, err
		}
		c.Out.Warn("the node waits for the service that runs containers: "+err.Error(),
			"none needed if it starts soon; retried in "+pause.String())
		select {
		case <-c.Done():
			return "", c.Err()
		case <-time.After(pause):
		}
	}
}
