package main

import (
	"errors"
	"fmt"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

func showCommand(p *process) *urfave.Command {
	return &urfave.Command{
		Name: "show", Category: groupInspect, ArgsUsage: "REF | PLANFILE",
		Usage: "Show a resource or plan",
		Flags: []urfave.Flag{
			recordFlag(),
			&urfave.StringFlag{Name: "at", Usage: "show it as of `REVISION` or time (2006-01-02T15:04:05Z, or 90m for 90 minutes ago)"},
		},
		Action: p.action(show),
	}
}

func show(c *call) error {
	if err := oneRef(c); err != nil {
		return err
	}
	if isPlan(c.arg(0)) {
		head, planned, err := loadPlan(c.arg(0))
		if err != nil {
			return err
		}
		if len(head.Sandbox) > 0 {
			if err := c.cmd.Set("sandbox", "true"); err != nil {
				return err
			}
		}
		return showPlan(c, planned, head.DataDir)
	}
	return withMemory(c, nil, func(l *ledger.Ledger) error { return showRef(c, l) })
}

func showRef(c *call, l *ledger.Ledger) error {
	ref, err := ref(c, l, c.arg(0))
	if err != nil {
		return err
	}
	at, err := revision(c, l)
	if err != nil {
		return err
	}
	res, err := l.Resource(c, ref, at)
	if errors.Is(err, ledger.ErrNotFound) {
		absent := "does not exist, as last observed"
		if at != storage.Now {
			absent = "did not exist then"
		}
		return &cli.Problem{Summary: fmt.Sprintf("%s/%s %s", ref.Kind, ref.Name, absent), Suggestion: "run `ovi history " + c.arg(0) + "`"}
	}
	if err != nil {
		return err
	}
	return showResource(c, l, res)
}

func showResource(c *call, l *ledger.Ledger, t ledger.ResourceState) error {
	x := seen{Observed: t.Observed, blessed: t.Marks.Blessed}
	scans, err := l.Scans(c, storage.Now)
	if err != nil {
		return err
	}
	for _, s := range scans {
		if s.Scope == t.Ref.Scope() {
			x.at = s.Read(t.Ref.Kind)
		}
	}
	names := namesIn(scans)
	if c.out.Machine() {
		return c.out.Records(x.record(names))
	}
	rows := [][]string{
		{"ref", names.Ref(t.Ref.Bare())},
		{"id", t.ID},
		{"stack", orNone(seen{Observed: t.Observed}.stack())},
		{"health", x.health()},
		{"observed", c.ago(x.at)},
		{"first observed", fmt.Sprintf("revision %d", t.First)},
		{"last changed", fmt.Sprintf("revision %d", t.Changed)},
	}
	if x.blessed {
		rows = append(rows, []string{"blessed", "yes"})
	}
	if !t.Since.IsZero() {
		rows = append(rows, []string{"created", t.Since.UTC().Format(time.RFC3339)})
	}
	rows = append(rows, attrRows("", t.Attrs)...)
	for _, tag := range t.Tags {
		rows = append(rows, []string{"tags." + tag.Key, render.Value(resource.String(tag.Value))})
	}
	return render.Table{Head: []string{"FIELD", "VALUE"}, Rows: rows, Flexible: 1}.Write(c.out.W, c.out.Style)
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
