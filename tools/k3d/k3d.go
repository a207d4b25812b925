//go:build tools

// Package k3d pins the k3d that the tests of clusters run.
package k3d

import _ "github.com/k3d-io/k3d/v5"
