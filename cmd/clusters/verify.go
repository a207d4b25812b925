package clusters

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/reconcile"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/report"
	"github.com/ovi-project/ovi/source/sqlite"
)

// preview ends a dry run.
func (r *reconciliation) preview() {
	for i := range r.summary {
		row := &r.summary[i]
		switch {
		case row.Result == resultUnknown:
			r.codes = append(r.codes, clusterUnobserved)
		case row.Result == resultBlocked && row.Action == actionNone:
			r.codes = append(r.codes, clusterRefused)
		case row.Result == resultBlocked:
			r.codes = append(r.codes, clusterChanges)
		case row.Action != actionNone:
			row.Result = resultDry
			r.codes = append(r.codes, clusterChanges)
		}
		if r.given.prune.clusters && row.Actual == actualMissing && row.isCluster() && r.prunable(row) {
			row.Action, row.Result, row.Message = actionPrune, resultDry, ""
			r.codes = append(r.codes, clusterChanges)
		}
	}
}

// verify observes until all is as declared, a few times, and notes what is not.
func (r *reconciliation) verify() error {
	for n := 1; ; n++ {
		var err error
		if r.verified, err = r.observe(); err != nil {
			return err
		}
		rows := slices.DeleteFunc(slices.Clone(r.verified),
			func(row clusterRow) bool { return !row.isCluster() || r.prunable(&row) })
		code := verifiedCode(rows)
		if code == clusterDone || n >= max(1, r.given.verifyAttempts) {
			r.codes = append(r.codes, code)
			break
		}
		if err := r.pause(r.given.verifyWait); err != nil {
			return err
		}
	}
	for i := range r.summary {
		switch r.summary[i].Result {
		case resultFailed:
			r.codes = append(r.codes, clusterFailed)
		case resultBlocked:
			r.codes = append(r.codes, clusterRefused)
		}
	}
	return nil
}

// observe observes the clusters.
func (r *reconciliation) observe() ([]clusterRow, error) {
	p, err := r.line.Engine.Plan(r, r.line.Intents, reconcile.PlanOptions(r.Call, r.line, event.ForPlan, r.given.deciding))
	if err != nil {
		return nil, err
	}
	r.intent = p.Intents[0]
	if r.report != nil {
		r.reports(p)
	}
	view, err := report.Observed(r, r.line.Ledger.Reader(), r.intent)
	if err != nil {
		return nil, err
	}
	return clusterRows(r.rows, view, p), nil
}

// required refuses a table with fewer rows than a harness needs: kind=3,k3d=3.
func required(text string, rows []sqlite.Row) error {
	if text == "" {
		return nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, number, ok := strings.Cut(part, "=")
		least, err := strconv.Atoi(number)
		if !ok || err != nil || least < 0 || name != "kind" && name != "k3d" {
			return cli.Usage("use for example kind=3,k3d=3", "invalid --require %q", text)
		}
		have := 0
		for _, r := range rows {
			if r.Provider == name && r.Desired == sqlite.Present {
				have++
			}
		}
		if have < least {
			return cli.Usage("add rows, or require fewer",
				"the table declares %d present clusters of %s; at least %d are required", have, name, least)
		}
	}
	return nil
}
