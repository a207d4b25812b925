package git

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/internal/gitclone"
)

// The most that one source may have: what is above is a repository of something else.
const (
	maxFiles = 20_000
	maxBytes = 64 << 20
)

// entry is one file of a commit.
type entry struct{ mode, kind, oid, name string }

// hash is the hash of the path in a commit.
func (r *Repo) hash(ctx context.Context, head string) (string, error) {
	at := head + ":" + strings.TrimPrefix(r.url.Path, ".")
	out, err := r.clone.Git(ctx, "rev-parse", "--quiet", "--verify", "--end-of-options", at)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", &MissingError{What: fmt.Sprintf("path %s at commit %.12s", r.url.Path, head), In: r.url}
	}
	return string(bytes.TrimSpace(out)), err
}

// files reads all files of the path into memory, and the names of its folders if each is a stack.
func (r *Repo) files(ctx context.Context, head, hash string) (fs.FS, []string, error) {
	entries, err := r.list(ctx, head)
	if err != nil {
		return nil, nil, err
	}
	var folders []string
	for _, e := range entries {
		inside, _ := strings.CutPrefix(e.name, r.url.Path+"/")
		name, _, deeper := strings.Cut(inside, "/")
		if r.url.Each && deeper && !strings.HasPrefix(name,
			".") && (len(folders) == 0 || folders[len(folders)-1] != path.Join(r.url.Path, name)) {
			folders = append(folders, path.Join(r.url.Path, name))
		}
	}
	if r.url.Each && len(folders) == 0 {
		return nil, nil, &MissingError{What: "folders in " + r.url.Path, In: r.url}
	}
	if err := r.bring(ctx, hash); err != nil {
		return nil, nil, err
	}
	files, err := r.contents(ctx, entries)
	return files, folders, err
}

// list lists the files of the path.
func (r *Repo) list(ctx context.Context, head string) ([]entry, error) {
	args := []string{"-r", "-z", "--full-tree", "--end-of-options", head}
	if r.url.Path != "." {
		args = append(args, "--", r.url.Path)
	}
	out, err := r.clone.Git(ctx, "ls-tree", args...)
	if err != nil {
		return nil, err
	}
	var entries []entry
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		head, name, ok := strings.Cut(line, "\t")
		words := strings.Fields(head)
		if !ok || len(words) != 3 || !fs.ValidPath(name) {
			return nil, fmt.Errorf("%s has a file whose name cannot be used: %q", r.url, name)
		}
		e := entry{words[0], words[1], words[2], name}
		if e.mode != "100644" && e.mode != "100755" {
			return nil, fmt.Errorf("%s in %s is a link or another repository, and only plain files are read: put the "+
				"configuration into a folder without them", name, r.url)
		}
		if entries = append(entries, e); len(entries) > maxFiles {
			return nil, fmt.Errorf("%s has more than %d files: name a folder in it", r.url, maxFiles)
		}
	}
	return entries, nil
}

// bring fetches the files that the clone lacks, all at once.
func (r *Repo) bring(ctx context.Context, hash string) error {
	out, err := r.clone.Git(ctx, "rev-list", "--objects", "--missing=print", "--end-of-options", hash)
	if err != nil {
		return err
	}
	var missing strings.Builder
	for line := range strings.Lines(string(out)) {
		if oid, ok := strings.CutPrefix(strings.TrimSpace(line), "?"); ok {
			fmt.Fprintln(&missing, oid)
		}
	}
	if missing.Len() == 0 {
		return nil
	}
	return r.clone.Run(ctx, gitclone.Call{
		Op: "fetch", Config: []string{"fetch.negotiationAlgorithm=noop"}, Stdin: strings.NewReader(missing.String()),
		Args: []string{
			"--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--recurse-submodules=no",
			"--filter=blob:none", "--stdin", "origin",
		},
	})
}

// contents reads the files. A zip file in memory is the file system of the standard library for that.
func (r *Repo) contents(ctx context.Context, entries []entry) (fs.FS, error) {
	var oids strings.Builder
	for _, e := range entries {
		fmt.Fprintln(&oids, e.oid)
	}
	out := &limited{most: maxBytes}
	if err := r.clone.Run(ctx, gitclone.Call{
		Op: "cat-file", Args: []string{"--batch"},
		Stdin: strings.NewReader(oids.String()), Out: out,
	}); err != nil {
		if out.over {
			return nil, fmt.Errorf("%s has more than %d MiB: name a folder in it", r.url, maxBytes>>20)
		}
		return nil, err
	}
	var packed bytes.Buffer
	w, b := zip.NewWriter(&packed), bufio.NewReader(&out.Buffer)
	for _, e := range entries {
		text, err := object(b)
		if err != nil {
			return nil, fmt.Errorf("read %s of %s: %w", e.name, r.url, err)
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Store})
		if err == nil {
			_, err = f.Write(text)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
}

// object reads one object as cat-file prints it: "OID blob SIZE", the content, a line end.
func object(b *bufio.Reader) ([]byte, error) {
	line, err := b.ReadString('\n')
	if err != nil {
		return nil, err
	}
	words := strings.Fields(line)
	if len(words) != 3 || words[1] != "blob" {
		return nil, fmt.Errorf("git has no such object: %s", strings.TrimSpace(line))
	}
	size, err := strconv.Atoi(words[2])
	if err != nil {
		return nil, err
	}
	text := make([]byte, size+1)
	_, err = io.ReadFull(b, text)
	return text[:size], err
}

// limited takes so much, and then fails.
type limited struct {
	bytes.Buffer
	most int
	over bool
}

func (l *limited) Write(p []byte) (int, error) {
	if l.over = l.Len()+len(p) > l.most; l.over {
		return 0, errors.New("too much")
	}
	return l.Buffer.Write(p)
}
