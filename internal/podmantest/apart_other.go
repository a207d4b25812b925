//go:build !linux

package podmantest

// Apart does nothing: Podman runs on Linux.
func Apart() {}
