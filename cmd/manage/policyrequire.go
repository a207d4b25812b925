package manage

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

// policyRequire requires a policy of every run on the store, ends that, or lists what is required.
func policyRequire(c *command.Call) error {
	o := requireOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	off, file := o.off, c.Arg(0)
	if off != "" && file != "" {
		return cli.Usage("use one of them", "FILE and --off exclude each other")
	}
	if off == "" && file == "" {
		return session.WithMemory(c, nil, func(l *ledger.Ledger) error { return listRequired(c, l) })
	}
	act, err := session.SignedAct(c)
	if err != nil {
		return err
	}
	e := event.PolicyRequired{Name: off, Who: act.Who, Reason: act.Reason}
	if file != "" {
		read, err := session.ReadPolicies(c, []string{file})
		if err != nil {
			return err
		}
		if _, err := engine.GlobalGuards(read); err != nil {
			return err
		}
		if e.Digest, err = read.Digest(); err != nil {
			return err
		}
		if e.Digest == "" {
			return cli.Usage("see docs/policies.md for the keys of a policy", "%s has no rules", file)
		}
		e.On, e.Rules, e.Name = true, &read, o.name
		if e.Name == "" {
			base := filepath.Base(file)
			e.Name = strings.TrimSuffix(base, filepath.Ext(base))
		}
	}
	return session.WithMemory(c, nil, func(l *ledger.Ledger) error { return requireIn(c, l, e, act) })
}

func requireIn(c *command.Call, l *ledger.Ledger, e event.PolicyRequired, act engine.OperatorAction) error {
	required, err := l.RequiredPolicies(c)
	if err != nil {
		return err
	}
	known := slices.ContainsFunc(required, func(x event.PolicyRequired) bool { return x.Name == e.Name })
	if !e.On && !known {
		var names []string
		for _, x := range required {
			names = append(names, x.Name)
		}
		next := "nothing is required"
		if len(names) > 0 {
			next = "required: " + strings.Join(names, ", ")
		}
		return cli.Usage(next, "policy %q is not required", e.Name)
	}
	done, err := engine.New(engine.Config{Ledger: l, Clock: c.Now}).Govern(c, act, e)
	if err != nil {
		return session.Unsigned(err)
	}
	if c.Out.Machine() {
		return c.Out.Records(render.Info{Type: "required_policy", Data: done[0]})
	}
	c.Out.Say("%s", render.Line(done[0]))
	return nil
}

func listRequired(c *command.Call, l *ledger.Ledger) error {
	required, err := l.RequiredPolicies(c)
	if err != nil {
		return err
	}
	t := render.Table{Head: []string{"POLICY", "DIGEST", "BY", "REASON"}}
	for _, e := range required {
		if c.Out.Machine() {
			if err := c.Out.Records(render.Info{Type: "required_policy", Data: e}); err != nil {
				return err
			}
			continue
		}
		t.Rows = append(t.Rows, []string{e.Name, resource.ShortDigest(e.Digest), e.Who, e.Reason})
	}
	if c.Out.Machine() {
		return nil
	}
	if len(required) == 0 {
		c.Out.Say("No policy is required. Require one with `ovi policy require FILE`.")
		return nil
	}
	return t.Write(c.Out.W, c.Out.Style)
}
