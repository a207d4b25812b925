package record

import (
	"errors"
	"fmt"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/reconcile"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// ShowCommand returns the command `ovi show`.
func ShowCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "show", Category: command.GroupInspect, ArgsUsage: "REF | PLANFILE",
		Usage: "Show a resource or plan",
		Flags: []urfave.Flag{
			command.RecordFlag(), session.StackFlag(), reconcile.FullFlag(),
			&urfave.StringFlag{Name: "at", Usage: "show it as of `REVISION` or time (2006-01-02T15:04:05Z, or 90m for 90 " +
				"minutes ago)"},
		},
		Action: p.Action(show),
	}
}

// showOptions are the options of `ovi show`.
type showOptions struct {
	full        bool
	at          string
	environment bool // one is given
}

func showOptionsOf(c *command.Call) showOptions {
	return showOptions{full: reconcile.FullOf(c), at: c.Cmd.String("at"), environment: c.Given("env") != ""}
}

func show(c *command.Call) error {
	o := showOptionsOf(c)
	if err := session.OneRef(c); err != nil {
		return err
	}
	if session.IsPlan(c.Arg(0)) {
		if o.environment {
			return cli.Usage("omit --env", "%s is a saved plan, which has its environment", c.Arg(0))
		}
		head, planned, err := session.LoadPlan(c.Arg(0))
		if err != nil {
			return err
		}
		if len(head.Sandbox) > 0 {
			if err := c.Cmd.Set("sandbox", "true"); err != nil {
				return err
			}
		}
		return reconcile.ShowPlan(c, planned, reconcile.PlanView{Dir: head.DataDir, Full: o.full})
	}
	return session.WithMemory(c, nil, func(l *ledger.Ledger) error { return showRef(c, l, o.at) })
}

func showRef(c *command.Call, l *ledger.Ledger, asOf string) error {
	ref, err := session.Ref(c, l, c.Arg(0))
	if err != nil {
		return err
	}
	at, err := session.RevisionOf(c, l, asOf)
	if err != nil {
		return err
	}
	res, err := l.Resource(c, ref, at)
	if errors.Is(err, ledger.ErrNotFound) {
		absent := "does not exist, as last observed"
		if at != storage.Now {
			absent = "did not exist then"
		}
		return &cli.Problem{
			Summary:    fmt.Sprintf("%s/%s %s", ref.Kind, ref.Name, absent),
			Suggestion: "run `ovi history " + session.Called(c, ref) + "`",
		}
	}
	if err != nil {
		return err
	}
	return showResource(c, l, res)
}

func showResource(c *command.Call, l *ledger.Ledger, t ledger.ResourceState) error {
	x := command.Seen{Observed: t.Observed, Blessed: t.Marks.Blessed}
	scans, err := l.Scans(c, storage.Now)
	if err != nil {
		return err
	}
	for _, s := range scans {
		if s.Scope == t.Ref.Scope() {
			x.At = s.Read(t.Ref.Kind)
		}
	}
	names := session.NamesIn(scans)
	if c.Out.Machine() {
		return c.Out.Records(x.Record(names))
	}
	rows := [][]string{
		{"ref", names.Ref(t.Ref.Bare())},
		{"id", t.ID},
		{"stack", orNone(command.Seen{Observed: t.Observed}.Stack())},
		{"health", x.HealthText()},
		{"observed", c.Ago(x.At)},
		{"first observed", fmt.Sprintf("revision %d", t.First)},
		{"last changed", fmt.Sprintf("revision %d", t.Changed)},
	}
	if x.Blessed {
		rows = append(rows, []string{"blessed", "yes"})
	}
	if !t.Since.IsZero() {
		rows = append(rows, []string{"created", t.Since.UTC().Format(time.RFC3339)})
	}
	rows = append(rows, attrRows("", t.Attrs)...)
	for _, tag := range t.Tags {
		rows = append(rows, []string{"tags." + tag.Key, render.Value(resource.String(tag.Value))})
	}
	return render.Table{Head: []string{"FIELD", "VALUE"}, Rows: rows, Flexible: 1}.Write(c.Out.W, c.Out.Style)
}

// attrRows lists attributes, those of objects with their path.
func attrRows(prefix string, attrs resource.Attrs) [][]string {
	var rows [][]string
	for _, a := range attrs {
		if inner, ok := a.Value.(resource.Attrs); ok && len(inner) > 0 {
			rows = append(rows, attrRows(prefix+a.Name+".", inner)...)
			continue
		}
		rows = append(rows, []string{prefix + a.Name, render.Value(a.Value)})
	}
	return rows
}

func orNone(s string) string {
	if s == "" {
		return "(unmanaged)"
	}
	return s
}
