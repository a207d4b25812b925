//go:build unix

package datadir

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// others are the rights of the group and of other users.
const others fs.FileMode = 0o077

func ownership(dir, path string, info fs.FileInfo) (Fault, bool) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		owner := strconv.Itoa(int(stat.Uid))
		return Fault{path, "belongs to " + nameOf(owner), fmt.Sprintf("sudo chown -R %d %s", os.Geteuid(), quoted(dir))}, true
	}
	if mode := info.Mode().Perm(); mode&others != 0 {
		return Fault{path, fmt.Sprintf("is open to other users (mode %04o)", mode), "chmod -R go-rwx " + quoted(dir)}, true
	}
	return Fault{}, false
}

func nameOf(uid string) string {
	if u, err := user.LookupId(uid); err == nil {
		return "user " + u.Username
	}
	return "user " + uid
}
