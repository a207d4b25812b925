package record

import (
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/wal"
)

// followEvery is how often a followed log is read.
const followEvery = 300 * time.Millisecond

// logFilters are the options that select records.
func logFilters() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "ref", Usage: "only about the resource `REF`"},
		&urfave.StringSliceFlag{Name: "type", Usage: "only events of `TYPE`, such as started or finished (docs/commands.md " +
			"lists them); repeatable"},
		&urfave.StringFlag{Name: "since", Usage: "only after `TIME` (2006-01-02T15:04:05Z, or 90m for 90 minutes ago)"},
		&urfave.StringFlag{Name: "until", Usage: "only before `TIME`"},
		&urfave.StringFlag{Name: "run", Usage: "only of the run whose id starts with `ID`"},
		&urfave.StringFlag{Name: "instance", Usage: "only of the instance whose id starts with `ID`"},
	}
}

// filterOptions are the values of logFilters, and --env where a command has it.
type filterOptions struct {
	ref, since, until, run, instance string
	types                            []string
	environment                      bool // one is given
}

func filterOptionsOf(c *command.Call) filterOptions {
	return filterOptions{
		ref: c.Cmd.String("ref"), since: c.Cmd.String("since"), until: c.Cmd.String("until"), run: c.Cmd.String("run"),
		instance: c.Cmd.String("instance"), types: c.Cmd.StringSlice("type"), environment: c.Given("env") != "",
	}
}

// auditMore are the commands of the audit log besides reading and verifying it.
func auditMore(p *command.Process) []*urfave.Command {
	return []*urfave.Command{
		{
			Name: "export", ArgsUsage: "[REF]", Usage: "Print the records as JSON lines or CloudEvents",
			Flags: append(logFilters(), command.RecordFlag(),
				&urfave.StringFlag{
					Name: "format", Value: "jsonl",
					Usage: "print `FORMAT`: jsonl, or cloudevents (1.0, one per line)",
				}),
			Action: p.Action(auditExport),
		},
		{
			Name: "checkpoint", ArgsUsage: "[SOURCE]", Usage: "Print a signed checkpoint, one line to keep elsewhere",
			Flags:  []urfave.Flag{command.RecordFlag()},
			Action: p.Action(auditCheckpoint),
		},
		{
			Name: "witness", ArgsUsage: "FILE [SOURCE]",
			Usage: "Verify the audit log against checkpoints kept in a file, and add one",
			Description: "Keep FILE where whoever can write the data directory cannot: on another mount, or on a branch of a\n" +
				"Git repository, git+ssh://HOST/REPOSITORY//PATH?ref=BRANCH. Each run requires that the log still\n" +
				"contains every checkpoint in it, even for records that were trimmed since, and adds a line. In Git\n" +
				"the line is a commit, pushed without force; the first one creates the branch. A branch that was\n" +
				"rewound, or lost a line, since this data directory saw it is an error. Give each log a FILE of its\n" +
				"own. Run it from time to time: what was recorded since the last line can be rewritten with the key\n" +
				"of the log.",
			Flags:  []urfave.Flag{command.RecordFlag()},
			Action: p.Action(auditWitness),
		},
		replayCommand(p),
		{
			Name: "trim", ArgsUsage: "[SOURCE]", Usage: "Remove the oldest part of the audit log",
			Description: "Current state is first written to the end of the log. Whole segments are removed, so somewhat\n" +
				"more than asked for is kept. A signed record of where the log starts replaces them, and the rest\n" +
				"still verifies. Older history stays in the store; only a store rebuilt from a trimmed log lacks it\n" +
				"and has other revision numbers.",
			Flags: []urfave.Flag{
				command.RecordFlag(), command.SignFlag(),
				&urfave.StringFlag{Name: "keep", Usage: "keep records younger than `AGE`, such as 90d or 36h"},
			},
			Action: p.Action(auditTrim),
		},
	}
}

// logFrom writes the records that a filter selects, and returns where to go on.
func logFrom(c *command.Call, l *ledger.Ledger, f history.Filter, each func(event.Record) error) (next wal.Seq,
	err error,
) {
	for r, err := range history.New(l.Reader()).LogRecordsTo(c, f, &next) {
		if err != nil {
			return next, err
		}
		if err := errors.Join(each(r), c.Answer.Reading()); err != nil {
			return next, err
		}
	}
	return next, nil
}

// follow writes what any process records from now on, until it is interrupted.
func follow(c *command.Call, l *ledger.Ledger, f history.Filter, each func(event.Record) error) error {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.Done():
			return c.Err()
		case <-tick.C:
		}
		var err error
		if f.From, err = logFrom(c, l, f, each); err != nil {
			return err
		}
	}
}

// exportOptions are the options of `ovi audit export`.
type exportOptions struct {
	filterOptions
	format string
}

func exportOptionsOf(c *command.Call) exportOptions {
	return exportOptions{filterOptions: filterOptionsOf(c), format: c.Cmd.String("format")}
}

func auditExport(c *command.Call) error {
	o := exportOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	if o.format != "jsonl" && o.format != "cloudevents" {
		return cli.Usage("use --format jsonl or cloudevents", "invalid export format %q", o.format)
	}
	return session.WithMemory(c, nil, func(l *ledger.Ledger) error {
		f, err := o.filter(c, l)
		if err != nil {
			return err
		}
		lines := render.NewJSON(c.Out.Document())
		_, err = logFrom(c, l, f, func(r event.Record) error {
			if o.format == "cloudevents" {
				return lines.Encode(render.NewCloudEvent(r))
			}
			return lines.Encode(logLine(r))
		})
		return cli.IgnoreUnread(err)
	})
}

func auditCheckpoint(c *command.Call) error {
	if err := c.AtMost(1); err != nil {
		return err
	}
	return session.WithMemory(c, c.Cmd.Args().Slice(), func(l *ledger.Ledger) error {
		point, err := l.Checkpoint(c)
		if err != nil {
			return err
		}
		if c.Out.Machine() {
			return c.Out.Records(render.Info{
				Type: "checkpoint",
				Data: checkpoint{
					point.String(), uint64(point.Seq), point.Chain.String(), point.Batches,
					hex.EncodeToString(point.Root[:]), point.At,
				},
			})
		}
		_, err = fmt.Fprintln(c.Out.W, point)
		return err
	})
}

// checkpoint is the result of `audit checkpoint` for programs.
type checkpoint struct {
	Line  string    `json:"line"`
	Seq   uint64    `json:"seq"`
	Chain string    `json:"chain"`
	Tree  uint64    `json:"tree"` // batches in the Merkle tree
	Root  string    `json:"root"`
	At    time.Time `json:"at"`
}

// trimOptions are the options of `ovi audit trim`.
type trimOptions struct{ keep string }

func trimOptionsOf(c *command.Call) trimOptions { return trimOptions{keep: c.Cmd.String("keep")} }

func auditTrim(c *command.Call) error {
	o := trimOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	if o.keep == "" {
		return cli.Usage("choose how much history to keep, such as --keep 90d", "`ovi audit trim` needs --keep")
	}
	age, err := session.AgeOf(o.keep)
	if err != nil {
		return cli.Usage("use an age such as 90d or 36h", "invalid --keep: %s", err)
	}
	return session.WithMemory(c, c.Cmd.Args().Slice(), func(l *ledger.Ledger) error { return trimLog(c, l, age) })
}

func trimLog(c *command.Call, l *ledger.Ledger, age time.Duration) error {
	was, _, err := l.Log().First()
	if err != nil {
		return err
	}
	keep, err := l.Log().Since(c.Now().Add(-age))
	if err != nil {
		return err
	}
	act, err := session.SignedAct(c)
	if err != nil {
		return err
	}
	first, err := engine.New(engine.Config{Ledger: l, Clock: c.Now}).Trim(c, keep, act)
	if err != nil {
		return session.Unsigned(err)
	}
	if c.Out.Machine() {
		return c.Out.Records(render.Info{Type: "trimmed", Data: trimmed{uint64(was), uint64(first), uint64(keep)}})
	}
	if first == was {
		c.Out.Say("Nothing was removed: the audit log starts with record %d, and no whole segment is old enough.", first)
		return nil
	}
	if c.StoreName() != "" {
		c.Out.Warn("a shared store can no longer be rebuilt from its logs, because one of them was trimmed",
			"keep a copy of the store: ovi store copy")
	}
	c.Out.Say("Removed records %d to %d. The audit log now starts with record %d; current state was carried forward.", was,
		first-1, first)
	return nil
}

// trimmed is the result of `audit trim` for programs.
type trimmed struct {
	Was       uint64 `json:"was"`       // the first record before
	First     uint64 `json:"first"`     // the first record now
	Requested uint64 `json:"requested"` // the first record that was asked to be kept
}
