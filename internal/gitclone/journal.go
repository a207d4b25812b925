package gitclone

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"time"
)

const (
	// fetchedRef and seenRef are refs of a journal's clone: what was fetched last, and the last commit
	// whose lines were accepted.
	fetchedRef = "refs/ovi/fetched"
	seenRef    = "refs/ovi/seen"
	headsRef   = "refs/heads/"
	// maxJournal is the most that a journal may have.
	maxJournal = 64 << 20
	// maxPushes is how often a line is pushed, of which all but the last were overtaken, and pushPause
	// the longest pause before the second one.
	maxPushes = 20
	pushPause = 50 * time.Millisecond
)

// Journal is a file on a branch of a repository to which lines are only added: each is a commit, which
// changes no other file and is pushed without force. The branch is created with the first one. The clone
// keeps which commit was seen last: a branch that is not based on it, and a file that lost a line of it,
// are errors.
type Journal struct {
	Clone
	Branch, Path string
}

// Line is one to add, and the message of its commit.
type Line struct{ Text, Message string }

// JournalError is a journal that cannot be read or written.
type JournalError struct {
	What, Next string // what failed and where, and what to do
	Err        error  // may be nil
}

func (e *JournalError) Error() string {
	if e.Err == nil {
		return e.What
	}
	return e.What + ": " + e.Err.Error()
}

func (e *JournalError) Unwrap() error { return e.Err }

// Suggestion is what to do next.
func (e *JournalError) Suggestion() string { return e.Next }

// version is the journal in a commit.
type version struct {
	head  string // "" before the first commit
	dirs  []dir  // from the root to the folder of the file
	mode  string
	lines []byte
}

// dir is a folder of a commit: its entries, without the next one on the way to the file.
type dir struct {
	name   string // of the next one
	others []string
}

// Add adds a line. next gets what the journal has, nothing if there is none, and returns the line; it is
// called again if another process added a line meanwhile. Nothing is added if it fails.
func (j *Journal) Add(ctx context.Context, next func(text []byte) (Line, error)) error {
	if err := j.Prepare(ctx); err != nil {
		return err
	}
	unlock, err := j.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	var line Line
	var of []byte
	for n := range maxPushes {
		now, err := j.read(ctx)
		if err != nil {
			return err
		}
		if n == 0 || !bytes.Equal(of, now.lines) {
			if line, err = next(now.lines); err != nil {
				return err
			}
			of = now.lines
		}
		if err := j.saw(ctx, now.head); err != nil {
			return err
		}
		commit, err := j.commit(ctx, now, line)
		if err != nil {
			return err
		}
		if done, err := j.push(ctx, now.head, commit); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(pushPause * time.Duration(n+1))):
		}
	}
	return &JournalError{
		What: fmt.Sprintf("%s: each of %d pushes was overtaken by another one", j.where(), maxPushes),
		Next: "run the command again",
	}
}

func (j *Journal) where() string { return fmt.Sprintf("branch %s of %s", j.Branch, j.Remote) }

// read brings the clone to the head of the branch, and reads the file. It refuses what was rewound.
func (j *Journal) read(ctx context.Context) (version, error) {
	seen, err := j.Resolve(ctx, seenRef)
	if err != nil {
		return version{}, err
	}
	head, err := j.update(ctx)
	switch {
	case err != nil:
		return version{}, err
	case head == "" && seen != "":
		return version{}, j.rewound(fmt.Sprintf("%s was removed: it had commit %.12s", j.where(), seen), seen)
	case head == "":
		return j.at(ctx, "")
	}
	if seen != "" && seen != head {
		based, err := j.Based(ctx, seen, head)
		if err != nil {
			return version{}, err
		}
		if !based {
			return version{}, j.rewound(fmt.Sprintf("%s was rewound: commit %.12s is not based on %.12s, which was seen last",
				j.where(), head, seen), seen)
		}
	}
	now, err := j.at(ctx, head)
	if err != nil || seen == "" || seen == head {
		return now, err
	}
	before, err := j.at(ctx, seen)
	if err != nil {
		return version{}, err
	}
	return now, j.kept(before, now)
}

func (j *Journal) rewound(what, seen string) error {
	return &JournalError{What: what, Next: fmt.Sprintf(
		"find out who did it, push %.12s again, and refuse such pushes on the server; or use another branch", seen)}
}

// kept is an error if a line of an earlier version is missing.
func (j *Journal) kept(before, now version) error {
	have := map[string]bool{}
	for line := range bytes.Lines(now.lines) {
		have[string(bytes.TrimSpace(line))] = true
	}
	n := 0
	for line := range bytes.Lines(before.lines) {
		n++
		if text := string(bytes.TrimSpace(line)); text != "" && !have[text] {
			return &JournalError{
				What: fmt.Sprintf("line %d of %s is missing on %s: commit %.12s has it, and commit %.12s does not", n, j.Path,
					j.where(), before.head, now.head),
				Next: "find out who removed it, and add it again with another commit",
			}
		}
	}
	return nil
}

func (j *Journal) unread(err error) error {
	return &JournalError{
		What: "cannot read " + j.where(),
		Next: "check the URL and the network, and that the key of ssh or OVI_GIT_TOKEN may read the repository", Err: err,
	}
}

// update fetches the head of the branch; "" if there is none.
func (j *Journal) update(ctx context.Context) (string, error) {
	out, err := j.Git(ctx, "ls-remote", "--end-of-options", j.Remote, headsRef+j.Branch)
	if err != nil {
		return "", j.unread(err)
	}
	head := ""
	for line := range strings.Lines(string(out)) {
		if oid, name, _ := strings.Cut(strings.TrimSpace(line), "\t"); name == headsRef+j.Branch {
			head = oid
			break
		}
	}
	if head == "" {
		return "", nil
	}
	have, err := j.Resolve(ctx, fetchedRef)
	if err != nil || have == head {
		return have, err
	}
	if err := j.Fetch(ctx, []string{"+" + headsRef + j.Branch + ":" + fetchedRef}); err != nil {
		return "", j.unread(err)
	}
	return j.Resolve(ctx, fetchedRef)
}

// at reads the file in a commit. One that is missing has no lines.
func (j *Journal) at(ctx context.Context, head string) (version, error) {
	v := version{head: head, mode: "100644"}
	tree, parts := head, strings.Split(j.Path, "/")
	for i, name := range parts {
		d := dir{name: name}
		var mode, kind, oid string
		if tree != "" {
			out, err := j.Git(ctx, "ls-tree", "-z", "--full-tree", "--end-of-options", tree)
			if err != nil {
				return v, err
			}
			for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
				what, of, _ := strings.Cut(entry, "\t")
				if words := strings.Fields(what); len(words) == 3 && of == name {
					mode, kind, oid = words[0], words[1], words[2]
				} else if entry != "" {
					d.others = append(d.others, entry)
				}
			}
		}
		v.dirs, tree = append(v.dirs, d), oid
		last := i == len(parts)-1
		switch {
		case strings.EqualFold(name, ".git"):
			return v, j.misplaced(parts[:i+1], "a name that Git does not allow")
		case oid == "":
		case !last && kind != "tree":
			return v, j.misplaced(parts[:i+1], "not a folder")
		case last && kind == "tree":
			return v, j.misplaced(parts, "a folder")
		case last && mode != "100644" && mode != "100755":
			return v, j.misplaced(parts, "not a plain file")
		case last:
			v.mode = mode
		}
	}
	if tree == "" {
		return v, nil
	}
	out := &bounded{most: maxJournal}
	// Git fetches the object when the clone lacks it.
	err := j.Run(ctx, Call{Op: "cat-file", Args: []string{"blob", tree}, Out: out})
	switch {
	case out.over:
		return v, j.misplaced([]string{j.Path}, fmt.Sprintf("larger than %d MiB", maxJournal>>20))
	case err != nil:
		return v, j.unread(err)
	}
	v.lines = out.Bytes()
	return v, nil
}

func (j *Journal) misplaced(parts []string, is string) error {
	return &JournalError{
		What: fmt.Sprintf("%s on %s is %s", path.Join(parts...), j.where(), is),
		Next: "name another file after // in the URL",
	}
}

// bounded takes so much, and then fails.
type bounded struct {
	bytes.Buffer
	most int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.over = b.over || b.Len()+len(p) > b.most; b.over {
		return 0, errors.New("too much")
	}
	return b.Buffer.Write(p)
}

// commit makes the commit that adds a line to a version, in the clone.
func (j *Journal) commit(ctx context.Context, v version, line Line) (string, error) {
	text := bytes.Clone(v.lines)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	text = append(append(text, line.Text...), '\n')
	oid, err := j.made(ctx, Call{Op: "hash-object", Args: []string{"-w", "--stdin"}, Stdin: bytes.NewReader(text)})
	what := v.mode + " blob "
	for _, d := range slices.Backward(v.dirs) {
		if err != nil {
			return "", err
		}
		entries := append(slices.Clone(d.others), what+oid+"\t"+d.name)
		oid, err = j.made(ctx, Call{
			Op: "mktree", Args: []string{"-z", "--missing"},
			Stdin: strings.NewReader(strings.Join(entries, "\x00") + "\x00"),
		})
		what = "040000 tree "
	}
	if err != nil {
		return "", err
	}
	args := []string{"-F", "-", oid}
	if v.head != "" {
		args = append([]string{"-p", v.head}, args...)
	}
	return j.made(ctx, Call{
		Op: "commit-tree", Args: args, Config: []string{"user.name=ovi", "user.email=ovi@localhost", "commit.gpgSign=false"},
		Stdin: strings.NewReader(line.Message + "\n"),
	})
}

// made is the object that a call makes.
func (j *Journal) made(ctx context.Context, x Call) (string, error) {
	var out bytes.Buffer
	x.Out = &out
	err := j.Run(ctx, x)
	return strings.TrimSpace(out.String()), err
}

// push puts a commit on the branch if it is still at a head. Where it was overtaken it is not done, and no error.
// What counts is what the server has afterwards: an answer may be lost.
func (j *Journal) push(ctx context.Context, head, commit string) (done bool, err error) {
	_, refused := j.Git(ctx, "push", "--porcelain", "--quiet", "--no-verify", "--end-of-options", "origin",
		commit+":"+headsRef+j.Branch)
	if refused == nil {
		return true, j.saw(ctx, commit)
	}
	now, err := j.update(ctx)
	if err != nil {
		return false, &JournalError{
			What: "whether the line reached " + j.where() + " is not known",
			Next: "run the command again", Err: refused,
		}
	}
	if now != "" && now != head {
		if done, err = j.Based(ctx, commit, now); done && err == nil {
			err = j.saw(ctx, commit)
		}
		return done, err
	}
	if text := refused.Error(); strings.Contains(text, "cannot lock ref") ||
		strings.Contains(text, "failed to update ref") {
		return false, nil // by a push that is being made
	}
	return false, &JournalError{
		What: "cannot push to " + j.where(),
		Next: "check that the key of ssh or OVI_GIT_TOKEN may push to the branch, and that the server allows it",
		Err:  refused,
	}
}

// saw keeps that a commit was seen.
func (j *Journal) saw(ctx context.Context, commit string) error {
	if commit == "" {
		return nil
	}
	_, err := j.Git(ctx, "update-ref", "--end-of-options", seenRef, commit)
	return err
}
