package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// The refs of the clone: what was fetched last, and what was read last.
const (
	fetchedRef  = "refs/ovi/fetched"
	acceptedRef = "refs/ovi/accepted"
)

// maxPacks is how many packs the clone may have before they are packed together: each commit adds one.
const maxPacks = 50

// Options is what a repository needs from outside.
type Options struct {
	// Dir is the folder of the clones. It is created when it is needed.
	Dir string
	// Signers is a file of the SSH keys whose signatures are trusted, as ssh-keygen reads it. "": commits
	// need no signature.
	Signers string
	// Accept is the commit of a rewound branch that is read all the same.
	Accept string
	// Env answers for the environment of git. os.LookupEnv fits. Nil: nothing is set.
	Env func(name string) (string, bool)
}

// Repo is a clone of one ref of a repository. Several goroutines may use it.
type Repo struct {
	url  URL
	opts Options
	dir  string

	mu   sync.Mutex
	last Tree // what was read last: read again only when it is another one
}

// Tree is what a path of a repository holds at a commit.
type Tree struct {
	Commit  string
	Hash    string   // of the path: a commit that leaves it as it was has the same
	Files   fs.FS    // by their paths in the repository
	Folders []string // with URL.Each: the folders in the path, sorted
}

// Open returns a repository. Nothing is read or written before it is asked.
func Open(u URL, o Options) *Repo {
	sum := sha256.Sum256([]byte(u.Remote + "\n" + u.Ref))
	return &Repo{url: u, opts: o, dir: filepath.Join(o.Dir, hex.EncodeToString(sum[:8]))}
}

func (r *Repo) env(name string) (string, bool) {
	if r.opts.Env == nil {
		return "", false
	}
	return r.opts.Env(name)
}

// Head asks the server for the commit of the ref, and fetches nothing. full is what git calls the ref.
func (r *Repo) Head(ctx context.Context) (commit, full string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.head(ctx)
}

func (r *Repo) head(ctx context.Context) (oid, full string, err error) {
	ref := r.url.Ref
	if commit.MatchString(ref) {
		return ref, ref, nil
	}
	if err := r.prepare(ctx); err != nil {
		return "", "", err
	}
	patterns := []string{"HEAD"}
	if ref != "" {
		patterns = []string{"refs/heads/" + ref, "refs/tags/" + ref, "refs/tags/" + ref + "^{}"}
	}
	out, err := r.git(ctx, "ls-remote", append([]string{"--end-of-options", r.url.Remote}, patterns...)...)
	if err != nil {
		return "", "", err
	}
	for line := range strings.Lines(string(out)) {
		id, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		peeled := strings.TrimSuffix(name, "^{}")
		switch {
		case !commit.MatchString(id):
		case peeled != name && peeled == full: // the commit of an annotated tag
			oid = id
		case oid == "": // a branch comes before a tag
			oid, full = id, name
		}
	}
	if oid == "" {
		return "", "", &MissingError{What: "ref " + patterns[0], In: r.url}
	}
	return oid, full, nil
}

// prepare creates the clone, empty.
func (r *Repo) prepare(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(r.dir, "HEAD")); err == nil {
		return nil
	}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return fmt.Errorf("create the clone: %w", err)
	}
	_, err := r.git(ctx, "init", "--quiet", "--bare", "--template=", "--shared=0600", "--end-of-options", r.dir)
	if err == nil {
		_, err = r.git(ctx, "config", "remote.origin.url", r.url.Remote)
	}
	return err
}

// Read brings the clone to the commit of the ref, and reads the path.
func (r *Repo) Read(ctx context.Context) (Tree, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.prepare(ctx); err != nil {
		return Tree{}, err
	}
	unlock, err := lock(ctx, filepath.Join(r.dir, "ovi.lock"))
	if err != nil {
		return Tree{}, fmt.Errorf("lock the clone: %w", err)
	}
	defer unlock()
	head, err := r.update(ctx)
	if err != nil {
		return Tree{}, err
	}
	hash, err := r.hash(ctx, head)
	if err != nil {
		return Tree{}, err
	}
	if hash != r.last.Hash {
		files, folders, err := r.files(ctx, head, hash)
		if err != nil {
			return Tree{}, err
		}
		r.last = Tree{Hash: hash, Files: files, Folders: folders}
	}
	r.last.Commit = head
	return r.last, nil
}

// update fetches what is new, and refuses what must not be read.
func (r *Repo) update(ctx context.Context) (string, error) {
	head, full, err := r.head(ctx)
	if err != nil {
		return "", err
	}
	accepted, err := r.resolve(ctx, acceptedRef)
	if err != nil {
		return "", err
	}
	if accepted != head {
		var deep []string
		if accepted == "" {
			deep = []string{"--depth=1"}
		}
		if head, err = r.fetch(ctx, full, deep...); err != nil {
			return "", err
		}
		if err := r.follows(ctx, accepted, head, full); err != nil {
			return "", err
		}
	}
	if r.opts.Signers != "" {
		if _, err := r.git(ctx, "verify-commit", "--end-of-options", head); err != nil {
			return "", &UnsignedError{Commit: head, In: r.url, Err: err}
		}
	}
	if accepted != head {
		_, err = r.git(ctx, "update-ref", "--end-of-options", acceptedRef, head)
	}
	return head, err
}

// fetch brings the commit of a ref, its trees and what came between, and none of the files.
func (r *Repo) fetch(ctx context.Context, full string, deep ...string) (string, error) {
	args := append([]string{"--quiet", "--filter=blob:none", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance"}, deep...)
	args = append(args, "--end-of-options", "origin", "+"+full+":"+fetchedRef)
	if _, err := r.git(ctx, "fetch", args...); err != nil {
		return "", err
	}
	if packs, _ := filepath.Glob(filepath.Join(r.dir, "objects", "pack", "*.pack")); len(packs) > maxPacks {
		if _, err := r.git(ctx, "gc", "--quiet"); err != nil {
			return "", err
		}
	}
	return r.resolve(ctx, fetchedRef)
}

// resolve is the commit of a ref of the clone; "" if it has none.
func (r *Repo) resolve(ctx context.Context, ref string) (string, error) {
	out, err := r.git(ctx, "rev-parse", "--quiet", "--verify", "--end-of-options", ref+"^{commit}")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return "", nil
	}
	return string(bytes.TrimSpace(out)), err
}

// follows refuses a commit that is not based on the one that was read last. The clone has the history
// since its first commit; only where that does not tell is the rest fetched.
func (r *Repo) follows(ctx context.Context, last, head, full string) error {
	if last == "" || last == head || r.opts.Accept == head {
		return nil
	}
	based, err := r.based(ctx, last, head)
	if err == nil && !based && r.isShallow() {
		if _, err = r.fetch(ctx, full, "--unshallow"); err == nil {
			based, err = r.based(ctx, last, head)
		}
	}
	if err == nil && !based {
		err = &RewoundError{Last: last, Head: head, In: r.url}
	}
	return err
}

func (r *Repo) isShallow() bool {
	_, err := os.Stat(filepath.Join(r.dir, "shallow"))
	return err == nil
}

// based reports whether a commit is another one, or has it in its history.
func (r *Repo) based(ctx context.Context, on, head string) (bool, error) {
	_, err := r.git(ctx, "merge-base", "--is-ancestor", "--end-of-options", on, head)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return false, nil
	}
	return err == nil, err
}
