package clusters

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/report"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source/sqlite"
)

// prunedFile, in the data directory, has the statements that insert deleted rows again.
const prunedFile = "pruned.sql"

// prunes reports whether the row of a cluster that was not found is to be deleted instead of creating it.
func (r *reconciliation) prunes(name string, view *report.View) bool {
	if !r.given.prune.rows || !r.given.prune.present {
		return false
	}
	f, known := view.Fact(session.ClusterRef(name))
	return known && f.ID == "" && f.Health != resource.Unclear
}

// prunable reports whether the row of a cluster is to be deleted, if its cluster is absent.
func (r *reconciliation) prunable(row *clusterRow) bool {
	if !r.given.prune.rows || row.Actual != actualMissing {
		return false
	}
	return row.Desired == sqlite.Absent ||
		row.Desired == sqlite.Present && row.invalid == "" && r.given.prune.present
}

// prune deletes the rows of clusters that a verification found absent. It deletes none if anything could
// not be read, or if there are more than --max-prune allows.
func (r *reconciliation) prune() error {
	var rows []sqlite.Row
	for i := range r.verified {
		row := &r.verified[i]
		if !row.isCluster() || row.Desired == desiredNone {
			continue
		}
		if row.Actual == actualUnknown {
			r.codes = append(r.codes, clusterUnobserved)
			r.Out.Warn("no row was deleted: cluster "+row.Name+" could not be observed: "+row.Message,
				"run it again when the clusters can be read")
			return nil
		}
		if r.prunable(row) {
			rows = append(rows, sqlite.Row{Name: row.Name, Provider: row.Provider, Desired: row.Desired})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if !r.most.Allows(len(rows), len(r.rows)) {
		r.codes = append(r.codes, clusterRefused)
		r.Out.Warn(fmt.Sprintf("no row was deleted: %d of %d would be, and the limit is %s", len(rows), len(r.rows), r.most),
			"raise --max-prune")
		return nil
	}
	err := r.table.Remove(r, rows, r.keepPruned)
	if errors.Is(err, sqlite.ErrChanged) {
		return &cli.Problem{
			Summary: "no row was deleted", Err: err,
			Suggestion: "run it again: the table was changed in the meantime",
		}
	}
	if err != nil {
		return err
	}
	r.pruned = rows
	for _, row := range rows {
		at := slices.IndexFunc(r.summary, func(x clusterRow) bool { return x.ref == session.ClusterRef(row.Name) })
		if at >= 0 {
			r.summary[at].Action, r.summary[at].Result, r.summary[at].Message = actionPrune, resultOK, ""
		}
	}
	return nil
}

func (r *reconciliation) maxPrune() (rules.Budget, error) {
	limit, err := rules.ParseBudget(r.given.prune.most)
	if err != nil {
		err = cli.Usage("use a number of rows, for example 2, or a share, for example 50%", "invalid --max-prune %q",
			r.given.prune.most)
	}
	return limit, err
}

// declares reports whether a row declares a cluster.
func (r *reconciliation) declares(name string) bool {
	return slices.ContainsFunc(r.rows, func(row sqlite.Row) bool { return row.Name == name })
}

// limit notes whether a plan deletes more clusters that no row declares any more than --max-prune allows: many rows
// may be gone by accident.
func (r *reconciliation) limit(p *engine.Planned) {
	if !r.given.prune.clusters {
		return
	}
	n := 0
	for i := range p.Plan.Decisions {
		if d := &p.Plan.Decisions[i]; d.Action == decider.Delete && d.Ref.Kind == sqlite.Kind && !r.declares(d.Ref.Name) {
			n++
		}
	}
	if all := len(r.rows) + n; !r.most.Allows(n, all) {
		r.excess = fmt.Sprintf("%d of %d clusters have no row any more, and --max-prune is %s: raise it to delete them", n,
			all, r.most)
	}
}

// keepPruned keeps the statements that insert rows again, durably.
func (r *reconciliation) keepPruned(undo string) (err error) {
	file := filepath.Join(r.line.Dir, prunedFile)
	f, err := command.AppendPrivate(file)
	if err != nil {
		return &cli.Problem{Summary: "no row was deleted: cannot write the journal", File: file, Err: cli.Plain(err)}
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	text := fmt.Sprintf("-- deleted %s from %s; insert them again with: sqlite3 DATABASE < %s\n%s",
		r.Now().UTC().Format("2006-01-02 15:04:05 UTC"), strings.ReplaceAll(r.path, "\n", " "), prunedFile, undo)
	if _, err := f.WriteString(text); err != nil {
		return err
	}
	return f.Sync()
}
