//go:build !linux

package main

import (
	"testing"

	"github.com/ovi-project/ovi/internal/needs"
)

// mountReadOnly needs Linux: elsewhere run the tests as another user than root.
func mountReadOnly(t *testing.T, _ string) {
	t.Helper()
	needs.Missing(t, "root can write everywhere: run the tests as another user")
}
