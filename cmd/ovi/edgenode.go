package main

import (
	"time"

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
func (c *call) nodeContainers() *podman.Provider {
	option := func(key string) string { return c.optionOf(chartProvider, key) }
	return podman.New(podman.Options{
		Host: option("host"), Getenv: c.Getenv, Clock: c.Now,
		TLS: libpod.Certificates{CA: option("tls-ca"), Cert: option("tls-cert"), Key: option("tls-key")},
	})
}

// optionOf is an option of a provider, of the command line or the environment.
func (c *call) optionOf(name, key string) string {
	for _, e := range c.entries() {
		if e.Name == name {
			return c.option(e, key, nil)
		}
	}
	return ""
}
