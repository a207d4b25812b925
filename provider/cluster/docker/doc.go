// Package docker is a thin client of the Docker API, which Podman speaks too: what a provider of
// clusters has to know of the containers that kind and k3d make, and of their images and networks.
package docker
