package session

import (
	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/wal"
)

// trustRecord is the result of `store trust` for programs.
type trustRecord struct {
	Instance string        `json:"instance"`
	Key      string        `json:"key"`
	Recorded []event.Event `json:"recorded"`
}

// StoreTrust runs `ovi store trust`.
func StoreTrust(c *command.Call) error {
	o := trustOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	key := c.Arg(0)
	if k, err := wal.ParsePublicKey(key); err == nil {
		key = wal.FormatPublicKey(k)
	} else if key != "" {
		return cli.Usage("use the key that `ovi store trust` prints on the other host", "invalid key %q", key)
	}
	if o.directory && (key != "" || o.required || o.revoke) {
		return cli.Usage("use it alone", "--directory accepts the data directory, and nothing else")
	}
	if o.revoke && key == "" && !o.required {
		return cli.Usage("add KEY or --required", "--revoke needs a key or --required")
	}
	return WithMemory(c, nil, func(l *ledger.Ledger) error { return trustIn(c, l, key, o) })
}

func trustIn(c *command.Call, l *ledger.Ledger, key string, o trustOptions) error {
	on := !o.revoke
	act, err := SignedAct(c)
	if err != nil {
		return err
	}
	var events []event.Event
	if o.required {
		events = append(events, event.TrustRequired{On: on, Who: act.Who, Reason: act.Reason})
	}
	if key != "" {
		events = append(events, event.Trusted{Key: key, On: on, Who: act.Who, Reason: act.Reason})
	}
	if len(events) > 0 {
		if events, err = engine.New(engine.Config{Ledger: l, Clock: c.Now}).Govern(c, act, events...); err != nil {
			return Unsigned(err)
		}
	}
	if c.Out.Machine() {
		return c.Out.Records(render.Info{Type: "trust", Data: trustRecord{l.Instance(), l.Key(), events}})
	}
	if o.directory {
		c.Out.Say("The data directory is accepted as your own. Your key signs its audit log from now on.")
	}
	for _, e := range events {
		c.Out.Say("%s", render.Line(e))
	}
	if len(events) == 0 {
		c.Out.Say("Instance %s has the key %s.", l.Instance(), l.Key())
	}
	return nil
}
