package record

import (
	"errors"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/proof"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/wal"
)

// ProveCommand returns the command `ovi prove`.
func ProveCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "prove", Category: command.GroupInspect, ArgsUsage: "REF",
		Usage: "Export a verifiable proof of a resource's history",
		Description: "The file has the records of the audit log about the resource: configuration, observations, plans\n" +
			"with the digests of their policies, approvals and calls, each with the hashes that lead to a signed\n" +
			"checkpoint. tools/verify checks it without ovi and without this data directory. The file has whole\n" +
			"batches of records, so it may tell of other resources too; secrets are in no record.",
		Flags: []urfave.Flag{
			command.RecordFlag(), session.StackFlag(),
			&urfave.StringFlag{Name: "out", Usage: "write the proof to `FILE`, not to standard output"},
			&urfave.BoolFlag{Name: "overwrite", Usage: "replace the file of --out if it exists"},
			&urfave.StringFlag{
				Name:  "checkpoint",
				Usage: "prove it under the checkpoint `LINE`, kept elsewhere, not under another one",
			},
			&urfave.BoolFlag{Name: "all", Usage: "prove every observation and plan, not only the last 200 of each"},
		},
		Action: p.Action(prove),
	}
}

// proveOptions are the options of `ovi prove`.
type proveOptions struct {
	out, checkpoint string
	overwrite, all  bool
}

func proveOptionsOf(c *command.Call) proveOptions {
	return proveOptions{
		out: c.Cmd.String("out"), checkpoint: c.Cmd.String("checkpoint"), overwrite: c.Cmd.Bool("overwrite"),
		all: c.Cmd.Bool("all"),
	}
}

func prove(c *command.Call) error {
	o := proveOptionsOf(c)
	if err := session.OneRef(c); err != nil {
		return err
	}
	return session.WithMemory(c, nil, func(l *ledger.Ledger) error { return proveRef(c, l, o) })
}

func proveRef(c *command.Call, l *ledger.Ledger, o proveOptions) error {
	ref, err := session.Ref(c, l, c.Arg(0))
	if err != nil {
		return err
	}
	order := proof.Order{Ref: ref, By: c.User(), Made: c.Now(), Depth: near}
	if o.all {
		order.Depth = -1
	}
	if o.checkpoint != "" {
		if order.Under, err = wal.ParseAnchor(o.checkpoint); err != nil {
			return cli.Usage("use the whole line that ovi printed", "invalid --checkpoint: %s", err)
		}
	}
	made, err := proof.Make(c, l, order)
	if err != nil {
		return &cli.Problem{Summary: "cannot prove " + session.Quoted(ref.String()), Err: err, Suggestion: suggestProve(err)}
	}
	if o.out == "" {
		_, err := c.Out.W.Write(made.Text)
		return err
	}
	if o.overwrite {
		err = command.WriteFile(o.out, made.Text)
	} else {
		err = command.WriteNew(o.out, made.Text, 0o600)
	}
	if err != nil {
		return &cli.Problem{
			Summary: "cannot write the proof", File: o.out, Err: cli.Plain(err),
			Suggestion: "choose another file, or replace this one with --overwrite",
		}
	}
	if c.Out.Machine() {
		return c.Out.Records(render.Info{
			Type: "proof",
			Data: proofMade{o.out, ref.String(), made.Records, made.Batches, uint64(made.First), made.Under.String()},
		})
	}
	chronicle, err := history.New(l.Reader()).ResourceHistory(c, ref, near)
	if err != nil {
		return err
	}
	c.Out.Say("%s", teller(c, ref).Explain(chronicle).Headline)
	c.Out.Say("%s proves it with %s in %s, under the checkpoint of record %d. Verify it with tools/verify.",
		o.out, render.Many(made.Records, "record"), render.Many(made.Batches, "batch"), made.Under.Seq)
	if made.First > 1 {
		c.Out.Say("Records before %d were trimmed; what they had is not proved.", made.First)
	}
	return nil
}

// suggestProve says what to do where the log does not have what is to be proved.
func suggestProve(err error) string {
	switch {
	case errors.Is(err, wal.ErrTrimmed):
		return "use a checkpoint that was given after the trim, or none"
	case errors.Is(err, wal.ErrBehind):
		return "use a later checkpoint, or none"
	case errors.Is(err, ledger.ErrNotFound):
		return "in a shared store, run it on the host whose instance changed the resource"
	}
	return "run `ovi audit verify`"
}

// proofMade is the result of `prove` for programs.
type proofMade struct {
	File       string `json:"file"`
	Ref        string `json:"ref"`
	Records    int    `json:"records"`
	Batches    int    `json:"batches"`
	First      uint64 `json:"first"` // the oldest record that the log has
	Checkpoint string `json:"checkpoint"`
}
