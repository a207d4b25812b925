package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/history"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/wal"
)

// followEvery is how often a followed log is looked at.
const followEvery = 300 * time.Millisecond

// logFilters are the options that select records.
func logFilters() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "ref", Usage: "only about `REF`"},
		&cli.StringSliceFlag{Name: "type", Usage: "only events of `TYPE`, such as began or ended (docs/events.md has them all); may be repeated"},
		&cli.StringFlag{Name: "since", Usage: "only after `TIME` (2006-01-02T15:04:05Z, or 90m: so long ago)"},
		&cli.StringFlag{Name: "until", Usage: "only before `TIME`"},
		&cli.StringFlag{Name: "run", Usage: "only of the run whose id begins with `ID`"},
		&cli.StringFlag{Name: "instance", Usage: "only of the instance whose id begins with `ID`"},
	}
}

// fileFlag is sourceFlag where -f means something else.
func fileFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "file", Usage: "a source `FILE` or folder that the record stands beside"}
}

// auditMore are the commands of the log besides reading and verifying it.
func (p *process) auditMore() []*cli.Command {
	return []*cli.Command{
		{
			Name: "export", ArgsUsage: "[REF]", Usage: "the records of the log as JSON lines, for other programs",
			Flags: append(logFilters(), sourceFlag(),
				&cli.StringFlag{Name: "format", Value: "jsonl", Usage: "`FORMAT`: jsonl, or cloudevents (1.0, one a line)"}),
			Action: p.action((*call).auditExport),
		},
		{
			Name: "checkpoint", ArgsUsage: "[SOURCE]", Usage: "sign what the log holds, as one line to keep elsewhere",
			Flags:  []cli.Flag{sourceFlag()},
			Action: p.action((*call).auditCheckpoint),
		},
		p.replayCommand(),
		{
			Name: "trim", ArgsUsage: "[SOURCE]", Usage: "remove the oldest part of the log; what stands is carried forward first",
			Description: "Whole segments are removed, so that somewhat more than asked for is kept. A signed notice of where\n" +
				"the log begins takes their place: what is kept still verifies. History that is older stays in the\n" +
				"store; only a store rebuilt from a trimmed log does not have it, and numbers its revisions anew.",
			Flags:  []cli.Flag{sourceFlag(), &cli.StringFlag{Name: "keep", Usage: "keep what is younger than `AGE`, such as 90d or 36h"}},
			Action: p.action((*call).auditTrim),
		},
	}
}

// logFrom writes the records that a filter selects, and returns where to go on.
func (c *call) logFrom(l *ledger.Ledger, f history.Filter, each func(event.Record) error) (next wal.Seq, err error) {
	for r, err := range history.New(l.Reader()).LogRecordsTo(c, f, &next) {
		if err != nil {
			return next, err
		}
		if err := errors.Join(each(r), c.answer.read()); err != nil {
			return next, err
		}
	}
	return next, nil
}

// follow writes what is recorded from now on, by anybody, until somebody stops it: that is
// its normal end.
func (c *call) follow(l *ledger.Ledger, f history.Filter) error {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.Done():
			return nil
		case <-tick.C:
		}
		var err error
		if f.From, err = c.logFrom(l, f, c.logRecord); err != nil {
			if c.Err() != nil {
				return nil
			}
			return err
		}
	}
}

func (c *call) auditExport() error {
	if err := c.atMost(1); err != nil {
		return err
	}
	format := c.cli.String("format")
	if format != "jsonl" && format != "cloudevents" {
		return usage("write --format jsonl or cloudevents", "%q is no format to export in", format)
	}
	return c.withMemory(nil, func(l *ledger.Ledger) error {
		f, err := c.filter(l)
		if err != nil {
			return err
		}
		lines := render.NewJSON(c.out.w)
		c.out.printed = true // a document of its own format
		_, err = c.logFrom(l, f, func(r event.Record) error {
			if format == "cloudevents" {
				return lines.Encode(render.NewCloudEvent(r))
			}
			return lines.Encode(logLine(r))
		})
		return readOut(err)
	})
}

func (c *call) auditCheckpoint() error {
	if err := c.atMost(1); err != nil {
		return err
	}
	return c.withMemory(c.cli.Args().Slice(), func(l *ledger.Ledger) error {
		point, err := l.Checkpoint()
		if err != nil {
			return err
		}
		if c.out.machine() {
			return c.out.records(render.Info{Type: "checkpoint", Data: checkpoint{point.String(), uint64(point.Seq), point.Chain.String(), point.At}})
		}
		_, err = fmt.Fprintln(c.out.w, point)
		return err
	})
}

// checkpoint is what `audit checkpoint` tells machines.
type checkpoint struct {
	Line  string    `json:"line"`
	Seq   uint64    `json:"seq"`
	Chain string    `json:"chain"`
	At    time.Time `json:"at"`
}

func (c *call) auditTrim() error {
	if err := c.atMost(1); err != nil {
		return err
	}
	if c.cli.String("keep") == "" {
		return usage("write how much history stays, such as --keep 90d", "`ovi audit trim` needs --keep")
	}
	age, err := ageOf(c.cli.String("keep"))
	if err != nil {
		return usage("write an age such as 90d or 36h", "--keep: %s", err)
	}
	return c.withMemory(c.cli.Args().Slice(), func(l *ledger.Ledger) error { return c.trimLog(l, age) })
}

func (c *call) trimLog(l *ledger.Ledger, age time.Duration) error {
	was, _, err := l.Log().First()
	if err != nil {
		return err
	}
	keep, err := l.Log().Since(c.now().Add(-age))
	if err != nil {
		return err
	}
	first, err := l.Trim(c, keep)
	if err != nil {
		return err
	}
	if c.out.machine() {
		return c.out.records(render.Info{Type: "trimmed", Data: trimmed{uint64(was), uint64(first), uint64(keep)}})
	}
	if first == was {
		c.out.say("Nothing was removed: the log begins with record %d, and what is old enough does not fill a segment.", first)
		return nil
	}
	if c.storeName() != "" {
		c.out.warn("a store that hosts share cannot be rebuilt from its logs any more, once one of them was trimmed", "keep a copy of it: ovi store copy")
	}
	c.out.say("Removed records %d to %d. The log begins with record %d now, by a signed notice; what stood before was carried forward.", was, first-1, first)
	return nil
}

// trimmed is what `audit trim` tells machines.
type trimmed struct {
	Was     uint64 `json:"was"`    // the first record before
	First   uint64 `json:"first"`  // the first record now
	Desired uint64 `json:"wanted"` // the first record that was asked to be kept
}

// ageOf reads a duration that may be in days.
func ageOf(text string) (time.Duration, error) {
	var days int
	if n, err := fmt.Sscanf(text+" ", "%dd ", &days); err == nil && n == 1 && fmt.Sprintf("%dd", days) == text {
		return time.Duration(days) * 24 * time.Hour, nil
	}
	age, err := time.ParseDuration(text)
	if err == nil && age < 0 {
		err = errors.New("it is in the future")
	}
	return age, err
}
