//go:build tools

// Package kind pins the kind that the tests of clusters run.
package kind

import _ "sigs.k8s.io/kind"
