package gitclone

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
	"slices"
	"strconv"
	"strings"
)

// The most that one path of a commit may have. A path with more is a repository of something else.
const (
	MaxFiles = 20_000
	MaxBytes = 64 << 20
)

// Entry is one file of a commit.
type Entry struct{ OID, Name string }

// File is one file of a commit with its content.
type File struct {
	Name string
	Text []byte
}

// Head asks the server for the commit of a branch or a tag, and fetches nothing. An empty ref is the default branch.
// full is git's name of the ref. The results are empty if the server has no such ref.
func (c *Clone) Head(ctx context.Context, ref string) (oid, full string, err error) {
	if IsCommit(ref) {
		return ref, ref, nil
	}
	if err := c.Prepare(ctx); err != nil {
		return "", "", err
	}
	patterns := []string{"HEAD"}
	if ref != "" {
		patterns = []string{"refs/heads/" + ref, "refs/tags/" + ref, "refs/tags/" + ref + "^{}"}
	}
	out, err := c.Git(ctx, "ls-remote", append([]string{"--end-of-options", c.Remote}, patterns...)...)
	if err != nil {
		return "", "", err
	}
	for line := range strings.Lines(string(out)) {
		id, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		peeled := strings.TrimSuffix(name, "^{}")
		switch {
		case !IsCommit(id) || !slices.Contains(patterns, name):
		case peeled != name && peeled == full: // the commit of an annotated tag
			oid = id
		case oid == "": // a branch comes before a tag
			oid, full = id, name
		}
	}
	return oid, full, nil
}

// Hash returns the hash of a path of a commit; it is empty if the commit has no such path.
func (c *Clone) Hash(ctx context.Context, commit, name string) (string, error) {
	at := commit + ":" + strings.TrimPrefix(name, ".")
	out, err := c.Git(ctx, "rev-parse", "--quiet", "--verify", "--end-of-options", at)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", nil
	}
	return string(bytes.TrimSpace(out)), err
}

// List lists the files of a path of a commit. Errors name the path as shown. A link or another repository in it is an
// error.
func (c *Clone) List(ctx context.Context, commit, name, shown string) ([]Entry, error) {
	args := []string{"-r", "-z", "--full-tree", "--end-of-options", commit}
	if name != "." {
		args = append(args, "--", name)
	}
	out, err := c.Git(ctx, "ls-tree", args...)
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		head, name, ok := strings.Cut(line, "\t")
		words := strings.Fields(head)
		if !ok || len(words) != 3 || !fs.ValidPath(name) {
			return nil, fmt.Errorf("%s has a file whose name cannot be used: %q", shown, name)
		}
		switch words[0] {
		case "100644", "100755":
		case "160000":
			return nil, fmt.Errorf("%s in %s is another repository (a submodule), and only plain files are read: put the "+
				"configuration into a folder without it", name, shown)
		default:
			return nil, fmt.Errorf("%s in %s is a symbolic link, and only plain files are read: put the configuration into a "+
				"folder without it", name, shown)
		}
		if entries = append(entries, Entry{words[2], name}); len(entries) > MaxFiles {
			return nil, fmt.Errorf("%s has more than %d files: name a folder in it", shown, MaxFiles)
		}
	}
	return entries, nil
}

// Bring fetches the files that List returned for a path of a commit, if the clone lacks them, all at once.
func (c *Clone) Bring(ctx context.Context, commit, name string, entries []Entry) error {
	tree, want := name, map[string]bool{}
	for _, e := range entries {
		want[e.OID] = true
		if e.Name == name { // a file: git lists missing files of a folder only
			tree = path.Dir(name)
		}
	}
	hash, err := c.Hash(ctx, commit, tree)
	if err != nil {
		return err
	}
	out, err := c.Git(ctx, "rev-list", "--objects", "--missing=print", "--end-of-options", hash)
	if err != nil {
		return err
	}
	var missing strings.Builder
	for line := range strings.Lines(string(out)) {
		if oid, ok := strings.CutPrefix(strings.TrimSpace(line), "?"); ok && want[oid] {
			fmt.Fprintln(&missing, oid)
		}
	}
	if missing.Len() == 0 {
		return nil
	}
	return c.Run(ctx, Call{
		Op: "fetch", Config: []string{"fetch.negotiationAlgorithm=noop"}, Stdin: strings.NewReader(missing.String()),
		Args: []string{
			"--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--recurse-submodules=no",
			"--filter=blob:none", "--stdin", "origin",
		},
	})
}

// Contents reads files that the clone has.
func (c *Clone) Contents(ctx context.Context, entries []Entry, shown string) ([]File, error) {
	var oids strings.Builder
	for _, e := range entries {
		fmt.Fprintln(&oids, e.OID)
	}
	out := &bounded{most: MaxBytes}
	if err := c.Run(ctx, Call{
		Op: "cat-file", Args: []string{"--batch"},
		Stdin: strings.NewReader(oids.String()), Out: out,
	}); err != nil {
		if out.over {
			return nil, fmt.Errorf("%s has more than %d MiB: name a folder in it", shown, MaxBytes>>20)
		}
		return nil, err
	}
	files, b := make([]File, 0, len(entries)), bufio.NewReader(&out.Buffer)
	for _, e := range entries {
		text, err := object(b)
		if err != nil {
			return nil, fmt.Errorf("read %s of %s: %w", e.Name, shown, err)
		}
		files = append(files, File{e.Name, text})
	}
	return files, nil
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
	if err != nil || size < 0 || size > MaxBytes {
		return nil, fmt.Errorf("git answers with an invalid size: %s", strings.TrimSpace(line))
	}
	text := make([]byte, size+1)
	_, err = io.ReadFull(b, text)
	return text[:size], err
}

// InMemory returns a file system of files in memory. A zip file is the file system of the standard library for that.
func InMemory(files []File) (fs.FS, error) {
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for _, f := range files {
		to, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Store})
		if err == nil {
			_, err = to.Write(f.Text)
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
