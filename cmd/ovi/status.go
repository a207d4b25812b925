package main

import (
	"maps"
	"slices"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

func (p *process) statusCommand() *urfave.Command {
	return &urfave.Command{
		Name: "status", Category: groupInspect, ArgsUsage: "[SOURCE]",
		Usage:  "Show managed resources",
		Flags:  []urfave.Flag{sourceFlag(), &urfave.StringFlag{Name: "stack", Usage: "only resources of stack `NAME`"}},
		Action: p.action((*call).status),
	}
}

// state is what status shows.
type state struct {
	names     render.Names
	scans     []ledger.Scan
	liveState resource.LiveState
	open      []ledger.OpenAction
	blessings map[resource.Ref]bool
}

func (c *call) status() error {
	if err := c.atMost(1); err != nil {
		return err
	}
	return c.withMemory(c.cmd.Args().Slice(), c.showState)
}

func (c *call) showState(l *ledger.Ledger) error {
	s, err := c.stateOf(l)
	if err != nil {
		return err
	}
	if c.out.Machine() {
		return c.out.Records(c.stateRecords(s)...)
	}
	return c.stateTables(s)
}

func (c *call) stateOf(l *ledger.Ledger) (state, error) {
	var s state
	var err error
	if s.liveState, _, err = l.LiveState(c, storage.Now); err != nil {
		return s, err
	}
	if s.scans, err = l.Scans(c, storage.Now); err != nil {
		return s, err
	}
	if s.open, err = l.OpenActions(c); err != nil {
		return s, err
	}
	blessings, err := l.Blessings(c, storage.Now)
	s.blessings = map[resource.Ref]bool{}
	for _, b := range blessings {
		s.blessings[b.Ref] = true
	}
	s.names = namesIn(s.scans)
	return s, err
}

// managed are the things of a stack (of all, for ""), sorted by ref.
func (s state) managed(stack string) []seen {
	var out []seen
	for _, scope := range slices.SortedFunc(maps.Keys(s.liveState.Scopes), resource.Scope.Compare) {
		snapshot := s.liveState.Scopes[scope]
		for _, o := range snapshot.Resources {
			if o.Managed() && (stack == "" || o.Stack == stack) {
				out = append(out, seen{o, snapshot.At, o.Marks.Blessed || s.blessings[o.Ref]})
			}
		}
	}
	return out
}

func (c *call) stateRecords(s state) []render.Record {
	var out []render.Record
	for _, x := range s.scans {
		out = append(out, render.ScopeSeen{
			Type: "scope", Scope: x.Scope.String(), Observed: x.At, Complete: x.Complete,
			Error: x.Error, Seen: timeOrNil(x.Confirmed), Count: x.Count,
		})
	}
	for _, x := range s.managed(c.cmd.String("stack")) {
		out = append(out, x.record(s.names))
	}
	for _, x := range s.open {
		out = append(out, render.OpenAction{
			Type: "open", Ref: s.names.Ref(x.Ref), Action: string(x.Action), Started: x.At,
			Instance: x.Instance, Host: x.Host, PID: x.PID, Error: x.Error,
		})
	}
	return out
}

func (c *call) stateTables(s state) error {
	locations := render.Table{Head: []string{"PLACE", "SEEN", "THINGS", "NOTE"}, Flexible: 3}
	for _, x := range s.scans {
		locations.Rows = append(locations.Rows, []string{s.names.Scope(x.Scope), c.ago(x.Confirmed), count(x.Count), c.noteOf(x)})
	}
	if err := c.out.Table(locations, "Nothing was ever looked at."); err != nil {
		return err
	}
	c.out.Say("")
	resources := render.Table{Head: []string{"THING", "ID", "STACK", "HEALTH", "SEEN"}, Flexible: 3}
	for _, x := range s.managed(c.cmd.String("stack")) {
		resources.Rows = append(resources.Rows, []string{s.names.Ref(x.Ref), x.ID, x.Stack, x.health(), c.ago(x.at)})
	}
	if err := c.out.Table(resources, "Nothing is managed here."); err != nil {
		return err
	}
	if len(s.open) == 0 {
		return nil
	}
	c.out.Say("")
	open := render.Table{Head: []string{"WITHOUT AN END", "ACTION", "BEGAN", "BY"}, Flexible: 3}
	for _, x := range s.open {
		open.Rows = append(open.Rows, []string{s.names.Ref(x.Ref), string(x.Action), c.ago(x.At), x.User + " " + x.Host})
	}
	if err := c.out.Table(open, ""); err != nil {
		return err
	}
	c.out.Say("The next plan or apply answers these by looking.")
	return nil
}

// noteOf says what a person should know about the last look at a place.
func (c *call) noteOf(s ledger.Scan) string {
	if s.Complete {
		return ""
	}
	return "last look failed " + c.ago(s.At) + ": " + s.Error
}
