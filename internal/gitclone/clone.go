package gitclone

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// maxPacks is how many packs the clone may have before they are packed together: each fetch adds one.
const maxPacks = 50

// Clone is a bare clone of a repository, which fetches only what it is asked for. Of two processes that
// change it at a time, one waits: see Lock.
type Clone struct {
	Dir    string
	Remote string // https://…, ssh://… or file:///…, as CheckRemote allows
	// Signers is a file of the SSH keys whose signatures are trusted, as ssh-keygen reads it; "" means that none is.
	Signers string
	// Env answers for the environment of git. os.LookupEnv fits. Nil means that nothing is set.
	Env func(name string) (string, bool)
	// Wait bounds one call of git: a server that does not answer is unreachable. 0 means two minutes. A question
	// about branches and tags waits at most 20 seconds.
	Wait time.Duration
	// MostFetched limits the bytes of one fetch; 0 means 2 GiB.
	MostFetched int64
	// MostMemory limits the memory of git; 0 means 2 GiB, and 512 MiB for a question about branches and tags.
	MostMemory int64
	// Own means that an operator named the remote, not a configuration. OVI_GIT_TOKEN then goes to its host.
	Own bool
}

// Folder is where the clone of a remote is in a folder of clones. What else tells clones of the remote
// apart is in more.
func Folder(clones, remote, more string) string {
	sum := sha256.Sum256([]byte(remote + "\n" + more))
	return filepath.Join(clones, hex.EncodeToString(sum[:8]))
}

// Prepare creates the clone, empty, if there is none.
func (c *Clone) Prepare(ctx context.Context) error {
	if c.exists() {
		return nil
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return fmt.Errorf("create the clone: %w", err)
	}
	unlock, err := c.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if c.exists() {
		return nil
	}
	_, err = c.Git(ctx, "init", "--quiet", "--bare", "--template=", "--shared=0600", "--end-of-options", ".")
	return err
}

func (c *Clone) exists() bool {
	_, err := os.Stat(filepath.Join(c.Dir, "config"))
	return err == nil
}

// Lock waits until no other process uses the clone. The lock ends with the process, or with unlock.
func (c *Clone) Lock(ctx context.Context) (unlock func(), err error) {
	unlock, err = LockFile(ctx, filepath.Join(c.Dir, "ovi.lock"))
	if err != nil {
		return nil, fmt.Errorf("lock the clone: %w", err)
	}
	return unlock, nil
}

// Fetch brings commits and their trees, and none of the files. refs are refspecs; more are other arguments.
func (c *Clone) Fetch(ctx context.Context, refs []string, more ...string) error {
	args := append([]string{
		"--quiet", "--filter=blob:none", "--no-tags", "--no-write-fetch-head",
		"--no-auto-maintenance",
	}, more...)
	args = append(append(args, "--end-of-options", "origin"), refs...)
	if _, err := c.Git(ctx, "fetch", args...); err != nil {
		return err
	}
	if packs, _ := filepath.Glob(filepath.Join(c.Dir, "objects", "pack", "*.pack")); len(packs) > maxPacks {
		_, err := c.Git(ctx, "gc", "--quiet")
		return err
	}
	return nil
}

// Resolve is the commit of a ref of the clone; "" if it has none.
func (c *Clone) Resolve(ctx context.Context, ref string) (string, error) {
	out, err := c.Git(ctx, "rev-parse", "--quiet", "--verify", "--end-of-options", ref+"^{commit}")
	if isNo(err) {
		return "", nil
	}
	return string(bytes.TrimSpace(out)), err
}

// Based reports whether a commit is another one, or has it in its history.
func (c *Clone) Based(ctx context.Context, on, head string) (bool, error) {
	_, err := c.Git(ctx, "merge-base", "--is-ancestor", "--end-of-options", on, head)
	if isNo(err) {
		return false, nil
	}
	return err == nil, err
}

// isNo reports whether git answered a question with no.
func isNo(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == 1
}
