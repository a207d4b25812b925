package gitlock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/ovi-project/ovi/internal/gitclone"
)

// Fetcher brings folders from their repositories to the cache.
type Fetcher struct {
	Cache Cache
	// Env answers for the environment of git.
	Env func(name string) (string, bool)
	// Operator is the remote that an operator named, whose host gets OVI_GIT_TOKEN. If it is empty, only the host of
	// OVI_GIT_TOKEN_FOR gets the token.
	Operator string
}

// clone returns the clone of a repository.
func (f *Fetcher) clone(u gitclone.URL) *gitclone.Clone {
	return &gitclone.Clone{
		Dir: gitclone.Folder(filepath.Join(f.Cache.Dir, "git"), u.Remote, ""), Remote: u.Remote, Env: f.Env,
		Own: f.Operator != "" && gitclone.SameHost(f.Operator, u.Remote),
	}
}

// Head asks the server for the commit of the ref of a URL.
func (f *Fetcher) Head(ctx context.Context, u gitclone.URL) (commit, full string, err error) {
	if err := f.Cache.usable(); err != nil {
		return "", "", err
	}
	commit, full, err = f.clone(u).Head(ctx, u.Ref)
	switch {
	case err != nil:
		return "", "", &Error{
			Summary: "cannot read " + u.String(), Err: err,
			Next: "check the URL and the network, and that the key of ssh or OVI_GIT_TOKEN may read the repository",
		}
	case commit == "" && u.Ref == "":
		return "", "", &Error{Summary: u.String() + " has no default branch", Next: "add ?ref=BRANCH to the URL"}
	case commit == "":
		return "", "", &Error{
			Summary: fmt.Sprintf("%s has no branch or tag %s", u, u.Ref),
			Next:    "use the name of a branch or a tag, or the whole ID of a commit",
		}
	}
	return commit, full, nil
}

// Folder brings the files of a folder of a commit, and returns their text.
func (f *Fetcher) Folder(ctx context.Context, u gitclone.URL, commit string) ([]byte, error) {
	if err := f.Cache.usable(); err != nil {
		return nil, err
	}
	c := f.clone(u)
	if err := c.Prepare(ctx); err != nil {
		return nil, err
	}
	unlock, err := c.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	shown := fmt.Sprintf("%s at commit %.12s", u, commit)
	if err := f.bring(ctx, c, u, commit); err != nil {
		return nil, &Error{
			Summary: "cannot fetch " + shown, Err: err,
			Next: "check the network, and that the repository still has the commit; `ovi fetch --upgrade` locks the newest",
		}
	}
	hash, err := c.Hash(ctx, commit, u.Path)
	if err != nil {
		return nil, err
	}
	if hash == "" {
		return nil, &Error{Summary: shown + " has no folder " + u.Path, Next: "check the path behind // in the URL"}
	}
	entries, err := c.List(ctx, commit, u.Path, "the commit")
	if err == nil {
		err = c.Bring(ctx, commit, u.Path, entries)
	}
	var files []gitclone.File
	if err == nil {
		files, err = c.Contents(ctx, entries, "the folder")
	}
	var text []byte
	if err == nil {
		text, err = Encode(files, u.Path)
	}
	if err != nil {
		return nil, &Error{
			Summary: "cannot use " + shown, Err: err, Next: "use a folder that has only the files of the component",
		}
	}
	return text, nil
}

// bring fetches a commit and its trees. A server that gives out branches and tags alone is asked for the ref.
func (f *Fetcher) bring(ctx context.Context, c *gitclone.Clone, u gitclone.URL, commit string) error {
	ref := "refs/ovi/commits/" + commit
	if have, err := c.Resolve(ctx, ref); err != nil || have == commit {
		return err
	}
	err := c.Fetch(ctx, []string{"+" + commit + ":" + ref}, "--depth=1")
	if err == nil {
		return nil
	}
	_, full, failed := c.Head(ctx, u.Ref)
	if failed != nil || full == "" || full == commit {
		return err
	}
	if failed := c.Fetch(ctx, []string{"+" + full + ":refs/ovi/fetched"}); failed != nil {
		return errors.Join(err, failed)
	}
	if based, failed := c.Based(ctx, commit, "refs/ovi/fetched"); failed != nil || !based {
		return err
	}
	_, err = c.Git(ctx, "update-ref", "--end-of-options", ref, commit)
	return err
}

// Locked returns the text of a locked folder. It uses the network only if the cache does not have the folder.
func (f *Fetcher) Locked(ctx context.Context, l Line) ([]byte, error) {
	text, err := f.Cache.Text(l)
	if !errors.Is(err, ErrMissing) && !errors.Is(err, ErrChanged) {
		return text, err
	}
	if text, err = f.Folder(ctx, l.URL, l.Commit); err != nil {
		return nil, err
	}
	if got := Digest(text); got != l.Digest {
		return nil, &Error{
			Summary: fmt.Sprintf("%s at commit %.12s has the digest %s, and line %d of %s has %s", l.URL, l.Commit, got,
				l.Number, FileName, l.Digest),
			Next: "restore the line from Git, or delete it and run `ovi fetch`",
		}
	}
	return text, f.Cache.Put(ctx, l, text)
}

// Open returns the files of a locked folder, by their paths in the repository.
func (f *Fetcher) Open(ctx context.Context, l Line) (fs.FS, error) {
	text, err := f.Locked(ctx, l)
	if err != nil {
		return nil, err
	}
	return InMemory(text, l.URL.Path)
}
