//go:build unix

package datadir

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	others fs.FileMode = 0o077 // the rights of the group and of other users
	writes fs.FileMode = 0o033 // those of them to write or to execute
)

func ownership(dir, path string, info fs.FileInfo) (Fault, bool) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		owner := strconv.Itoa(int(stat.Uid))
		return Fault{path, "belongs to " + nameOf(owner), fmt.Sprintf("sudo chown -R %d %s", os.Geteuid(), quoted(dir))}, true
	}
	if mode := info.Mode().Perm(); mode&others != 0 && !(readable(path) && mode&writes == 0) {
		return Fault{path, fmt.Sprintf("is open to other users (mode %04o)", mode), "chmod -R go-rwx " + quoted(dir)}, true
	}
	return Fault{}, false
}

// readable reports whether git leaves a file of a clone open to be read by all: it gives its temporary files mode 0444
// whatever
// the umask is, and the right one when they are complete. Another stack of the same process, or another one, may fetch
// meanwhile, and what a killed git left stays. The marks of a partial clone's packs keep that mode once git has packed
// them together. The folders around them are closed.
func readable(path string) bool {
	name := filepath.Base(path)
	return (strings.HasPrefix(name, "tmp_") || strings.HasSuffix(name, ".promisor")) &&
		strings.Contains(filepath.ToSlash(path), "/objects/")
}

func nameOf(uid string) string {
	if u, err := user.LookupId(uid); err == nil {
		return "user " + u.Username
	}
	return "user " + uid
}
