package edge

import (
	"cmp"
	"errors"
	"path/filepath"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/provider/edge/identity"
)

func edgeTokenCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "token", ArgsUsage: "SITE/NODE",
		Usage: "Make a token with which a node enrolls once, within 15 minutes",
		Description: "It is made on the host of the orchestrator, in its data directory (--data-dir, or -f SOURCE). On " +
			"the\n" +
			"host of the central orchestrator, SITE alone is for the orchestrator of that site.",
		Flags: []urfave.Flag{command.RecordFlag()},
		Action: p.Action(func(c *command.Call) error {
			return withAuthority(c, func(a *identity.Authority, node string) error {
				token, err := a.Token(node)
				if err == nil {
					c.Out.Say("%s", token)
				}
				return err
			})
		}),
	}
}

func edgeRevokeCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "revoke", ArgsUsage: "SITE/NODE",
		Usage:       "Refuse a node from now on, until it enrolls with another token",
		Description: "It is done on the host of the orchestrator, in its data directory (--data-dir, or -f SOURCE).",
		Flags:       []urfave.Flag{command.RecordFlag()},
		Action: p.Action(func(c *command.Call) error {
			return withAuthority(c, func(a *identity.Authority, node string) error {
				err := a.Revoke(node)
				if err == nil {
					c.Out.Say("Revoked %s: its certificates are refused from its next report on.", node)
				}
				return err
			})
		}),
	}
}

func edgeResumeCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "resume", ArgsUsage: "SITE/NODE",
		Usage: "Resume a node whose desired state is newer than its orchestrator's",
		Description: "Use it after you restore the orchestrator from a backup. The orchestrator continues from " +
			"the state of the node. Run it on the host of the orchestrator, in its data directory (--data-dir, " +
			"or -f SOURCE).",
		Flags: []urfave.Flag{command.RecordFlag()},
		Action: p.Action(func(c *command.Call) error {
			dir, node, err := identityFor(c)
			if err == nil {
				err = edge.Resume(dir, node)
			}
			if err == nil {
				c.Out.Say("Resumed %s: it gets requests from its next report on.", node)
			}
			return err
		}),
	}
}

// withAuthority opens the authority of the orchestrator for a command about one node.
func withAuthority(c *command.Call, do func(a *identity.Authority, node string) error) error {
	dir, node, err := identityFor(c)
	if err != nil {
		return err
	}
	a, err := identity.Open(dir, c.Now)
	if err != nil {
		return err
	}
	return do(a, node)
}

// identityFor is the folder of the authority, for a command about one node.
func identityFor(c *command.Call) (dir, node string, err error) {
	if c.Cmd.NArg() != 1 || !edge.IsNode(c.Arg(0)) && !edge.IsSite(c.Arg(0)) {
		return "", "", cli.Usage("for example, ovi edge "+c.Cmd.Command.Name+" berlin/n1", "name one node, SITE/NODE")
	}
	dir = session.DataDir(c, session.Named(c, nil))
	if err := errors.Join(command.IsSafe(c, dir), command.CreateDir(dir)); err != nil {
		return "", "", err
	}
	return edgeIdentity(c, dir), c.Arg(0), nil
}

// edgeIdentity is the folder of the authority: --edge-identity, or one in the data directory.
func edgeIdentity(c *command.Call, dir string) string {
	return cmp.Or(optionOf(c, edge.Name, "identity"), filepath.Join(dir, "edge"))
}

// enrolled is an identity with the orchestrator at an address, enrolled with its token if it is not yet. file is
// where the token is.
func enrolled(c *command.Call, id identity.Node, name, address, file string) error {
	if err := command.IsSafe(c, id.Dir); err != nil {
		return err
	}
	token := c.Getenv("OVI_EDGE_TOKEN")
	if file != "" {
		b, err := budget.ReadFile(file, budget.Text)
		if err != nil {
			return &cli.Problem{Summary: "cannot read the token", File: file, Err: cli.Plain(err)}
		}
		token = strings.TrimSpace(string(b))
	}
	switch {
	case token == "" && !id.Enrolled():
		return cli.Usage("run `ovi edge token "+name+
			"` on the host of the orchestrator, and give it in a file or as OVI_EDGE_TOKEN", "%s is not enrolled", name)
	case token == "" || id.EnrolledWith(token):
		return nil
	}
	err := id.Enroll(c, token, edge.Sign(address))
	if err != nil && id.Enrolled() { // what runs on the node must not wait for a token
		c.Out.Warn(name+" is not enrolled again, and goes on with its certificate: "+err.Error(),
			"make another token on the host of the orchestrator: ovi edge token "+name)
		return nil
	}
	if err != nil {
		return &cli.Problem{
			Summary: "cannot enroll " + name, Err: err,
			Suggestion: "make another token on the host of the orchestrator: ovi edge token " + name,
		}
	}
	c.Out.Say("%s is enrolled.", name)
	return nil
}

// nodeDir is the folder of a node: the data directory that was named, or one in the user's state folder.
func nodeDir(c *command.Call, name string) string {
	if c.NamesDir() {
		return session.DataDir(c, nil)
	}
	return filepath.Join(c.StateDir(), "node-"+strings.ReplaceAll(name, "/", "-"))
}
