package main

import (
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/explain"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

func driftAckCommand(p *process) *urfave.Command {
	return &urfave.Command{
		Name: "ack", ArgsUsage: "REF [SOURCE]",
		Usage: "Acknowledge a change: exclude it until it changes again or the time is over",
		Description: "It is excluded from what `ovi drift` shows. It is not kept: the next apply restores the configuration.\n" +
			"To keep it, change the configuration, or set ignore: [ATTRIBUTE] there.",
		Flags: append([]urfave.Flag{
			sourceFlag(), reasonFlag(),
			&urfave.StringFlag{Name: "until", Usage: "expire after a duration (7d, 12h) or at `TIME` (2006-01-02T15:04:05Z)"},
		}, chartFlags()...),
		Action: p.action(driftAck),
	}
}

func driftAck(c *call) error {
	if c.arg(0) == "" {
		return cli.Usage("use one that `ovi drift` shows, such as ec2/web-0", "`ovi drift ack` needs a resource")
	}
	if err := c.atMost(2); err != nil {
		return err
	}
	if c.cmd.String("reason") == "" || c.cmd.String("until") == "" {
		return cli.Usage("add --reason 'under investigation' --until 7d", "`ovi drift ack` needs a reason and an end")
	}
	until, err := untilWhen(c, c.cmd.String("until"))
	if err != nil {
		return err
	}
	paths, err := c.sources(c.cmd.Args().Slice()[1:]...)
	if err != nil {
		return err
	}
	return withLine(c, paths, func(l *session) error { return ackIn(c, l, until) })
}

// untilWhen reads an end: a duration from now, or a time.
func untilWhen(c *call, text string) (time.Time, error) {
	if age, err := ageOf(text); err == nil {
		return c.Now().Add(age).UTC().Round(0), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || !t.After(c.Now()) {
		return t, cli.Usage("use 7d, 12h, or a future time such as 2026-01-02T15:04:05Z", "invalid --until %q", text)
	}
	return t.UTC(), nil
}

// ackIn observes the drift first: it is that one which is acknowledged.
func ackIn(c *call, l *session, until time.Time) error {
	planned, err := makePlan(c, l, event.ForDrift)
	if err != nil {
		return err
	}
	ref, err := ref(c, l.ledger, c.arg(0), c.cmd.Args().Tail()...)
	if err != nil {
		return err
	}
	for _, d := range planned.Plan.Decisions {
		if d.Ref != ref || d.Difference == comparator.Unreachable {
			continue
		}
		e := event.Acknowledged{
			Ref: ref, Drift: explain.DriftDigest(d), What: driftText(d), Until: until, Who: c.User(), Reason: c.cmd.String("reason"),
		}
		r, err := l.ledger.Record(c, e)
		if err != nil {
			return err
		}
		if c.out.Machine() {
			return c.out.Records(render.AcknowledgedDrift{
				Type: "acknowledged", Ref: namesOf(planned).Ref(ref), What: e.What, At: r.At, Until: until, Who: e.Who, Reason: e.Reason,
			})
		}
		c.out.Say("%s: drift acknowledged until %s (%s). Other drift is still shown.\n"+
			"This hides it only: the next `ovi apply` restores the configuration.", ref.Short(), stampOf(until), e.What)
		return nil
	}
	return &cli.Problem{Summary: ref.Short() + " has not drifted", Suggestion: "run `ovi drift` to list what has"}
}

// driftText is one line about what drifted.
func driftText(d decider.Decision) string {
	if d.Difference == comparator.Missing {
		return "deleted outside ovi"
	}
	text := ""
	for i, x := range d.Changes {
		if i > 0 {
			text += ", "
		}
		text += x.Name() + " is " + render.Value(x.From) + ", configured " + render.Value(x.To)
	}
	if text == "" {
		return d.Message
	}
	return text
}

func listAcknowledged(c *call, l *ledger.Ledger) error {
	acknowledged, err := l.Acknowledged(c)
	if err != nil {
		return err
	}
	scans, err := l.Scans(c, storage.Now)
	if err != nil {
		return err
	}
	names := namesIn(scans)
	refs := make([]resource.Ref, len(acknowledged))
	for i, a := range acknowledged {
		refs[i] = a.Ref
	}
	short := names.Shorten(refs...)
	t := render.Table{Head: []string{"RESOURCE", "DRIFT", "UNTIL", "BY", "REASON"}, Flexible: 1}
	for _, a := range acknowledged {
		over := !c.Now().Before(a.Until)
		if c.out.Machine() {
			err := c.out.Records(render.AcknowledgedDrift{
				Type: "acknowledged", Ref: names.Ref(a.Ref), What: a.What, At: a.At, Until: a.Until, Expired: over, Who: a.Who, Reason: a.Reason,
			})
			if err != nil {
				return err
			}
			continue
		}
		until := a.Until.UTC().Format("2006-01-02 15:04")
		if over {
			until += " (expired)"
		}
		t.Rows = append(t.Rows, []string{short(a.Ref), a.What, until, a.Who, a.Reason})
	}
	if c.out.Machine() {
		return nil
	}
	return c.out.Table(t, "No acknowledged drift.")
}

// driftRecords give programs the applied, observed and configured value of each difference.
func driftRecords(d decider.Decision, told []explain.Drift, ack *ledger.Acknowledgment, names render.Names) []render.Record {
	out := make([]render.Record, 0, len(told))
	for _, x := range told {
		r := render.Drift{
			Type: "drift", Ref: names.Ref(d.Ref), Scope: d.Ref.Scope().String(), Difference: string(d.Difference), Path: x.Path,
			Applied: render.JSON(x.Applied), Observed: render.JSON(x.Observed), Desired: render.JSON(x.Desired),
			Cause: string(x.Cause), Since: timeOrNil(x.Since), Revision: x.Revision, Times: x.Times,
		}
		if ack != nil {
			r.Acknowledged, r.Until, r.Reason = true, &ack.Until, ack.Reason
		}
		out = append(out, r)
	}
	return out
}
