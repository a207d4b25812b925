package session

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"path/filepath"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/git"
)

// checkURL refuses a URL of Git that is invalid.
func checkURL(name string) (git.URL, error) {
	u, err := git.Parse(name)
	if err != nil {
		return u, cli.Usage("write it as git+https://HOST/REPOSITORY//PATH?ref=BRANCH", "invalid source: %s", err)
	}
	return u, nil
}

// gitDir is the data directory of a source in Git: one for each repository and path, whatever its ref.
func gitDir(p *command.Process, u git.URL) string {
	u.Ref = ""
	sum := sha256.Sum256([]byte(u.String()))
	return filepath.Join(p.StateDir(), u.Name()+"-"+hex.EncodeToString(sum[:6]))
}

// gitSource is the source at a URL of Git. The clone is in the data directory.
func gitSource(c *command.Call, name, dir string, checks source.Options) (source.Source, error) {
	u, err := checkURL(name)
	if err != nil {
		return nil, err
	}
	if err := command.CreateDir(dir); err != nil {
		return nil, err
	}
	o := gitOptionsOf(c)
	signers := cmp.Or(o.signers, c.Getenv("OVI_GIT_SIGNERS"))
	if signers != "" {
		if signers, err = filepath.Abs(signers); err != nil {
			return nil, err
		}
	}
	repo := git.Open(u, git.Options{
		Dir: filepath.Join(dir, "git"), Signers: signers,
		Accept: o.accept, Env: c.Env,
	})
	kept, _ := c.Repositories.LoadOrStore(name+"\n"+dir, repo)
	return git.New(kept.(*git.Repo), func(files fs.FS, at, stack string) (source.Source, error) {
		return inCommit(c, Commit{Files: files, At: at, Stack: stack, Remote: u.Remote, Dir: dir}, checks)
	}), nil
}

// ofStack returns the draft of one stack, or all for "". A stack that its source no longer has is an error, so that
// nothing is concluded from that. A file that cannot be read cannot name its stack: where no readable file names it,
// the drafts with errors are returned, and their errors are reported.
func ofStack(drafts []*source.Draft, stack string) ([]*source.Draft, error) {
	if stack == "" {
		return drafts, nil
	}
	var named, unread []*source.Draft
	for _, d := range drafts {
		failed := d.Err != nil || d.Failed() > 0
		switch {
		case d.Stack == stack && !failed:
			return []*source.Draft{d}, nil
		case d.Stack == stack:
			named = append(named, d)
		case failed:
			unread = append(unread, d)
		}
	}
	if len(named) > 0 {
		return named, nil
	}
	if len(unread) > 0 {
		return unread, nil
	}
	return nil, &cli.Problem{
		Summary:    "the source no longer has stack " + stack + ", and ovi changes none of its resources",
		Suggestion: "to delete its resources, keep its folder with `resources: []`",
	}
}
