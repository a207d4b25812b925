// Package built gives tests the programs that modules under tools pin, and programs of this module. Each
// is compiled once, into the user's cache, under a name that depends on its sources.
package built

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// Program is what to compile.
type Program struct {
	Name    string   // of the file
	Folder  string   // where its go.mod or its sources are, from the root of the repository
	Package string   // as `go build` in that folder takes it
	Flags   []string // of `go build`
	Sources []string // files of the folder that it depends on; nil means go.mod and go.sum
}

// Tool compiles the program, or finds it in the cache. The file is moved there when it is complete, so
// that concurrent test processes never find an incomplete or changing one.
func Tool(t testing.TB, p Program) string {
	t.Helper()
	if p.Sources == nil {
		p.Sources = []string{"go.mod", "go.sum"}
	}
	folder := filepath.Join(Root(t), p.Folder)
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	cache = filepath.Join(cache, "ovi-test")
	sum := sha256.New() // of the sources and of how the program is compiled
	sum.Write(fmt.Appendln(nil, runtime.Version(), runtime.GOOS, runtime.GOARCH, p.Package, p.Flags))
	for _, name := range p.Sources {
		b, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(b)
	}
	bin := filepath.Join(cache, fmt.Sprintf("%s-%x", p.Name, sum.Sum(nil)[:8]))
	if _, err := os.Stat(bin); err == nil {
		return bin
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	// Other processes that build the same wait here.
	lock, err := os.OpenFile(filepath.Join(cache, "lock-"+p.Name), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	if _, err := os.Stat(bin); err == nil {
		return bin // built while this process waited
	}
	cmd := exec.Command("go", slices.Concat([]string{"build"}, p.Flags, []string{"-o", bin + ".new", p.Package})...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s of %s: %v\n%s", p.Name, p.Folder, err, out)
	}
	if err := os.Rename(bin+".new", bin); err != nil {
		t.Fatal(err)
	}
	return bin
}

// started is the folder of the package under test. A test may change to another one.
var started, _ = os.Getwd() //nolint:gochecknoglobals // one a process

// Root is the folder of the repository. It is searched for, because code compiled with -trimpath, whose
// cache all clones share, does not know where its files are.
func Root(t testing.TB) string {
	t.Helper()
	for dir := started; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		b, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(b, []byte("module github.com/ovi-project/ovi\n")) {
			return dir
		}
	}
	t.Fatalf("no folder above %s is the root of the repository: run this test in a clone", started)
	return ""
}
