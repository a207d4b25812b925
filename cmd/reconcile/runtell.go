package reconcile

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/metrics"
	"github.com/ovi-project/ovi/render/term"
)

// cycled reports each cycle.
func (k *runner) cycled(c loop.Cycle) {
	k.loops.Add(counted(c))
	if k.Err() != nil {
		k.left.leave(c)
	}
	k.reportCycle(c)
	k.reportSite(c)
	k.alerts.Cycle(c)
	if keep := k.given.keepHistory; keep > 0 && c.Led && c.Err == nil {
		k.forget(keep)
	}
	if c.Err != nil {
		k.Out.Warn(fmt.Sprintf("stack %s: a cycle failed: %s", c.Stack, c.Err),
			"none needed: retried; open actions are recovered")
		return
	}
	if k.Out.Machine() {
		_ = k.Out.Records(render.Info{Type: "cycle", Data: cycleData(c)})
		return
	}
	if c.Planned == nil {
		return
	}
	if c.Led && c.Result == nil { // the plan of a cycle with a result is old
		now := k.Now()
		for _, f := range k.flying.due(c, now) { // each action that runs, every five minutes
			k.Out.Say("%s    %s: %s", now.UTC().Format(time.TimeOnly), f.Ref.Short(),
				phrase.Flight(f.Action, now.Sub(f.Since), f.By))
		}
	}
	if !c.Led && c.Result == nil {
		return
	}
	k.Out.Say("%s  %s (%s, %s): %s", c.At.Add(c.Took).UTC().Format(time.TimeOnly), c.Stack, c.Why, c.Took.Round(1e6),
		summary(c))
}

// summary is what a cycle did, in a line.
func summary(c loop.Cycle) string {
	if c.Result != nil {
		return render.Counts(c.Result.Counts).Done()
	}
	text := render.Counts(c.Planned.Counts).Sentence("planned")
	flying := map[string]bool{} // the resources whose actions in flight other decisions wait for
	for i := range c.Planned.Plan.Decisions {
		d := &c.Planned.Plan.Decisions[i]
		if waits, own := d.WaitsForFlight(); waits && !own && d.Blockers[0].Policy == decider.BlockedByFlight &&
			!d.Blockers[0].First.IsZero() {
			flying[d.Blockers[0].First.Short()] = true
		}
	}
	if names := slices.Sorted(maps.Keys(flying)); len(names) > 0 {
		others := ""
		if len(names) > 1 {
			others = " and " + render.Many(len(names)-1, "other")
		}
		text = strings.Replace(text, " waiting", " waiting for "+names[0]+others, 1)
	}
	return text
}

// cycleRecord is a cycle for programs.
type cycleRecord struct {
	Stack   string         `json:"stack"`
	Why     string         `json:"why"`
	Led     bool           `json:"led"`
	Seconds float64        `json:"seconds"`
	Plan    string         `json:"plan,omitempty"`
	Planned *render.Counts `json:"planned,omitempty"`
	Done    *render.Counts `json:"done,omitempty"`
	Flights int            `json:"in_flight"` // actions that ran when it was planned
	Alerts  int            `json:"alerts"`
}

func cycleData(c loop.Cycle) cycleRecord {
	out := cycleRecord{Stack: c.Stack, Why: c.Why, Led: c.Led, Seconds: c.Took.Seconds(), Alerts: len(c.Alerts)}
	if c.Planned != nil {
		out.Flights = len(c.Planned.Flights)
		out.Plan, out.Planned = c.Planned.ID, (*render.Counts)(&c.Planned.Counts)
	}
	if c.Result != nil {
		out.Done = (*render.Counts)(&c.Result.Counts)
	}
	return out
}

// forgetEvery is how often the leader compacts the store, with --keep-history.
const forgetEvery = time.Hour

// forgetting remembers when the store was last compacted.
type forgetting struct {
	mu sync.Mutex
	at time.Time
}

// due is true once an hour.
func (f *forgetting) due(now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Sub(f.at) < forgetEvery {
		return false
	}
	f.at = now
	return true
}

// forget compacts what is older than the store has to keep.
func (k *runner) forget(keep time.Duration) {
	l := k.line.Load()
	if l == nil || !k.forgot.due(k.Now()) {
		return
	}
	before, err := history.New(l.Ledger.Reader()).RevisionAt(k, k.Now().Add(-keep))
	if err == nil {
		err = l.Ledger.Compact(k, before)
	}
	if err != nil && !errors.Is(err, ledger.ErrNotFound) { // nothing is so old
		k.Out.Warn("the store was not compacted: "+err.Error(), "none needed: retried in an hour")
	}
}

// counted is a cycle as the metrics want it.
func counted(c loop.Cycle) metrics.Cycle {
	out := metrics.Cycle{
		Stack: c.Stack, Led: c.Led, At: c.At, Took: c.Took, Failed: c.Err != nil,
		Alerts: map[string]int{},
	}
	if c.Err != nil {
		out.Error = term.OneLine(c.Err.Error())
	}
	for _, x := range c.Alerts {
		out.Alerts[string(x.Type)]++
	}
	if c.Planned != nil {
		out.Unread = map[string]time.Duration{}
		for _, u := range c.Planned.Unread() {
			out.Unread[u.Part] = max(c.At.Sub(u.Read), 0)
		}
		n := c.Planned.Counts
		out.Blocked, out.Unchanged = n.Blocked, n.Unchanged
		out.Decisions = map[decider.Action]int{
			decider.Create: n.Create, decider.Update: n.Update, decider.Replace: n.Replace, decider.Revert: n.Revert,
			decider.Restart: n.Restart, decider.Delete: n.Delete, decider.Forget: n.Forget, decider.Notify: n.Notify,
		}
	}
	return out
}

// heard hears of each record that this process makes.
func (k *runner) heard(r event.Record) {
	k.counters.Record(r)
	for _, w := range k.reports {
		w.Record(r)
	}
	switch r.Event.(type) {
	case event.Started, event.Finished, event.Recovered, event.Refused:
	default:
		return
	}
	if k.Out.Machine() {
		return // the log has it, and `ovi audit log` reads it
	}
	about := ""
	if ref := r.Event.About(); !ref.IsZero() {
		about = ref.Short() + ": "
	}
	k.Out.Say("%s    %s%s", r.At.UTC().Format(time.TimeOnly), about, render.Line(r.Event))
}
