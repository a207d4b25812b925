package gitclone

import (
	"cmp"
	"strings"
)

const (
	// maxMemory limits the memory of git and of each program that it starts: it keeps the branches and tags of an
	// answer in memory, and unpacks objects there. The answer of a server can name branches without end.
	maxMemory = 2 << 30
	// askMemory is enough for two million branches and tags, and for a program instead of ssh.
	askMemory = 512 << 20
)

// memoryFor returns the limit of the memory of a command.
func (c *Clone) memoryFor(op string) int64 {
	if op == "ls-remote" {
		return cmp.Or(c.MostMemory, askMemory)
	}
	return cmp.Or(c.MostMemory, maxMemory)
}

// exhausted reports whether git, or a program that it started, ended for lack of memory.
func exhausted(said string) bool {
	said = strings.ToLower(said)
	return strings.Contains(said, "out of memory") || strings.Contains(said, "cannot allocate memory")
}
