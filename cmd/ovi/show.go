package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/history"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

func (p *process) showCommand() *cli.Command {
	return &cli.Command{
		Name: "show", Category: catMemory, ArgsUsage: "REF | PLANFILE",
		Usage: "one thing as it is on record, or a saved plan",
		Flags: []cli.Flag{
			sourceFlag(),
			&cli.StringFlag{Name: "at", Usage: "as it was at `REVISION` (a number) or time (2006-01-02T15:04:05Z, or 90m: so long ago)"},
		},
		Action: p.action((*call).show),
	}
}

func (c *call) show() error {
	if err := c.oneRef(); err != nil {
		return err
	}
	if isPlan(c.arg(0)) {
		head, planned, err := loadPlan(c.arg(0))
		if err != nil {
			return err
		}
		if head.Sandbox {
			if err := c.cli.Set("sandbox", "true"); err != nil {
				return err
			}
		}
		return c.showPlan(planned, head.DataDir, nil)
	}
	return c.withMemory(nil, c.showRef)
}

func (c *call) showRef(l *ledger.Ledger) error {
	ref, err := c.ref(l, c.arg(0))
	if err != nil {
		return err
	}
	at, err := c.revision(l)
	if err != nil {
		return err
	}
	res, err := l.Resource(c, ref, at)
	if errors.Is(err, ledger.ErrNotFound) {
		absent := "is not there, as far as is known"
		if at != storage.Now {
			absent = "was not there then"
		}
		return &problem{code: exitError, summary: fmt.Sprintf("%s/%s %s", ref.Kind, ref.Name, absent), next: "see when it was: ovi history " + c.arg(0)}
	}
	if err != nil {
		return err
	}
	return c.showResource(l, res)
}

// revision reads --at: a revision, a time, or a time ago.
func (c *call) revision(l *ledger.Ledger) (storage.Revision, error) {
	return c.revisionOf(l, c.cli.String("at"))
}

func (c *call) revisionOf(l *ledger.Ledger, text string) (storage.Revision, error) {
	if text == "" {
		return storage.Now, nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
		return c.happened(l, storage.Revision(n))
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return history.New(l.Reader()).RevisionAt(c, c.now().Add(-ago))
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return history.New(l.Reader()).RevisionAt(c, t)
	}
	return 0, usage("write a revision such as 42, a time such as 2026-01-02T15:04:05Z, or 90m for so long ago", "%q is neither a revision nor a time", text)
}

// happened refuses a revision that is still to come.
func (c *call) happened(l *ledger.Ledger, r storage.Revision) (storage.Revision, error) {
	newest, err := l.Revision(c)
	if err == nil && r > newest {
		err = usage("see from which revision to which it can be read: ovi store status", "revision %d has not happened yet: the newest is %d", r, newest)
	}
	return r, err
}

func (c *call) showResource(l *ledger.Ledger, t ledger.ResourceState) error {
	x := seen{Observed: t.Observed, blessed: t.Blessed}
	scans, err := l.Scans(c, storage.Now)
	if err != nil {
		return err
	}
	for _, s := range scans {
		if s.Scope == t.Ref.Scope() {
			x.at = s.Confirmed
		}
	}
	names := namesIn(scans)
	if c.out.machine() {
		return c.out.records(x.record(names))
	}
	rows := [][]string{
		{"ref", names.Ref(t.Ref)},
		{"id", t.ID},
		{"stack", orNone(t.Stack)},
		{"health", x.health()},
		{"seen", c.ago(x.at)},
		{"first seen", fmt.Sprintf("revision %d", t.First)},
		{"last different", fmt.Sprintf("revision %d", t.Changed)},
	}
	if !t.Since.IsZero() {
		rows = append(rows, []string{"made", t.Since.UTC().Format(time.RFC3339)})
	}
	rows = append(rows, attrRows("", t.Attrs)...)
	for _, tag := range t.Tags {
		rows = append(rows, []string{"tags." + tag.Key, render.Value(resource.String(tag.Value))})
	}
	return render.Table{Head: []string{"WHAT", "VALUE"}, Rows: rows, Flexible: 1}.Write(c.out.w, c.out.style)
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
		return "(nobody's)"
	}
	return s
}
