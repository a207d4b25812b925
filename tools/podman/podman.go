//go:build tools

// Package podman pins the Podman 5 that the nightly tests run, beside the machine's own.
package podman

import _ "github.com/containers/podman/v5/cmd/podman"
