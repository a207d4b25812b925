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

	"github.com/ovi-project/ovi/internal/shell"
)

const (
	others fs.FileMode = 0o077 // the rights of the group and of other users
	writes fs.FileMode = 0o033 // those of them to write or to execute
)

func ownership(dir, path string, info fs.FileInfo) (Fault, bool) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		owner := strconv.Itoa(int(stat.Uid))
		if u, err := user.LookupId(owner); err == nil {
			owner = u.Username
		}
		next := fmt.Sprintf("sudo chown -R %d %s", os.Geteuid(), shell.Word(dir))
		return Fault{path, "belongs to user " + owner, next}, true
	}
	if mode := info.Mode().Perm(); mode&others != 0 && !(readable(path) && mode&writes == 0) {
		what := fmt.Sprintf("is open to other users (mode %04o)", mode)
		return Fault{path, what, "chmod -R go-rwx " + shell.Word(dir)}, true
	}
	return Fault{}, false
}

// readable reports whether git leaves a file of a clone readable by all users: it creates its temporary and lock
// files so, whatever the umask is, and restricts them when they are complete. Another stack may fetch meanwhile,
// and a killed git leaves such a file. The marks of a partial clone's packs keep that mode once git has packed
// them together. The folders around these files are closed.
func readable(path string) bool {
	name, slashed := filepath.Base(path), filepath.ToSlash(path)
	return strings.Contains(slashed, "/git/") && strings.HasSuffix(name, ".lock") ||
		strings.Contains(slashed, "/objects/") && (strings.HasPrefix(name, "tmp_") || strings.HasSuffix(name, ".promisor"))
}
