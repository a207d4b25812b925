package reconcile

import (
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger/report"
)

// startReports starts a report for each table of clusters, until the returned function is called. A
// loop that applies nothing writes nothing.
func (k *runner) startReports() func() {
	k.reports = map[string]*report.Writer{}
	for i, path := range k.paths {
		if k.given.autoApprove && session.IsKind(path, session.Table) {
			k.reports[k.stacks[i].Name] = report.Start(session.ClusterTable(k.Call, path, k.Checks()),
				func(err error) { notReported(k.Call, path, err) })
		}
	}
	return func() {
		ctx, cancel := lastReport(k)
		defer cancel()
		for _, w := range k.reports {
			if err := w.Close(ctx); err != nil {
				k.Log.Warn("status columns not written", "error", err)
			}
		}
	}
}

// reportCycle reports what a cycle observed.
func (k *runner) reportCycle(c loop.Cycle) {
	w, l := k.reports[c.Stack], k.line.Load()
	if w == nil || l == nil || c.Planned == nil {
		return
	}
	for _, in := range c.Planned.Intents {
		if in.Stack != c.Stack {
			continue
		}
		if err := w.Observed(k, l.Ledger.Reader(), in); err != nil {
			k.Log.Warn("status columns not written", "error", err)
			return
		}
		w.Wake()
	}
}
