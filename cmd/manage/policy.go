package manage

import (
	"errors"
	"iter"
	"time"

	"github.com/ovi-project/ovi/engine/backtest"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/replay"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

// PolicyCommand returns the command `ovi policy`.
func PolicyCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "policy", Category: command.GroupGovern,
		Usage: "Test, evaluate and require policies",
		Subcommands: []*urfave.Command{
			{
				Name: "test", ArgsUsage: "FILE...", Usage: "Show which past decisions these policies would change; exit 2 if any",
				Description: "FILE is a policy file or a folder of them. Its rules replace the rules of the same names, its\n" +
					"windows and approvals those in effect at the time. Only the audit log is read.",
				Flags: []urfave.Flag{
					command.SourceFlag(),
					&urfave.StringFlag{Name: "since", Usage: "only plans after `TIME` (90d, 12h, 2006-01-02T15:04:05Z)", Value: "90d"},
					&urfave.StringSliceFlag{
						Name:  "wal",
						Usage: "read the audit log in `DIR`, or a copy; repeat it for the logs of all instances of one store",
					},
					&urfave.BoolFlag{Name: "instead", Usage: "replace every rule, window and approval, not only " +
						"the ones with the same name"},
				},
				Action: p.Action(policyTest),
			},
			{
				Name: "eval", ArgsUsage: "PLANFILE", Usage: "Evaluate one rule for each decision of a saved plan",
				Flags: append([]urfave.Flag{
					session.PolicyFlag(),
					&urfave.StringFlag{Name: "rule", Usage: "evaluate the rule `NAME` of --policy or of the plan's sources"},
					&urfave.StringFlag{Name: "expr", Usage: "evaluate a condition in `CEL`"},
				}, session.ChartFlags()...),
				Action: p.Action(policyEval),
			},
			{
				Name: "require", ArgsUsage: "[FILE]", Usage: "Require a policy of every run on this store, or list those required",
				Description: "FILE is a policy file or a folder of them. From then on, each run on the store applies its\n" +
					"rules, whatever its command line says. The audit log has them: FILE is not read again, and\n" +
					"requiring it again replaces them. --off NAME ends that; both are recorded.",
				Flags: []urfave.Flag{
					&urfave.StringFlag{Name: "name", Usage: "require it under `NAME` instead of the file's name"},
					&urfave.StringFlag{Name: "off", Usage: "no longer require the policy `NAME`"},
					command.SignFlag(), command.ReasonFlag(),
				},
				Action: p.Action(policyRequire),
			},
		},
	}
}

// testOptions are the options of `ovi policy test`.
type testOptions struct {
	since   string
	logs    []string
	instead bool
}

func testOptionsOf(c *command.Call) testOptions {
	return testOptions{since: c.Cmd.String("since"), logs: c.Cmd.StringSlice("wal"), instead: c.Cmd.Bool("instead")}
}

// evalOptions are the options of `ovi policy eval`.
type evalOptions struct{ rule, expr string }

func evalOptionsOf(c *command.Call) evalOptions {
	return evalOptions{rule: c.Cmd.String("rule"), expr: c.Cmd.String("expr")}
}

// requireOptions are the options of `ovi policy require`.
type requireOptions struct{ name, off string }

func requireOptionsOf(c *command.Call) requireOptions {
	return requireOptions{name: c.Cmd.String("name"), off: c.Cmd.String("off")}
}

func policyTest(c *command.Call) error {
	o := testOptionsOf(c)
	files := c.Cmd.Args().Slice()
	if len(files) == 0 {
		return cli.Usage("name a file or a folder of policies; see docs/policies.md", "`ovi policy test` needs policies")
	}
	rules, err := session.ReadPolicies(c, files)
	if err != nil {
		return err
	}
	if _, err := engine.Guards(nil, rules); err != nil {
		return err
	}
	since, err := before(c, "since", o.since)
	if err != nil {
		return err
	}
	trial := backtest.Backtest{
		Rules: rules, Instead: o.instead, Since: since,
		Kinds: command.Schemas(c.Process).Kind,
	}
	switch len(o.logs) {
	case 0:
	case 1:
		return try(c, trial, history.ReadLog(c, o.logs[0], history.Filter{}))
	default:
		logs, err := replay.OpenLogs(o.logs)
		if err != nil {
			return err
		}
		return errors.Join(try(c, trial, logs.Records(c)), logs.Close())
	}
	return session.WithMemory(c, nil, func(l *ledger.Ledger) error {
		return try(c, trial, history.New(l.Reader()).LogRecords(c, history.Filter{}))
	})
}

func try(c *command.Call, trial backtest.Backtest, records iter.Seq2[event.Record, error]) error {
	out, err := trial.Run(records)
	if err != nil {
		return err
	}
	summary := render.Trial{Type: "policy_test", Plans: out.Plans, Decisions: out.Decisions, Unjudged: out.Unjudged}
	var rows []render.Tried
	var scopes []resource.Scope
	for _, t := range out.Tried {
		scopes = append(scopes, t.Ref.Scope())
	}
	names := render.NewNames(scopes...)
	for _, t := range out.Tried {
		rows = append(rows, render.Tried{
			Type: "policy_result", Ref: names.Ref(t.Ref), Stack: t.Ref.Stack, Proposed: string(t.Proposed), First: t.First,
			Last:  t.Last,
			Times: t.Times, Plan: t.Plan, Done: t.Done, Flips: t.Flips(), Was: judged(t.Was), Would: judged(t.Would),
			Warnings: t.Warnings,
		})
		if t.Flips() {
			summary.Flips++
		}
	}
	if err := tellTrial(c, rows, summary); err != nil {
		return err
	}
	if summary.Flips > 0 {
		return cli.Exit(cli.ExitChanges)
	}
	return nil
}

func judged(j backtest.PolicyResult) render.Judged {
	return render.Judged{Summary: string(j.Says), Policy: j.Policy, Reason: j.Reason, Until: command.TimeOrNil(j.Until)}
}

func tellTrial(c *command.Call, rows []render.Tried, sum render.Trial) error {
	if c.Out.Machine() {
		for _, r := range rows {
			if err := c.Out.Records(r); err != nil {
				return err
			}
		}
		return c.Out.Records(sum)
	}
	if err := c.Out.Table(render.TriedTable(rows), "These policies would have decided nothing."); err != nil {
		return err
	}
	c.Out.Say("")
	c.Out.Say("%s", sum.Sentence())
	if sum.Unjudged > 0 {
		c.Out.Warn(sum.NotJudged(), "see docs/policies.md on the limits of a back-test")
	}
	return nil
}

// before reads an option that is a time, or a duration ago, also in days.
func before(c *command.Call, flag, text string) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	ago, err := days(text)
	if err != nil {
		return time.Time{}, cli.Usage("use a duration ago, such as 90d or 12h, or a time such as 2026-01-02T15:04:05Z",
			"invalid --%s %q", flag, text)
	}
	return c.Now().Add(-ago), nil
}
