// Package podmantest runs a real Podman for tests: its REST service on a socket of its own, with
// its own storage, networks and range of addresses, an image that needs no registry, and a
// registry on loopback for pulls. The machine's own Podman is not touched, nor
// is another test's: a TestMain that calls Apart gives its process a network of its own.
package podmantest
