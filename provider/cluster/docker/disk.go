package docker

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ovi-project/ovi/internal/budget"
)

// OnDisk reads a file of a container that runs where the engine of this host has mounted it, as far as this
// process may: it is what File gives, for which Podman starts a process. What cannot be read so, such as a link or
// a file in a volume, is to be asked for. A container leads to no file outside of it, and to none that does not end.
func (c *Container) OnDisk(name string) ([]byte, bool) {
	dir := c.GraphDriver.Data.MergedDir
	if dir == "" || c.State.Status != "running" || !filepath.IsAbs(dir) {
		return nil, false
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, false
	}
	defer func() { _ = root.Close() }()
	f, err := root.OpenFile(strings.TrimPrefix(name, "/"), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, false
	}
	defer func() { _ = f.Close() }() // only read from
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	b, err := budget.ReadAll(f, name, maxFile)
	return b, err == nil && len(b) > 0
}
