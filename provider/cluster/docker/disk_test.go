//go:build unix

package docker_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ovi-project/ovi/provider/cluster/docker"
)

// TestAContainerLeadsToNoFileOfTheHost: only a regular file inside of one that runs is read from the disk, and a pipe
// holds nothing up.
func TestAContainerLeadsToNoFileOfTheHost(t *testing.T) {
	host := t.TempDir()
	dir := filepath.Join(host, "merged")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, name string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(host, "secret"), "of the host")
	write(filepath.Join(dir, "config"), "of the cluster")
	write(filepath.Join(dir, "empty"), "")
	link("../secret", "up")
	link(filepath.Join(host, "secret"), "absolute")
	link("..", "parent")
	if err := unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	var c docker.Container
	c.State.Status = "running"
	c.GraphDriver.Data.MergedDir = dir
	if b, read := c.OnDisk("/config"); !read || string(b) != "of the cluster" {
		t.Errorf("read %v: %q", read, b)
	}
	for _, name := range []string{"/none", "/empty", "/up", "/absolute", "/parent/secret", "/../secret", "/pipe", "/"} {
		if b, read := c.OnDisk(name); read {
			t.Errorf("%s is read: %q", name, b)
		}
	}
	for _, dir := range []string{"", "merged", filepath.Join(host, "none")} {
		c.GraphDriver.Data.MergedDir = dir
		if _, read := c.OnDisk("/config"); read {
			t.Errorf("%q is read", dir)
		}
	}
	c.GraphDriver.Data.MergedDir, c.State.Status = dir, "exited"
	if _, read := c.OnDisk("/config"); read {
		t.Error("a container that does not run is read")
	}
}
