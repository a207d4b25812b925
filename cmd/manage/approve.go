package manage

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/reconcile"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/render"
)

// ApproveCommand returns the command `ovi approve`.
func ApproveCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "approve", Category: command.GroupManage, ArgsUsage: "PLANFILE",
		Usage: "Approve a plan",
		Description: "An approval covers the changes in the plan, not the file. It counts until it expires or the " +
			"plan proposes different changes. A plan that was applied in part cannot be approved: approve a new one. " +
			"Approvals by the same user count once. Confirming `ovi apply` is " +
			"not an approval. With --sign, the approver is the key's owner in the roster (see `ovi signer`).",
		Flags: []urfave.Flag{
			&urfave.StringFlag{
				Name: "until", Usage: "expire after a duration or at `TIME` (24h, 7d, 2006-01-02T15:04:05Z)",
				Value: "24h",
			},
			command.SignFlag(), command.ReasonFlag(),
		},
		Action: p.Action(approve),
	}
}

// approveOptions are the options of `ovi approve`.
type approveOptions struct{ until string }

func approveOptionsOf(c *command.Call) approveOptions {
	return approveOptions{until: c.Cmd.String("until")}
}

func approve(c *command.Call) error {
	o := approveOptionsOf(c)
	if c.Cmd.NArg() != 1 {
		return cli.Usage("create one: ovi plan --out FILE", "`ovi approve` needs a saved plan")
	}
	if err := session.SavedPlan(c.Arg(0)); err != nil {
		return err
	}
	until, err := later(c, "until", o.until)
	if err != nil {
		return err
	}
	head, saved, err := session.LoadPlan(c.Arg(0))
	if err != nil {
		return err
	}
	if err := session.AsPlanned(c, head, c.Arg(0)); err != nil {
		return err
	}
	return session.WithMemory(c, nil, func(l *ledger.Ledger) error {
		if err := session.AsRecorded(c, l, c.Arg(0), head, saved); err != nil {
			return err
		}
		return approveIn(c, l, saved, until)
	})
}

func approveIn(c *command.Call, l *ledger.Ledger, p *engine.Planned, until time.Time) error {
	if err := reconcile.ShowPlan(c, p, reconcile.PlanView{Dir: command.DataDirOf(c), Full: true}); err != nil {
		return err
	}
	e := engine.New(engine.Config{Ledger: l, Clock: c.Now})
	act, err := session.SignedAct(c)
	if err != nil {
		return err
	}
	yes, err := e.Approve(c, p, act, until)
	if errors.Is(err, engine.ErrNothingToApprove) {
		return &cli.Problem{Summary: "nothing to approve", Err: err, Suggestion: "run `ovi plan --out FILE` again"}
	}
	var applied *engine.AppliedError
	if errors.As(err, &applied) {
		p := &cli.Problem{
			Summary: "the plan has been applied in part", File: c.Arg(0), Err: err,
			Suggestion: "run `ovi plan --out FILE` and approve the new plan",
		}
		if applied.All {
			p.Summary = "the plan has been applied"
		}
		return p
	}
	if err != nil {
		return session.Unsigned(err)
	}
	all, err := l.Approvals(c, yes.Digest)
	if err != nil {
		return err
	}
	out := render.Approval{
		Type: "approval", Plan: yes.Plan, Digest: yes.Digest, Who: yes.Who, Until: yes.Until,
		Reason: yes.Reason, Approved: []string{},
	}
	// What the rules require, as far as the plan knows.
	for _, d := range p.Plan.Decisions {
		for _, v := range d.Blockers {
			out.People, out.Signed = max(out.People, v.Approvers), out.Signed || v.Signed
		}
	}
	if yes.SignedBy != nil {
		out.Key = yes.SignedBy.Key.Fingerprint()
	}
	for _, a := range all {
		if a.Holds(c.Now()) && a.Used == "" && (!out.Signed || a.Signed && a.Who != p.By) {
			out.Approved = append(out.Approved, a.Who)
		}
	}
	return tellApproval(c, out)
}

func tellApproval(c *command.Call, a render.Approval) error {
	if c.Out.Machine() {
		return c.Out.Records(a)
	}
	c.Out.Say("")
	how := "not signed"
	if a.Key != "" {
		how = "signed by " + a.Key
	}
	c.Out.Say("Approved by %s until %s, %s.", a.Who, phrase.Minute(a.Until), how)
	kind := ""
	if a.Signed {
		kind = "signed "
	}
	switch n := a.People - len(a.Approved); {
	case a.People == 0:
		c.Out.Say("No rule requires approval; run `ovi apply %s`.", c.Arg(0))
	case n > 0:
		c.Out.Say("%d of %d required %sapprovals: %s.", len(a.Approved), a.People, kind, strings.Join(a.Approved, ", "))
	default:
		c.Out.Say("All required %sapprovals are given (%s); run `ovi apply %s`.", kind, strings.Join(a.Approved, ", "),
			c.Arg(0))
	}
	return nil
}

// later reads an option that is a future time, or a duration from now.
func later(c *command.Call, flag, text string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		var d time.Duration
		if d, err = days(text); err == nil {
			at = c.Now().Add(d)
		}
	}
	if err != nil || !at.After(c.Now()) {
		return at, cli.Usage("use a duration such as 24h or 7d, or a future time such as 2030-01-02T15:04:05Z",
			"invalid --%s %q", flag, text)
	}
	return at, nil
}

// days reads a duration that may be in days.
func days(text string) (time.Duration, error) {
	if n, ok := strings.CutSuffix(text, "d"); ok {
		count, err := strconv.ParseUint(n, 10, 16)
		if err != nil {
			return 0, fmt.Errorf("invalid number of days %q", n)
		}
		return time.Duration(count) * 24 * time.Hour, nil
	}
	return time.ParseDuration(text)
}
