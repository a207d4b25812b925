package reconcile

import (
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/explain"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

func driftAckCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "ack", ArgsUsage: "REF [SOURCE]",
		Usage: "Acknowledge a change: exclude it until it changes again or the time is over",
		Description: "`ovi drift` excludes the change. The next apply still restores the configuration. To keep " +
			"the change, change the configuration, or set ignore: [ATTRIBUTE] there.",
		Flags: append([]urfave.Flag{
			command.SourceFlag(), command.ReasonFlag(),
			&urfave.StringFlag{Name: "until", Usage: "expire after a duration (7d, 12h) or at `TIME` (2006-01-02T15:04:05Z)"},
		}, session.ChartFlags()...),
		Action: p.Action(driftAck),
	}
}

// ackOptions are the options of `ovi drift ack`.
type ackOptions struct{ reason, until string }

func ackOptionsOf(c *command.Call) ackOptions {
	return ackOptions{reason: command.ReasonOf(c), until: c.Cmd.String("until")}
}

func driftAck(c *command.Call) error {
	o := ackOptionsOf(c)
	if c.Arg(0) == "" {
		return cli.Usage("use one that `ovi drift` shows, such as ec2/web-0", "`ovi drift ack` needs a resource")
	}
	if err := c.AtMost(2); err != nil {
		return err
	}
	if o.reason == "" || o.until == "" {
		return cli.Usage("add --reason 'under investigation' --until 7d", "`ovi drift ack` needs a reason and an end")
	}
	until, err := untilWhen(c, o.until)
	if err != nil {
		return err
	}
	paths, err := session.Sources(c, c.Cmd.Args().Slice()[1:]...)
	if err != nil {
		return err
	}
	return session.WithLine(c, paths, func(l *session.Session) error { return ackIn(c, l, until, o.reason) })
}

// untilWhen reads an end: a duration from now, or a time.
func untilWhen(c *command.Call, text string) (time.Time, error) {
	if age, err := session.AgeOf(text); err == nil {
		return c.Now().Add(age).UTC().Round(0), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || !t.After(c.Now()) {
		return t, cli.Usage("use 7d, 12h, or a future time such as 2026-01-02T15:04:05Z", "invalid --until %q", text)
	}
	return t.UTC(), nil
}

// ackIn observes the drift first: it is that one which is acknowledged.
func ackIn(c *command.Call, l *session.Session, until time.Time, reason string) error {
	planned, err := makePlan(c, l, event.ForDrift, planOptions{})
	if err != nil {
		return err
	}
	ref, err := session.Ref(c, l.Ledger, c.Arg(0), c.Cmd.Args().Tail()...)
	if err != nil {
		return err
	}
	for _, d := range planned.Plan.Decisions {
		if d.Ref != ref || d.Difference == comparator.Unreachable {
			continue
		}
		e := event.Acknowledged{
			Ref: ref, Drift: explain.DriftDigest(d), What: driftText(d), Until: until, Who: c.User(),
			Reason: reason,
		}
		r, err := l.Ledger.Record(c, e)
		if err != nil {
			return err
		}
		if c.Out.Machine() {
			return c.Out.Records(render.AcknowledgedDrift{
				Type: "acknowledged", Ref: session.NamesOf(planned).Ref(ref), What: e.What, At: r.At, Until: until, Who: e.Who,
				Reason: e.Reason,
			})
		}
		c.Out.Say("%s: drift acknowledged until %s (%s). Other drift is still shown.\n"+
			"This hides it only: the next `ovi apply` restores the configuration.", ref.Short(), session.StampOf(until), e.What)
		return nil
	}
	return &cli.Problem{Summary: ref.Short() + " has not drifted", Suggestion: "run `ovi drift` to list what has"}
}

// driftText is one line about what drifted.
func driftText(d decider.Decision) string {
	if d.Difference == comparator.Missing {
		return strings.TrimPrefix(d.Message, "it was ")
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

func listAcknowledged(c *command.Call, l *ledger.Ledger) error {
	acknowledged, err := l.Acknowledged(c)
	if err != nil {
		return err
	}
	scans, err := l.Scans(c, storage.Now)
	if err != nil {
		return err
	}
	names := session.NamesIn(scans)
	refs := make([]resource.Ref, len(acknowledged))
	for i, a := range acknowledged {
		refs[i] = a.Ref
	}
	short := names.Shorten(refs...)
	t := render.Table{Head: []string{"RESOURCE", "DRIFT", "UNTIL", "BY", "REASON"}, Flexible: 1}
	for _, a := range acknowledged {
		over := !c.Now().Before(a.Until)
		if c.Out.Machine() {
			err := c.Out.Records(render.AcknowledgedDrift{
				Type: "acknowledged", Ref: names.Ref(a.Ref), What: a.What, At: a.At, Until: a.Until, Expired: over, Who: a.Who,
				Reason: a.Reason,
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
	if c.Out.Machine() {
		return nil
	}
	return c.Out.Table(t, "No acknowledged drift.")
}

// driftRecords give programs the applied, observed and configured value of each difference.
func driftRecords(d decider.Decision, told []explain.Drift, ack *ledger.Acknowledgment,
	names render.Names,
) []render.Record {
	out := make([]render.Record, 0, len(told))
	for _, x := range told {
		r := render.Drift{
			Type: "drift", Ref: names.Ref(d.Ref), Scope: d.Ref.Scope().String(), Difference: string(d.Difference), Path: x.Path,
			Applied: render.JSON(x.Applied), Observed: render.JSON(x.Observed), Desired: render.JSON(x.Desired),
			Cause: string(x.Cause), Since: command.TimeOrNil(x.Since), Revision: x.Revision, Times: x.Times,
		}
		if ack != nil {
			r.Acknowledged, r.Until, r.Reason = true, &ack.Until, ack.Reason
		}
		out = append(out, r)
	}
	return out
}
