package record

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/internal/gitclone"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/source/git"
	"github.com/ovi-project/ovi/wal"
)

// witnessed is the result of `audit witness` for programs.
type witnessed struct {
	File  string `json:"file"`
	Found int    `json:"found"` // checkpoints in the file that the log contains
	Line  string `json:"line"`  // that was added
}

// auditWitness verifies the audit log against the anchors in a file, here or on a branch in Git, and adds one.
func auditWitness(c *command.Call) error {
	if err := c.AtMost(2); err != nil {
		return err
	}
	file := c.Arg(0)
	if file == "" {
		return cli.Usage("name a file on another mount or host, or in Git: git+ssh://HOST/REPOSITORY//PATH?ref=BRANCH",
			"`ovi audit witness` needs a file")
	}
	rest := c.Cmd.Args().Tail()
	dir, err := session.RecordDir(c, rest...)
	if err != nil {
		return err
	}
	var found int
	var point wal.Anchor
	next := func(text []byte) (line gitclone.Line, err error) {
		kept, err := readAnchors(file, text)
		if err != nil {
			return line, err
		}
		if _, err := verifiedLog(c, dir, verifyOptions{}, kept); err != nil {
			return line, err
		}
		err = session.WithMemory(c, rest, func(l *ledger.Ledger) (err error) {
			point, err = l.Checkpoint(c)
			line.Message = fmt.Sprintf("ovi checkpoint of log %s up to record %d", l.Reader().Instance(), point.Seq)
			return err
		})
		found, line.Text = len(kept), point.String()
		return line, err
	}
	if git.Is(file) {
		err = witnessInGit(c, file, dir, next)
	} else {
		err = witnessInFile(file, next)
	}
	if err != nil {
		return err
	}
	if c.Out.Machine() {
		return c.Out.Records(render.Info{Type: "witnessed", Data: witnessed{file, found, point.String()}})
	}
	c.Out.Say("The audit log contains %s in %s. Added one up to record %d.", render.Many(found, "checkpoint"), file,
		point.Seq)
	return nil
}

// witnessInFile adds a line to a file of this host, durably; there may be none yet.
func witnessInFile(file string, next func([]byte) (gitclone.Line, error)) error {
	text, err := budget.ReadFile(file, budget.Answer)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &cli.Problem{Summary: "cannot read the checkpoints", File: file, Err: cli.Plain(err)}
	}
	line, err := next(text)
	if err != nil {
		return err
	}
	f, err := command.AppendTo(file, 0o600)
	if err == nil {
		_, err = f.WriteString(line.Text + "\n")
		err = errors.Join(err, f.Sync(), f.Close())
	}
	if err != nil {
		return &cli.Problem{Summary: "cannot add the checkpoint", File: file, Err: cli.Plain(err)}
	}
	return nil
}

// witnessInGit adds a line to a file on a branch. The clone is in the data directory.
func witnessInGit(c *command.Call, name, dir string, next func([]byte) (gitclone.Line, error)) error {
	u, err := git.Parse(name)
	if err == nil && (u.Ref == "" || u.Path == "." || u.Each) {
		err = errors.New("it names no file on a branch")
	}
	if err != nil {
		return cli.Usage("write it as git+ssh://HOST/REPOSITORY//PATH?ref=BRANCH", "invalid URL of a file: %s", err)
	}
	if err := command.CreateDir(dir); err != nil {
		return err
	}
	clone := gitclone.Clone{
		Dir: gitclone.Folder(filepath.Join(dir, "git"), u.Remote, "witness "+u.Ref), Remote: u.Remote,
		Env: c.Env, Own: true,
	}
	return (&gitclone.Journal{Clone: clone, Branch: u.Ref, Path: u.Path}).Add(c, next)
}

// readAnchors reads the lines of a file.
func readAnchors(file string, text []byte) ([]wal.Anchor, error) {
	var out []wal.Anchor
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if strings.TrimSpace(line) == "" {
			continue
		}
		a, err := wal.ParseAnchor(line)
		if err != nil {
			return nil, &cli.Problem{
				Summary: fmt.Sprintf("line %d is no checkpoint", n), File: file, Err: err,
				Suggestion: "restore the file, or begin another one",
			}
		}
		out = append(out, a)
	}
	return out, nil
}
