package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

// policyRequire requires a policy of every run on the store, ends that, or lists what is required.
func policyRequire(c *call) error {
	if err := c.atMost(1); err != nil {
		return err
	}
	off, file := c.cmd.String("off"), c.arg(0)
	if off != "" && file != "" {
		return cli.Usage("use one of them", "FILE and --off exclude each other")
	}
	if off == "" && file == "" {
		return withMemory(c, nil, func(l *ledger.Ledger) error { return listRequired(c, l) })
	}
	act := act(c)
	e := event.PolicyRequired{Name: off, Who: act.Who, Reason: act.Reason}
	if file != "" {
		read, err := readPolicies(c, []string{file})
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
			return cli.Usage("see docs/policy.md for what a policy can say", "%s has no rules", file)
		}
		e.On, e.Rules, e.Name = true, &read, c.cmd.String("name")
		if e.Name == "" {
			base := filepath.Base(file)
			e.Name = strings.TrimSuffix(base, filepath.Ext(base))
		}
	}
	return withMemory(c, nil, func(l *ledger.Ledger) error { return requireIn(c, l, e) })
}

func requireIn(c *call, l *ledger.Ledger, e event.PolicyRequired) error {
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
	if _, err := l.Record(c, e); err != nil {
		return err
	}
	if c.out.Machine() {
		return c.out.Records(render.Info{Type: "required_policy", Data: e})
	}
	c.out.Say("%s", render.Line(e))
	return nil
}

func listRequired(c *call, l *ledger.Ledger) error {
	required, err := l.RequiredPolicies(c)
	if err != nil {
		return err
	}
	t := render.Table{Head: []string{"POLICY", "DIGEST", "BY", "REASON"}}
	for _, e := range required {
		if c.out.Machine() {
			if err := c.out.Records(render.Info{Type: "required_policy", Data: e}); err != nil {
				return err
			}
			continue
		}
		t.Rows = append(t.Rows, []string{e.Name, resource.ShortDigest(e.Digest), e.Who, e.Reason})
	}
	if c.out.Machine() {
		return nil
	}
	if len(required) == 0 {
		c.out.Say("No policy is required. Require one with `ovi policy require FILE`.")
		return nil
	}
	return t.Write(c.out.W, c.out.Style)
}
