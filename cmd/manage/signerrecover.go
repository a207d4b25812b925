package manage

import (
	"errors"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/operate"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/render"
)

// recoverCommand returns the command `ovi signer recover`.
func recoverCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "recover", ArgsUsage: "NAME KEYFILE", Usage: "Put a key on a roster whose keys are all lost",
		Description: "The first call asks for it: the loop alerts, and `ovi status` and `ovi signer list` show it, on\n" +
			"every instance that shares the store. Run the same command again after 72 hours on the same instance, and\n" +
			"the key is on the roster. Other instances count it 72 hours after they first found the recovery.\n" +
			"Whoever has a key of the roster ends it with --cancel --sign KEYFILE.",
		Flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "cancel", Usage: "end the recovery; needs --sign"}, command.SignFlag(),
			command.ReasonFlag(),
		},
		Action: p.Action(signerRecover),
	}
}

// recoverOptions are the options of `ovi signer recover`.
type recoverOptions struct {
	cancel bool
	sign   string
}

func recoverOptionsOf(c *command.Call) recoverOptions {
	return recoverOptions{cancel: c.Cmd.Bool("cancel"), sign: command.SignOf(c)}
}

func signerRecover(c *command.Call) error {
	o := recoverOptionsOf(c)
	if o.cancel {
		return cancelRecovery(c)
	}
	if c.Cmd.NArg() != 2 || strings.TrimSpace(c.Arg(0)) == "" {
		return cli.Usage("give both: NAME KEYFILE, or --cancel --sign KEYFILE",
			"`ovi signer recover` needs a name and a key")
	}
	if o.sign != "" {
		return cli.Usage("with a key of the roster use `ovi signer add NAME KEYFILE --sign KEYFILE`",
			"a recovery takes no signature")
	}
	s := event.Signer{Name: c.Arg(0)}
	var err error
	if s.Key, err = session.PublicKey(c.Arg(1)); err != nil {
		return err
	}
	return session.WithMemory(c, nil, func(l *ledger.Ledger) error {
		stands, changed, err := engine.New(engine.Config{Ledger: l, Clock: c.Now}).RecoverRoster(c, s, session.Act(c))
		switch {
		case errors.Is(err, event.ErrEmptyRoster):
			return cli.Usage("use `ovi signer add NAME KEYFILE`",
				"no key is on the roster: the first one needs no recovery")
		case errors.Is(err, event.ErrOnRoster):
			return cli.Usage("run `ovi signer list`", "the key is on the roster already")
		case err != nil:
			return err
		case changed != nil && c.Out.Machine():
			return c.Out.Records(render.Info{Type: "roster", Data: *changed})
		case changed != nil:
			c.Out.Say("%s", render.Line(*changed))
		case stands == nil:
			return errors.New("the recovery was asked for and is gone: run `ovi signer list`")
		case c.Out.Machine():
			return c.Out.Records(render.Info{Type: "roster_recovery", Data: render.RecoveryOf(*stands)})
		default:
			c.Out.Say("%s.", phrase.Capital(phrase.Recovery(*stands)))
			c.Out.Say("Run the same command on this instance again then: it puts the key on the roster.")
		}
		return nil
	})
}

func cancelRecovery(c *command.Call) error {
	if err := c.AtMost(0); err != nil {
		return err
	}
	act, err := session.SignedAct(c)
	if err != nil {
		return err
	}
	return session.WithMemory(c, nil, func(l *ledger.Ledger) error {
		canceled, err := engine.New(engine.Config{Ledger: l, Clock: c.Now}).CancelRecovery(c, act)
		switch {
		case errors.Is(err, operate.ErrNothingToCancel):
			return cli.Usage("run `ovi signer list`", "no recovery of the roster stands")
		case err != nil:
			return session.Unsigned(err)
		case c.Out.Machine():
			return c.Out.Records(render.Info{Type: "roster_recovery_canceled", Data: canceled})
		}
		c.Out.Say("%s", render.Line(canceled))
		return nil
	})
}
