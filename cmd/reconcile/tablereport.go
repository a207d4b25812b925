package reconcile

import (
	"context"
	"errors"
	"time"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/report"
	"github.com/ovi-project/ovi/resource"
)

// How long a command waits, at its end, for a source that it reports to; and after an interrupt.
const (
	reportWait      = 10 * time.Second
	interruptedWait = 2 * time.Second
)

// lastReport returns a context for the last report of a command.
func lastReport(c context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c), reportWait)
	context.AfterFunc(c, func() {
		select {
		case <-ctx.Done():
		case <-time.After(interruptedWait):
			cancel()
		}
	})
	return ctx, cancel
}

// TableReport writes what becomes of the clusters of a table into its status columns, from its first
// observation until it is closed. What cannot be written is a warning. Nil reports to nothing.
type TableReport struct {
	*command.Call
	line *session.Session
	path string
	to   *report.Writer
	stop func() // stops to listen to the ledger
}

// reporting reports to the source of a plan what becomes of its resources, if it has a place for that:
// during the actions, and when the returned function is called.
func reporting(c *command.Call, l *session.Session, p *engine.Planned) func() {
	return ReportOn(c, l, p).Close
}

// ReportOn starts to report what a plan observed; nil if its source has no place for that.
func ReportOn(c *command.Call, l *session.Session, p *engine.Planned) *TableReport {
	for _, in := range p.Intents {
		if !session.IsKind(in.Source, session.Table) {
			continue
		}
		t := &TableReport{
			Call: c, line: l, path: in.Source,
			to: report.Start(session.ClusterTable(c, in.Source, c.Checks()), nil), stop: func() {},
		}
		if !t.Observed(in) {
			return nil
		}
		t.stop = l.Ledger.Listen(t.to.Record)
		return t
	}
	return nil
}

// Observed takes what a plan recorded of its resources; false if that cannot be read: then nothing more is
// reported.
func (t *TableReport) Observed(in resource.Intent) bool {
	if t == nil {
		return false
	}
	err := t.to.Observed(t, t.line.Ledger.Reader(), in)
	if err != nil {
		t.stop()
		notReported(t.Call, t.path, errors.Join(err, t.to.Close(t)))
	}
	return err == nil
}

// Close writes what is known at the end.
func (t *TableReport) Close() {
	if t == nil {
		return
	}
	t.stop()
	ctx, cancel := lastReport(t)
	defer cancel()
	if err := t.to.Close(ctx); err != nil {
		notReported(t.Call, t.path, err)
	}
}

func notReported(c *command.Call, path string, err error) {
	ds := cli.Diagnose(err)
	if len(ds) == 0 {
		return
	}
	c.Out.Warn("the status columns of "+path+" were not written: "+ds[0].Summary,
		"none needed: they are written with the next report")
}
