package main

import (
	"github.com/ovi-project/ovi/cmd/cli"
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

func storeTrust(c *call) error {
	if err := c.atMost(1); err != nil {
		return err
	}
	key := c.arg(0)
	if k, err := wal.ParsePublicKey(key); err == nil {
		key = wal.FormatPublicKey(k)
	} else if key != "" {
		return cli.Usage("use the key that `ovi store trust` prints on the other host", "invalid key %q", key)
	}
	if c.cmd.Bool("revoke") && key == "" && !c.cmd.Bool("required") {
		return cli.Usage("add KEY or --required", "--revoke needs a key or --required")
	}
	return withMemory(c, nil, func(l *ledger.Ledger) error { return trustIn(c, l, key) })
}

func trustIn(c *call, l *ledger.Ledger, key string) error {
	on, act := !c.cmd.Bool("revoke"), act(c)
	var events []event.Event
	if c.cmd.Bool("required") {
		events = append(events, event.TrustRequired{On: on, Who: act.Who, Reason: act.Reason})
	}
	if key != "" {
		events = append(events, event.Trusted{Key: key, On: on, Who: act.Who, Reason: act.Reason})
	}
	if len(events) > 0 {
		if _, err := l.Record(c, events...); err != nil {
			return err
		}
	}
	if c.out.Machine() {
		return c.out.Records(render.Info{Type: "trust", Data: trustRecord{l.Instance(), l.Key(), events}})
	}
	for _, e := range events {
		c.out.Say("%s", render.Line(e))
	}
	if len(events) == 0 {
		c.out.Say("Instance %s has the key %s.", l.Instance(), l.Key())
	}
	return nil
}
