package main

import (
	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/history"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

func (p *process) inventoryCommand() *urfave.Command {
	return &urfave.Command{
		Name: "inventory", Category: groupInspect, ArgsUsage: "[SOURCE]",
		Usage:  "List unmanaged resources",
		Flags:  []urfave.Flag{sourceFlag()},
		Action: p.action((*call).inventory),
	}
}

func (c *call) inventory() error {
	if err := c.atMost(1); err != nil {
		return err
	}
	return c.withMemory(c.cmd.Args().Slice(), c.showUnmanaged)
}

func (c *call) showUnmanaged(l *ledger.Ledger) error {
	all, err := history.New(l.Reader()).Unmanaged(c)
	if err != nil {
		return err
	}
	scans, err := l.Scans(c, storage.Now)
	if err != nil {
		return err
	}
	names := namesIn(scans)
	t := render.Table{Head: []string{"RESOURCE", "ID", "FIRST OBSERVED", "HEALTH", "OBSERVED", "NOTE"}, Flexible: 5}
	for _, u := range all {
		if c.out.Machine() {
			err := c.out.Records(render.Unmanaged{
				Type: "unmanaged", Ref: names.Ref(u.Ref), Scope: u.Ref.Scope().String(), Kind: u.Ref.Kind, ID: u.ID,
				Health: string(u.Health), FirstSeen: u.FirstSeen, Before: u.Before, Seen: u.Seen,
				Ownership: string(u.Ownership), OwnedBy: u.OwnedBy,
			})
			if err != nil {
				return err
			}
			continue
		}
		first := c.ago(u.FirstSeen)
		if u.Before {
			first += " or earlier"
		}
		t.Rows = append(t.Rows, []string{names.Ref(u.Ref), u.ID, first, seen{Observed: u.Observed}.health(), c.ago(u.Seen), unmanagedNote(u.Observed)})
	}
	if c.out.Machine() {
		return nil
	}
	return c.out.Table(t, "No unmanaged resources.")
}

// unmanagedNote says what a resource carries that suggests an owner. None of it is proof.
func unmanagedNote(o resource.Observed) string {
	switch o.Ownership {
	case resource.Unmanaged, resource.Proven, "":
	case resource.Former:
		return "managed by ovi before"
	default:
		if !o.Marks.IsZero() {
			return "tags of " + o.Marks.Ref.Short() + ", stack " + o.Marks.Ref.Stack
		}
	}
	if o.OwnedBy != "" {
		return "managed by " + o.OwnedBy
	}
	return ""
}
