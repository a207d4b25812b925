package main

import (
	"context"
	"errors"
	"time"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/report"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source/sqlite"
)

// reportWait is how long a command waits, at its end, for a source that it reports to.
const reportWait = 10 * time.Second

// tableReport writes what becomes of the clusters of a table into its status columns, from its first
// observation until it is closed. What cannot be written is a warning. Nil reports to nothing.
type tableReport struct {
	*call
	line *session
	path string
	to   *report.Writer
	stop func() // stops to listen to the ledger
}

// reporting reports to the source of a plan what becomes of its resources, if it has a place for that:
// during the actions, and when the returned function is called.
func reporting(c *call, l *session, p *engine.Planned) func() { return reportOn(c, l, p).close }

// reportOn starts to report what a plan observed; nil if its source has no place for that.
func reportOn(c *call, l *session, p *engine.Planned) *tableReport {
	for _, in := range p.Intents {
		if !sqlite.Reads(in.Source) {
			continue
		}
		t := &tableReport{call: c, line: l, path: in.Source, to: report.Start(clusterTable(c, in.Source, c.checks()), nil), stop: func() {}}
		if !t.observed(in) {
			return nil
		}
		t.stop = l.ledger.Listen(t.to.Record)
		return t
	}
	return nil
}

// observed takes what a plan recorded of its resources; false if that cannot be read: then nothing more is
// reported.
func (t *tableReport) observed(in resource.Intent) bool {
	if t == nil {
		return false
	}
	err := t.to.Observed(t, t.line.ledger.Reader(), in)
	if err != nil {
		t.stop()
		notReported(t.call, t.path, errors.Join(err, t.to.Close(t)))
	}
	return err == nil
}

// close writes what is known at the end.
func (t *tableReport) close() {
	if t == nil {
		return
	}
	t.stop()
	ctx, cancel := context.WithTimeout(context.Background(), reportWait)
	defer cancel()
	if err := t.to.Close(ctx); err != nil {
		notReported(t.call, t.path, err)
	}
}

func notReported(c *call, path string, err error) {
	ds := cli.Diagnose(err)
	if len(ds) == 0 {
		return
	}
	c.out.Warn("the status columns of "+path+" were not written: "+ds[0].Summary, "none needed: they are written with the next report")
}
