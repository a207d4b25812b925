package record

import (
	"strings"

	"github.com/ovi-project/ovi/engine/loop"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// ClaimsCommand returns the command `ovi claims`.
func ClaimsCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "claims", Category: command.GroupInspect, ArgsUsage: "[SOURCE]",
		Usage:       "List or revoke claims",
		Flags:       []urfave.Flag{command.RecordFlag()},
		Description: "A claim is the right to change one resource. It expires when its owner stops.",
		Subcommands: []*urfave.Command{{
			Name: "revoke", ArgsUsage: "REF", Usage: "Revoke the claim of an owner that is running and must not act",
			Description: "No later result of the owner is recorded, and its call is canceled at its next heartbeat.",
			Flags:       []urfave.Flag{command.RecordFlag(), session.StackFlag(), command.ReasonFlag()},
			Action:      p.Action(revokeClaim),
		}},
		Action: p.Action(claims),
	}
}

func claims(c *command.Call) error {
	if err := c.AtMost(1); err != nil {
		return err
	}
	return session.WithMemory(c, c.Cmd.Args().Slice(), func(l *ledger.Ledger) error { return showClaims(c, l) })
}

// revokeOptions are the options of `ovi claims revoke`.
type revokeOptions struct{ reason string }

func revokeOptionsOf(c *command.Call) revokeOptions {
	return revokeOptions{reason: command.ReasonOf(c)}
}

func revokeClaim(c *command.Call) error {
	o := revokeOptionsOf(c)
	if c.Cmd.NArg() != 1 || o.reason == "" {
		return cli.Usage("use ovi claims revoke ec2/web-0 --reason \"host lost\"",
			"`ovi claims revoke` needs a resource and a reason")
	}
	return session.WithMemory(c, nil, func(l *ledger.Ledger) error { return revoke(c, l, o.reason) })
}

func showClaims(c *command.Call, l *ledger.Ledger) error {
	scans, err := l.Scans(c, storage.Now)
	if err != nil {
		return err
	}
	names := session.NamesIn(scans)
	all, err := coordinator.New(l.Claims(), coordinator.Identity{}).List(c)
	if err != nil {
		return err
	}
	var refs []resource.Ref
	for _, x := range all {
		if ref, ok := claimedResource(x.Ref); ok {
			refs = append(refs, ref)
		}
	}
	short := names.Shorten(refs...)
	t := render.Table{Head: []string{"RESOURCE", "CLAIMED BY", "PID", "SINCE", "EXPIRES"}, Flexible: 1}
	for _, x := range all {
		if !c.Out.Machine() {
			t.Rows = append(t.Rows, []string{
				claimName(x.Ref, short), x.User + "@" + x.Host, command.Count(x.PID),
				c.Ago(x.Since), "in " + x.TTL.String() + " unless renewed",
			})
			continue
		}
		latest := c.Now().Add(x.TTL)
		err := c.Out.Records(render.Claim{
			Type: "claim", Ref: claimName(x.Ref, names.Ref), Token: x.Token, Holder: holderOf(x), Instance: x.Instance,
			Host: x.Host, PID: x.PID, Since: x.Since, TTLSeconds: x.TTL.Seconds(), ExpiresAt: &latest,
		})
		if err != nil {
			return err
		}
	}
	if c.Out.Machine() {
		return nil
	}
	return c.Out.Table(t, "No claims.")
}

func holderOf(x coordinator.Claim) string {
	return x.User + "@" + x.Host + " pid " + command.Count(x.PID)
}

// claimName is what a claim is on, in some form; a claim's key need not be a ref.
func claimName(text string, form func(resource.Ref) string) string {
	ref, ok := claimedResource(text)
	if !ok {
		return text
	}
	return form(ref)
}

// claimedResource is the resource of a claim; false for a claim on something else, such as the
// lead of a stack.
func claimedResource(text string) (resource.Ref, bool) {
	if strings.HasPrefix(text, loop.Lead) {
		return resource.Ref{}, false
	}
	ref, err := resource.ParseRef(text)
	return ref, err == nil
}

// fitsClaim reports whether a claim may be called so.
func fitsClaim(claim, spelling string) bool {
	ref, ok := claimedResource(claim)
	return ok && ref.Fits(spelling)
}

// isOf reports whether a claim is on a resource of a stack; an empty name means any stack.
func isOf(claim, stack string) bool {
	ref, ok := claimedResource(claim)
	return stack == "" || ok && ref.Stack == stack
}
