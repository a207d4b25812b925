package record

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/reconcile"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source/importer"
	"github.com/ovi-project/ovi/storage"
)

// InventoryCommand returns the command `ovi inventory`.
func InventoryCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "inventory", Category: command.GroupInspect, ArgsUsage: "[SOURCE]",
		Usage: "List unmanaged resources",
		Description: "ovi reads every kind in every recorded and configured location; a plan reads only the kinds " +
			"it needs. Resources that the provider creates automatically, such as a default VPC, are counted " +
			"but not listed. `ovi import existing` writes a configuration for the listed resources, and `ovi " +
			"adopt --match` adopts them.\n" +
			command.MatchWords,
		Flags: append([]urfave.Flag{
			command.SourceFlag(),
			command.MatchFlag("only resources that match `PATTERN`; repeatable"),
			&urfave.BoolFlag{Name: "all", Usage: "also list resources that the provider creates automatically"},
			&urfave.DurationFlag{
				Name:  "max-age",
				Usage: "use what was observed completely within `DURATION` instead of observing again",
			},
		}, session.ChartFlags()...),
		Action: p.Action(inventory),
	}
}

// inventoryOptions are the options of `ovi inventory`.
type inventoryOptions struct {
	match  []string
	all    bool
	maxAge time.Duration
}

func inventoryOptionsOf(c *command.Call) inventoryOptions {
	return inventoryOptions{match: command.MatchOf(c), all: c.Cmd.Bool("all"), maxAge: c.Cmd.Duration("max-age")}
}

func inventory(c *command.Call) error {
	o := inventoryOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	if _, err := command.Matcher(o.match); err != nil {
		return err
	}
	args := c.Cmd.Args().Slice()
	if _, err := session.RecordDir(c, args...); err != nil {
		return err
	}
	paths := session.Named(c, args)
	if _, err := os.Stat(session.DefaultSource); err == nil && len(paths) == 0 {
		paths = []string{session.DefaultSource}
	}
	if len(paths) > 0 {
		return session.WithLine(c, paths, func(l *session.Session) error { return takeInventory(c, l, o) })
	}
	return session.WithRecord(c, func(l *session.Session) error {
		return errors.Join(command.RightCloud(c, l.Ledger), takeInventory(c, l, o))
	})
}

// takeInventory reads all kinds, and shows what is unmanaged. What cannot be read is shown as it is on
// record.
func takeInventory(c *command.Call, l *session.Session, o inventoryOptions) error {
	p, err := l.Engine.Inventory(c, l.Intents, o.maxAge)
	if err != nil {
		return err
	}
	if err := showUnmanaged(c, l.Ledger, o); err != nil {
		return err
	}
	if !p.Plan.Unread() {
		return nil
	}
	names := session.NamesOf(p)
	if c.Out.Machine() {
		if err := reconcile.Unreachable(c, p, names); err != nil {
			return err
		}
		return cli.Exit(cli.ExitUnreachable)
	}
	for _, s := range reconcile.SortedScopes(p.Plan.Unreachable) {
		c.Out.Warn(names.Scope(s)+" is unreachable; its last observation is shown: "+p.Plan.Unreachable[s], "")
	}
	for _, s := range slices.SortedFunc(maps.Keys(p.Plan.UnreachableKinds), resource.Scope.Compare) {
		for _, kind := range command.SortedKeys(p.Plan.UnreachableKinds[s]) {
			c.Out.Warn(fmt.Sprintf("%s in %s is unreachable; its last observation is shown: %s", kind, names.Scope(s),
				p.Plan.UnreachableKinds[s][kind]), "")
		}
	}
	return cli.Exit(cli.ExitUnreachable)
}

// chosen are the resources of an inventory that the command line asks for, and how many it omits because the
// provider creates them by itself.
func chosen(c *command.Call, all []history.Unmanaged, o inventoryOptions) (
	chosen []history.Unmanaged, omitted int, err error,
) {
	matcher, err := command.Matcher(o.match)
	if err != nil {
		return nil, 0, err
	}
	schemas := command.Schemas(c.Process)
	for _, u := range all {
		switch {
		case !matcher.Match(&u.Observed, importer.Called(schemas, &u.Observed)):
		case u.Message == resource.ProviderDefault && !o.all && !c.Out.Machine():
			omitted++
		default:
			chosen = append(chosen, u)
		}
	}
	return chosen, omitted, nil
}

func showUnmanaged(c *command.Call, l *ledger.Ledger, o inventoryOptions) error {
	all, err := history.New(l.Reader()).Unmanaged(c)
	if err != nil {
		return err
	}
	all, omitted, err := chosen(c, all, o)
	if err != nil {
		return err
	}
	scans, err := l.Scans(c, storage.Now)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(u history.Unmanaged) bool {
		return u.Message == resource.PartOfAnother || u.Message == resource.OwnedElsewhere
	})
	names := session.NamesIn(scans)
	refs := make([]resource.Ref, len(all))
	for i, u := range all {
		refs[i] = u.Ref
	}
	short := names.Shorten(refs...)
	t := render.Table{Head: []string{"RESOURCE", "ID", "FIRST OBSERVED", "HEALTH", "OBSERVED", "NOTE"}, Flexible: 5}
	schemas := command.Schemas(c.Process)
	for _, u := range all {
		if c.Out.Machine() {
			err := c.Out.Records(render.Unmanaged{
				Type: "unmanaged", Ref: names.Ref(u.Ref), Scope: u.Ref.Scope().String(), Kind: u.Ref.Kind, ID: u.ID,
				Health: string(u.Health), FirstSeen: u.FirstSeen, Before: u.Before, Seen: u.Seen,
				Ownership: string(u.Ownership), OwnedBy: u.OwnedBy,
			})
			if err != nil {
				return err
			}
			continue
		}
		first := c.Ago(u.FirstSeen)
		if u.Before {
			first += " or earlier"
		}
		name := short(u.Ref)
		if u.ID == u.Ref.Name && name == u.Ref.Short() {
			name = u.Ref.Kind // it has no name but its ID, or what users call it
			if called := importer.Called(schemas, &u.Observed); called != u.ID {
				name += "/" + called
			}
		}
		health := u.Observed
		if health.Message == resource.ProviderDefault {
			health.Message = "" // a note
		}
		t.Rows = append(t.Rows, []string{
			name, u.ID, first, command.Seen{Observed: health}.HealthText(), c.Ago(u.Seen),
			unmanagedNote(u.Observed),
		})
	}
	if c.Out.Machine() {
		return nil
	}
	if err := c.Out.Table(t, "No unmanaged resources."); err != nil {
		return err
	}
	if omitted > 0 {
		c.Out.Say("%d created by the provider itself are not listed (`ovi inventory --all`).", omitted)
	}
	return nil
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
	switch {
	case o.OwnedBy != "":
		return "managed by " + o.OwnedBy
	case o.Message == resource.ProviderDefault:
		return "created by the provider itself"
	}
	return ""
}
