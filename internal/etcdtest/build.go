package etcdtest

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// build compiles the server binary, or finds it in the user's cache. Its name depends on its
// sources, and it is moved there when it is complete, so that concurrent test processes never
// find an incomplete or changing binary.
func build(t testing.TB) string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	module := filepath.Join(filepath.Dir(here), "..", "..", "tools", "etcd")
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	cache = filepath.Join(cache, "ovi-test")
	bin := filepath.Join(cache, "etcd-"+made(t, module))
	if _, err := os.Stat(bin); err == nil {
		return bin
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	defer alone(t, filepath.Join(cache, "lock"))()
	if _, err := os.Stat(bin); err == nil {
		return bin // built while this process waited
	}
	cmd := exec.Command("go", "build", "-o", bin+".new", "go.etcd.io/etcd/server/v3")
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the etcd server (pinned in tools/etcd): %v\n%s", err, out)
	}
	if err := os.Rename(bin+".new", bin); err != nil {
		t.Fatal(err)
	}
	return bin
}

// made is a digest of the sources of a binary.
func made(t testing.TB, module string) string {
	sum := sha256.New()
	sum.Write(fmt.Appendln(nil, runtime.Version(), runtime.GOOS, runtime.GOARCH))
	for _, name := range []string{"go.mod", "go.sum"} {
		b, err := os.ReadFile(filepath.Join(module, name))
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(b)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:8])
}

// alone excludes other processes that build, until the returned function is called.
func alone(t testing.TB, path string) func() {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	return func() { _ = file.Close() }
}
