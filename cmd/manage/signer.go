package manage

import (
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/internal/sshsig"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/render"
)

// SignerCommand returns the command `ovi signer`.
func SignerCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "signer", Category: command.GroupGovern,
		Usage: "List, add, remove and recover the SSH keys of people, whose signatures count",
		Subcommands: []*urfave.Command{
			{
				Name: "list", Usage: "List the keys of the roster",
				Action: p.Action(signerList),
			},
			{
				Name: "add", ArgsUsage: "NAME KEYFILE", Usage: "Put a public SSH key of a person on the roster",
				Description: "KEYFILE is a public key, such as ~/.ssh/id_ed25519.pub. The first key needs no signature; each " +
					"later\n" +
					"change is signed with --sign by a key that is on the roster, so keep keys of two people on it. If\n" +
					"all keys are lost, `ovi signer recover` puts a new one on.",
				Flags:  []urfave.Flag{command.SignFlag(), command.ReasonFlag()},
				Action: p.Action(func(c *command.Call) error { return signerChange(c, true) }),
			},
			{
				Name: "remove", ArgsUsage: "NAME KEYFILE", Usage: "Remove a public SSH key of a person from the roster",
				Description: "Signatures by the removed key no longer count. The last key cannot be removed: first add its\n" +
					"successor. Instead of KEYFILE you can give the fingerprint that `ovi signer list` shows.",
				Flags:  []urfave.Flag{command.SignFlag(), command.ReasonFlag()},
				Action: p.Action(func(c *command.Call) error { return signerChange(c, false) }),
			},
			recoverCommand(p),
		},
	}
}

func signerList(c *command.Call) error {
	if err := c.AtMost(0); err != nil {
		return err
	}
	return session.WithMemory(c, nil, func(l *ledger.Ledger) error {
		roster, err := l.Roster(c)
		if err != nil {
			return err
		}
		t := render.Table{Head: []string{"NAME", "FINGERPRINT", "TYPE"}}
		for _, s := range roster {
			kind, _, _ := strings.Cut(string(s.Key), " ")
			t.Rows = append(t.Rows, []string{s.Name, s.Key.Fingerprint(), kind})
			if c.Out.Machine() {
				if err := c.Out.Records(render.Info{Type: "signer", Data: s}); err != nil {
					return err
				}
			}
		}
		switch {
		case c.Out.Machine():
			return nil
		case len(roster) == 0:
			c.Out.Say("No key is on the roster. Add one with `ovi signer add NAME KEYFILE`.")
			return nil
		}
		if err := t.Write(c.Out.W, c.Out.Style); err != nil {
			return err
		}
		stands, err := l.Recovery(c)
		if err == nil && stands != nil {
			c.Out.Say("\n%s.", phrase.Capital(phrase.Recovery(*stands)))
		}
		return err
	})
}

func signerChange(c *command.Call, on bool) error {
	if c.Cmd.NArg() != 2 || strings.TrimSpace(c.Arg(0)) == "" {
		return cli.Usage("give both: NAME KEYFILE", "`ovi signer add` and `ovi signer remove` need a name and a key")
	}
	act, err := session.SignedAct(c)
	if err != nil {
		return err
	}
	return session.WithMemory(c, nil, func(l *ledger.Ledger) error {
		s := event.Signer{Name: c.Arg(0)}
		if s.Key, err = signerKey(c, l, s.Name, on); err != nil {
			return err
		}
		e := engine.New(engine.Config{Ledger: l, Clock: c.Now})
		changed, err := e.ChangeRoster(c, s, on, act)
		if err != nil {
			return session.Unsigned(err)
		}
		if c.Out.Machine() {
			return c.Out.Records(render.Info{Type: "roster", Data: changed})
		}
		c.Out.Say("%s", render.Line(changed))
		return nil
	})
}

// signerKey is the key that is added or, of those on the roster, removed.
func signerKey(c *command.Call, l *ledger.Ledger, name string, on bool) (sshsig.Key, error) {
	if on {
		return session.PublicKey(c.Arg(1))
	}
	roster, err := l.Roster(c)
	if err != nil {
		return "", err
	}
	var key sshsig.Key
	if !strings.HasPrefix(c.Arg(1), "SHA256:") {
		if key, err = session.PublicKey(c.Arg(1)); err != nil {
			return "", err
		}
	}
	for _, s := range roster {
		if s.Name == name && (s.Key == key || s.Key.Fingerprint() == c.Arg(1)) {
			return s.Key, nil
		}
	}
	return "", cli.Usage("run `ovi signer list`", "the roster has no such key of %s", name)
}
