package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/ovi-project/ovi/cli"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/wal"
)

// witnessed is the result of `audit witness` for programs.
type witnessed struct {
	File  string `json:"file"`
	Found int    `json:"found"` // checkpoints in the file that the log contains
	Line  string `json:"line"`  // that was added
}

// auditWitness verifies the audit log against the anchors in a file, and adds one.
func (c *call) auditWitness() error {
	if err := c.atMost(2); err != nil {
		return err
	}
	file := c.arg(0)
	if file == "" {
		return cli.Usage("name a file on another mount or host", "`ovi audit witness` needs a file")
	}
	kept, err := readAnchors(file)
	if err != nil {
		return err
	}
	rest := c.cmd.Args().Tail()
	dir, err := c.recordDir(rest...)
	if err != nil {
		return err
	}
	if _, err := c.verified(dir, kept); err != nil {
		return err
	}
	return c.withMemory(rest, func(l *ledger.Ledger) error {
		point, err := l.Checkpoint(c)
		if err != nil {
			return err
		}
		if err := appendLine(file, point.String()); err != nil {
			return &cli.Problem{Summary: "cannot add the checkpoint", File: file, Err: cli.Plain(err)}
		}
		if c.out.Machine() {
			return c.out.Records(render.Info{Type: "witnessed", Data: witnessed{file, len(kept), point.String()}})
		}
		c.out.Say("The audit log contains %s in %s. Added one up to record %d.", render.Many(len(kept), "checkpoint"), file, point.Seq)
		return nil
	})
}

// readAnchors reads the lines of a file; there may be none yet.
func readAnchors(file string) ([]wal.Anchor, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &cli.Problem{Summary: "cannot read the checkpoints", File: file, Err: cli.Plain(err)}
	}
	var out []wal.Anchor
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if strings.TrimSpace(line) == "" {
			continue
		}
		a, err := wal.ParseAnchor(line)
		if err != nil {
			return nil, &cli.Problem{Summary: fmt.Sprintf("line %d is no checkpoint", n), File: file, Err: err, Suggestion: "restore the file, or begin another one"}
		}
		out = append(out, a)
	}
	return out, nil
}

// appendLine adds a line to a file, durably.
func appendLine(file, line string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Sync(), f.Close())
}
