package gitlock

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/internal/gitclone"
)

// Update is one update of a lock: it locks and fetches each folder that is opened.
type Update struct {
	From *Fetcher
	Was  *Lock
	// Upgrade moves locked branches and tags to their newest commits.
	Upgrade bool
	// Prune removes the lines of folders that are not opened: no other configuration uses the lock.
	Prune bool

	heads map[gitclone.URL]head
	next  []Line
	texts map[gitclone.URL][]byte
	total Total
}

type head struct {
	commit, full string
	err          error
}

// Change is the result of an update for one folder.
type Change struct {
	URL gitclone.URL
	// Full is Git's name of the ref, such as refs/heads/main.
	Full string
	// Old is the locked commit; empty means that the folder was not locked. New is the newest commit of the ref; empty
	// means that it is unknown because of Err, or that the folder is no longer locked.
	Old, New string
	// Taken reports that the lock has the new commit now.
	Taken bool
	// Used reports that the configuration uses the folder.
	Used  bool
	Files []FileChange
	// Unread is the reason for unknown Files. Err is the error of the server.
	Unread, Err error
}

// FileChange is a file that two commits of a folder do not have in common.
type FileChange struct{ Name, Change string }

// Open returns the files of a folder, by their paths in the repository, after it was locked and fetched.
func (u *Update) Open(ctx context.Context, url gitclone.URL) (fs.FS, error) {
	if u.heads == nil {
		u.heads, u.texts = map[gitclone.URL]head{}, map[gitclone.URL][]byte{}
	}
	if text, done := u.texts[url]; done {
		return InMemory(text, url.Path)
	}
	line, locked := u.Was.Find(url)
	commit := u.Was.CommitOf(url)
	if commit == "" || u.Upgrade {
		h := u.head(ctx, url)
		if h.err != nil {
			return nil, h.err
		}
		commit = h.commit
	}
	text, err := []byte(nil), error(nil)
	if locked && commit == line.Commit {
		text, err = u.From.Locked(ctx, line)
	} else {
		line = Line{URL: url, Commit: commit}
		if text, err = u.From.Folder(ctx, url, commit); err == nil {
			line.Digest = Digest(text)
			err = u.From.Cache.Put(ctx, line, text)
		}
	}
	if err != nil {
		return nil, err
	}
	u.texts[url], u.next = text, append(u.next, line)
	files, err := InMemory(text, url.Path)
	if err == nil {
		err = u.total.Add(files)
	}
	return files, err
}

// head asks a server once for the ref of a URL.
func (u *Update) head(ctx context.Context, url gitclone.URL) head {
	of := Repository(url)
	h, asked := u.heads[of]
	if !asked {
		h.commit, h.full, h.err = u.From.Head(ctx, url)
		u.heads[of] = h
	}
	return h
}

// Finish returns the new lock and the changes, sorted by URL, after all folders were opened. A locked folder that was
// not opened stays in the lock, unless Prune is set: another configuration next to it may use it. It moves with its
// repository.
func (u *Update) Finish(ctx context.Context) (*Lock, []Change, error) {
	out := &Lock{}
	var changes []Change
	for _, line := range u.next {
		out.Lines = append(out.Lines, line)
		c, err := u.change(ctx, line)
		if err != nil {
			return nil, nil, err
		}
		changes = append(changes, c...)
	}
	for _, old := range u.Was.Lines {
		if _, used := out.Find(old.URL); used {
			continue
		}
		c := Change{URL: old.URL, Old: old.Commit, New: old.Commit}
		if u.Prune {
			c.New, c.Taken = "", true
			changes = append(changes, c)
			continue
		}
		line, moved := old, (&Lock{u.next}).CommitOf(old.URL)
		if moved != "" && moved != old.Commit {
			text, err := u.From.Folder(ctx, old.URL, moved)
			if err != nil {
				c.New, c.Unread, c.Taken = "", err, true
				changes = append(changes, c)
				continue
			}
			c.New, c.Taken = moved, true
			line = Line{URL: old.URL, Commit: moved, Digest: Digest(text)}
			if err := u.From.Cache.Put(ctx, line, text); err != nil {
				return nil, nil, err
			}
		}
		out.Lines, changes = append(out.Lines, line), append(changes, c)
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.URL.String(), b.URL.String()) })
	return out, changes, nil
}

// change compares a line that is used with the former lock and with the newest commit.
func (u *Update) change(ctx context.Context, line Line) ([]Change, error) {
	old, locked := u.Was.Find(line.URL)
	c := Change{URL: line.URL, Old: old.Commit, New: line.Commit, Used: true, Taken: line.Commit != old.Commit}
	if h := u.heads[Repository(line.URL)]; h.full != "" {
		c.Full = h.full
	}
	if !locked {
		return []Change{c}, nil
	}
	text := u.texts[line.URL]
	if !u.Upgrade {
		h := u.head(ctx, line.URL)
		if h.err != nil {
			if ctx.Err() != nil {
				return nil, h.err
			}
			c.New, c.Err = "", h.err
			return []Change{c}, nil
		}
		if h.commit == old.Commit {
			return nil, nil
		}
		c.New, c.Full = h.commit, h.full
		newer, err := u.From.Folder(ctx, line.URL, h.commit)
		if err != nil {
			c.Unread = err
			return []Change{c}, nil
		}
		text = newer
	} else if !c.Taken {
		return nil, nil
	}
	before, err := u.From.Locked(ctx, old)
	if err != nil {
		c.Unread = err
		return []Change{c}, nil
	}
	c.Files, c.Unread = compare(before, text)
	return []Change{c}, nil
}

// compare lists the files that two texts of a folder do not have in common.
func compare(before, after []byte) (out []FileChange, err error) {
	a, err := Decode(before, ".")
	if err != nil {
		return nil, err
	}
	b, err := Decode(after, ".")
	if err != nil {
		return nil, fmt.Errorf("the new commit: %w", err)
	}
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Name < b[0].Name:
			out, a = append(out, FileChange{a[0].Name, "removed"}), a[1:]
		case len(a) == 0 || b[0].Name < a[0].Name:
			out, b = append(out, FileChange{b[0].Name, "added"}), b[1:]
		default:
			if !bytes.Equal(a[0].Text, b[0].Text) {
				out = append(out, FileChange{a[0].Name, "changed"})
			}
			a, b = a[1:], b[1:]
		}
	}
	return out, nil
}
