package git

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/ovi-project/ovi/internal/gitclone"
)

// The refs of the clone: what was fetched last, and what was read last.
const (
	fetchedRef  = "refs/ovi/fetched"
	acceptedRef = "refs/ovi/accepted"
)

// Options is what a repository needs from outside.
type Options struct {
	// Dir is the folder of the clones. It is created when it is needed.
	Dir string
	// Signers is a file of the SSH keys whose signatures are trusted, as ssh-keygen reads it. "" means commits
	// need no signature.
	Signers string
	// Accept is the commit of a rewound branch that is read all the same.
	Accept string
	// Env answers for the environment of git. os.LookupEnv fits. Nil: nothing is set.
	Env func(name string) (string, bool)
}

// Repo is a clone of one ref of a repository. Several goroutines may use it.
type Repo struct {
	url   URL
	opts  Options
	clone gitclone.Clone

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
	return &Repo{url: u, opts: o, clone: gitclone.Clone{
		Dir: gitclone.Folder(o.Dir, u.Remote, u.Ref), Remote: u.Remote,
		Signers: o.Signers, Env: o.Env, Own: true,
	}}
}

// Head asks the server for the commit of the ref, and fetches nothing. full is what git calls the ref.
func (r *Repo) Head(ctx context.Context) (commit, full string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.head(ctx)
}

func (r *Repo) head(ctx context.Context) (oid, full string, err error) {
	oid, full, err = r.clone.Head(ctx, r.url.Ref)
	if err == nil && oid == "" {
		ref := "HEAD"
		if r.url.Ref != "" {
			ref = "refs/heads/" + r.url.Ref
		}
		err = &MissingError{What: "ref " + ref, In: r.url}
	}
	return oid, full, err
}

// Read brings the clone to the commit of the ref, and reads the path.
func (r *Repo) Read(ctx context.Context) (Tree, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.clone.Prepare(ctx); err != nil {
		return Tree{}, err
	}
	unlock, err := r.clone.Lock(ctx)
	if err != nil {
		return Tree{}, err
	}
	defer unlock()
	head, err := r.update(ctx)
	if err != nil {
		return Tree{}, err
	}
	hash, err := r.clone.Hash(ctx, head, r.url.Path)
	if err == nil && hash == "" {
		err = &MissingError{What: fmt.Sprintf("path %s at commit %.12s", r.url.Path, head), In: r.url}
	}
	if err != nil {
		return Tree{}, err
	}
	if hash != r.last.Hash {
		files, folders, err := r.files(ctx, head)
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
	accepted, err := r.clone.Resolve(ctx, acceptedRef)
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
		if _, err := r.clone.Git(ctx, "verify-commit", "--end-of-options", head); err != nil {
			return "", &UnsignedError{Commit: head, In: r.url, Err: err}
		}
	}
	if accepted != head {
		_, err = r.clone.Git(ctx, "update-ref", "--end-of-options", acceptedRef, head)
	}
	return head, err
}

// fetch brings the commit of a ref, its trees and what came between, and none of the files.
func (r *Repo) fetch(ctx context.Context, full string, deep ...string) (string, error) {
	if err := r.clone.Fetch(ctx, []string{"+" + full + ":" + fetchedRef}, deep...); err != nil {
		return "", err
	}
	return r.clone.Resolve(ctx, fetchedRef)
}

// follows refuses a commit that is not based on the one that was read last. The clone has the history
// since its first commit; only where that does not tell is the rest fetched.
func (r *Repo) follows(ctx context.Context, last, head, full string) error {
	if last == "" || last == head || r.opts.Accept == head {
		return nil
	}
	based, err := r.clone.Based(ctx, last, head)
	if err == nil && !based && r.isShallow() {
		if _, err = r.fetch(ctx, full, "--unshallow"); err == nil {
			based, err = r.clone.Based(ctx, last, head)
		}
	}
	if err == nil && !based {
		err = &RewoundError{Last: last, Head: head, In: r.url}
	}
	return err
}

func (r *Repo) isShallow() bool {
	_, err := os.Stat(filepath.Join(r.clone.Dir, "shallow"))
	return err == nil
}
