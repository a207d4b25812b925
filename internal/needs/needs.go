// Package needs is for tests that need more than Go: a program, root, a kernel that allows it. Where
// that is missing such a test is skipped on a developer's machine, and fails in CI (CI is set), so
// that no promise goes untested unnoticed.
package needs

import (
	"os"
	"os/exec"
	"testing"
)

// Missing skips the test, or fails it in CI. The text says what is missing and what to do.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// Root needs the test to run as root, for what the text says.
func Root(t testing.TB, what string) {
	t.Helper()
	if os.Geteuid() != 0 {
		Missing(t, "%s needs root", what)
	}
}

// Program returns the path of a program that tools/need.sh installs.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, "%s is missing: run `make need` as root", name)
	}
	return path
}
