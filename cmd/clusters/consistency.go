package clusters

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/reconcile"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/report"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/source/sqlite"
)

// kindCounts is what a consistency check finds of one kind of resource.
type kindCounts struct {
	Kind       string   `json:"kind"`
	Configured int      `json:"configured"`
	Consistent int      `json:"consistent"`
	Missing    []string `json:"missing"`
	Different  []string `json:"different"` // unmanaged ones too
	Unwanted   []string `json:"unwanted"`  // they exist, and nothing declares them any more
	Unread     int      `json:"unread"`
}

type consistencySummary struct {
	Consistent bool         `json:"consistent"`
	Kinds      []kindCounts `json:"kinds"`
	Invalid    []string     `json:"invalid"` // rows that are wrong: what they declare is not compared
}

// clusterConsistency compares all kinds of resources that the table and its settings declare.
func clusterConsistency(c *command.Call) error {
	path, err := tableNamed(c, c.Cmd.Args().Slice())
	if err != nil {
		return err
	}
	return observeTable(c, path, pruneOptions{}, func(r *reconciliation) error {
		kinds, err := r.counts()
		if err != nil {
			return err
		}
		s := consistencySummary{Consistent: len(r.codes) == 0, Kinds: kinds, Invalid: r.wrong()}
		unread := 0
		t := render.Table{Head: []string{
			"KIND", "CONFIGURED", "CONSISTENT", "MISSING", "DIFFERENT", "UNWANTED",
			"NOT EVALUATED",
		}}
		for _, k := range kinds {
			s.Consistent = s.Consistent && k.Consistent == k.Configured && len(k.Unwanted) == 0
			unread += k.Unread
			row := []string{k.Kind}
			for _, n := range []int{k.Configured, k.Consistent, len(k.Missing), len(k.Different), len(k.Unwanted), k.Unread} {
				row = append(row, strconv.Itoa(n))
			}
			t.Rows = append(t.Rows, row)
		}
		if err := showConsistency(c, s, t); err != nil {
			return err
		}
		switch {
		case unread > 0:
			return cli.ExitStatus(clusterUnobserved)
		case !s.Consistent:
			return cli.ExitStatus(clusterFailed)
		}
		return nil
	})
}

func showConsistency(c *command.Call, s consistencySummary, t render.Table) error {
	if c.Out.Machine() {
		return c.Out.Records(render.Info{Type: "consistency_summary", Data: s})
	}
	if err := c.Out.Table(t, "Nothing is configured."); err != nil {
		return err
	}
	for _, name := range s.Invalid {
		c.Out.Say("row %s: invalid", name)
	}
	for _, k := range s.Kinds {
		for _, x := range []struct {
			what  string
			names []string
		}{{"missing", k.Missing}, {"different", k.Different}, {"unwanted", k.Unwanted}} {
			for _, name := range x.names {
				c.Out.Say("%s %s: %s", k.Kind, name, x.what)
			}
		}
	}
	return summaryLine(c, "CONSISTENCY_SUMMARY", s)
}

// wrong lists the rows that cannot be used, as verify shows them.
func (r *reconciliation) wrong() []string {
	out := []string{}
	for i := range r.verified {
		if r.verified[i].Result == resultFailed {
			out = append(out, r.verified[i].Name)
		}
	}
	return out
}

// counts counts by kind what a plan would do.
func (r *reconciliation) counts() ([]kindCounts, error) {
	p, err := r.line.Engine.Plan(r, r.line.Intents, reconcile.PlanOptions(r.Call, r.line, event.ForPlan, r.given.deciding))
	if err != nil {
		return nil, err
	}
	view, err := report.Observed(r, r.line.Ledger.Reader(), p.Intents[0])
	if err != nil {
		return nil, err
	}
	kinds := map[string]*kindCounts{}
	of := func(kind string) *kindCounts {
		if kinds[kind] == nil {
			kinds[kind] = &kindCounts{Kind: kind, Missing: []string{}, Different: []string{}, Unwanted: []string{}}
		}
		return kinds[kind]
	}
	of(sqlite.Kind)
	off := map[string]bool{}
	for i := range p.Plan.Decisions {
		d := &p.Plan.Decisions[i]
		action := cmp.Or(d.Proposed, d.Action)
		if !action.Executes() && d.Difference != comparator.Conflict && d.Reason != decider.ReasonBroken &&
			d.Reason != decider.ReasonFailing {
			continue
		}
		k := of(d.Ref.Kind)
		off[d.Ref.Short()] = true
		switch action {
		case decider.Create:
			k.Missing = append(k.Missing, d.Ref.Name)
		case decider.Delete:
			k.Unwanted = append(k.Unwanted, d.Ref.Name)
		default:
			k.Different = append(k.Different, d.Ref.Name)
		}
	}
	for i := range p.Intents[0].Resources {
		ref := p.Intents[0].Resources[i].Ref
		k := of(ref.Kind)
		k.Configured++
		row := clusterRow{ref: session.Bare(ref)}
		row.observed(view)
		switch {
		case row.Actual == actualUnknown:
			k.Unread++
		case !off[ref.Short()]:
			k.Consistent++
		}
	}
	return slices.SortedFunc(func(yield func(kindCounts) bool) {
		for k := range maps.Values(kinds) {
			if !yield(*k) {
				return
			}
		}
	}, func(a, b kindCounts) int { return cmp.Compare(a.Kind, b.Kind) }), nil
}
