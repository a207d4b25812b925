package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/history"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

func (p *process) claimsCommand() *cli.Command {
	return &cli.Command{
		Name: "claims", Category: catMemory, ArgsUsage: "[SOURCE | revoke REF]",
		Usage: "who may act on what, since when and until when; take a claim away",
		Flags: []cli.Flag{sourceFlag(), &cli.StringFlag{Name: "reason", Usage: "with revoke: why, for the record"}},
		Description: "A claim ends by itself when its holder dies; to revoke one is for a holder that lives and must not\n" +
			"act: its next record is refused, and its call is ended at its next heartbeat.",
		Action: p.action((*call).claims),
	}
}

func (c *call) claims() error {
	if c.arg(0) == "revoke" {
		if c.cli.NArg() != 2 || c.cli.String("reason") == "" {
			return usage("ovi claims revoke ec2/web-0 --reason \"host lost\"", "`ovi claims revoke` needs a thing and a reason")
		}
		return c.withMemory(nil, c.revoke)
	}
	if c.cli.String("reason") != "" {
		return usage("ovi claims revoke REF --reason WHY", "--reason goes with revoke")
	}
	if err := c.atMost(1); err != nil {
		return err
	}
	return c.withMemory(c.cli.Args().Slice(), c.showClaims)
}

func (c *call) showClaims(l *ledger.Ledger) error {
	scans, err := l.Scans(c, storage.Now)
	if err != nil {
		return err
	}
	names := namesIn(scans)
	all, err := coordinator.New(l.Claims(), coordinator.Identity{}).List(c)
	if err != nil {
		return err
	}
	t := render.Table{Head: []string{"THING", "HELD BY", "SINCE", "DIES AFTER", "TOKEN"}, Flexible: 1}
	for _, x := range all {
		if !c.out.machine() {
			t.Rows = append(t.Rows, []string{shortRef(names, x.Ref), holderOf(x), c.ago(x.Since), x.TTL.String() + " of silence", count(int(x.Token))})
			continue
		}
		err := c.out.records(render.Claim{
			Type: "claim", Ref: shortRef(names, x.Ref), Token: x.Token, Holder: holderOf(x), Instance: x.Instance,
			Host: x.Host, PID: x.PID, Since: x.Since, TTLSeconds: x.TTL.Seconds(),
		})
		if err != nil {
			return err
		}
	}
	if c.out.machine() {
		return nil
	}
	return c.out.table(t, "Nobody holds anything.")
}

func holderOf(x coordinator.Claim) string {
	return x.User + "@" + x.Host + " pid " + count(x.PID)
}

// shortRef shortens a ref that is text; a claim's key need not be one.
func shortRef(names render.Names, text string) string {
	ref, ok := claimedResource(text)
	if !ok {
		return text
	}
	return names.Ref(ref)
}

// claimedResource is the thing a claim is on; false for a claim on something else, such as the
// lead of a stack.
func claimedResource(text string) (resource.Ref, bool) {
	if strings.HasPrefix(text, engine.Lead) {
		return resource.Ref{}, false
	}
	ref, err := resource.ParseRef(text)
	return ref, err == nil
}

// fitsClaim says that people may call a claim so.
func fitsClaim(claim, spelling string) bool {
	ref, ok := claimedResource(claim)
	return ok && history.Fits(ref, spelling)
}
