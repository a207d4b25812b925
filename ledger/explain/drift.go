package explain

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/resource"
)

// Cause says who made a resource differ. It follows from a comparison of the last applied, the observed and
// the configured values.
type Cause string

// The causes.
const (
	Outside   Cause = "outside"       // configured as applied, and observed otherwise
	ByConfig  Cause = "configuration" // observed as applied, and configured otherwise
	ByBoth    Cause = "both"          // all three differ
	ByAction  Cause = "action"        // first observed after an action of ovi that did not succeed
	ByUnknown Cause = "unknown"       // no applied configuration is recorded
)

// Drift is one difference of a resource with its cause. Path is empty for one that was deleted,
// and "ovi:owner" for a mark.
type Drift struct {
	Path                       string
	Applied, Observed, Desired resource.Value
	Cause                      Cause
	Since                      time.Time // when it was first observed; zero: not known
	Revision                   int64
	Times                      int // how often it drifted by now
}

// Explain parts drift from changes of the configuration, and tells since when and how often it drifted. life is the
// history of the resource, oldest first. The moments reach back only to the last compaction of the store, so Since
// and Times cover no more.
func Explain(d decider.Decision, applied *event.Applied, life []history.Moment) []Drift {
	if d.Difference == comparator.Missing {
		x := Drift{Cause: Outside}
		if applied == nil {
			x.Cause = ByUnknown
		}
		for _, m := range life {
			if m.Gone {
				x.Since, x.Revision = m.At, int64(m.Revision)
				x.Times++
			}
		}
		return []Drift{x}
	}
	out := make([]Drift, 0, len(d.Changes))
	for _, c := range d.Changes {
		x := Drift{Path: c.Name(), Observed: c.From, Desired: c.To, Cause: ByUnknown}
		switch {
		case c.On == resource.OnMark:
			x.Cause = causeOfMark(x, life)
		case c.On == resource.OnName || c.On == resource.OnCondition:
			x.Cause = Outside
		case applied != nil:
			x.Applied = valueAt(applied.Attrs, applied.Tags, c.Path)
			if c.On == resource.OnState {
				x.Applied = text(string(applied.State))
			}
			// A configuration that equals the applied value has not changed, so the live value has. A value that was
			// never applied is new in the configuration.
			switch {
			case same(x.Applied, x.Desired):
				x.Cause = Outside
			case same(x.Applied, x.Observed) || x.Applied == nil:
				x.Cause = ByConfig
			default:
				x.Cause = ByBoth
			}
		}
		if x.Cause == ByConfig {
			x.decidedSince(life)
		} else {
			x.seenSince(life)
		}
		if (x.Cause == Outside || x.Cause == ByBoth) && isOfAction(life, x.Revision) {
			x.Cause = ByAction
		}
		out = append(out, x)
	}
	return out
}

// causeOfMark parts a mark that was changed from one that ovi writes differently now: what was
// applied does not record marks, but observations do.
func causeOfMark(x Drift, life []history.Moment) Cause {
	for _, m := range life {
		if m.Seen != nil && same(at(*m.Seen, x.Path), x.Desired) {
			return Outside
		}
	}
	return ByConfig
}

// stretch is a time in which a value stayed the same.
type stretch struct {
	value    resource.Value
	since    time.Time
	revision int64
}

// seenSince finds the first observation with the current value, and counts how often the value changed from the
// earlier one. An unreadable observation is skipped, since it does not show that the value changed. If the newest
// recorded value is not the observed one, Since stays zero.
func (x *Drift) seenSince(life []history.Moment) {
	var all []stretch
	for _, m := range life {
		if m.Seen == nil || m.Seen.Condition == resource.Unreadable {
			continue
		}
		v := at(*m.Seen, x.Path)
		if n := len(all); n > 0 && same(all[n-1].value, v) {
			continue
		}
		all = append(all, stretch{v, m.At, int64(m.Revision)})
	}
	n := len(all)
	if n == 0 || !same(all[n-1].value, x.Observed) {
		return
	}
	x.Since, x.Revision, x.Times = all[n-1].since, all[n-1].revision, 1
	if n == 1 {
		return
	}
	x.Times = 0
	right := all[n-2].value
	for i := range n - 1 {
		if same(all[i].value, right) && !same(all[i+1].value, right) {
			x.Times++
		}
	}
}

// isOfAction reports whether a revision has the first observation after an action of ovi that failed, or one that
// was made before the result of an action was known: the action may have changed what was observed. If the same
// revision also has a successful result, that action set the value, and the failed one is not the cause.
func isOfAction(life []history.Moment, revision int64) bool {
	open, failed := false, false
	for _, m := range life {
		observes := int64(m.Revision) == revision
		if observes && (open || failed) {
			succeeded := slices.ContainsFunc(m.Records, func(r event.Record) bool {
				e, is := r.Event.(event.Finished)
				return is && e.Outcome == event.Done
			})
			return !succeeded
		}
		if m.Seen != nil {
			failed = false
		}
		for _, r := range m.Records {
			switch e := r.Event.(type) {
			case event.Started:
				open, failed = true, false
			case event.Finished:
				open, failed = e.Outcome == event.Uncertain || e.Outcome == event.Accepted, e.Outcome == event.Failed
			case event.Recovered:
				open, failed = false, false
			}
		}
	}
	return false
}

// decidedSince finds the first of the latest plans in which the value was configured. A plan without the value
// starts the search again, because the value was configured once more after it.
func (x *Drift) decidedSince(life []history.Moment) {
	for _, m := range life {
		for _, r := range m.Records {
			e, ok := r.Event.(event.Planned)
			if !ok || len(e.Decisions) == 0 {
				continue
			}
			has := false
			for _, c := range e.Decisions[0].Changes {
				has = has || c.Name() == x.Path && same(c.To, x.Desired)
			}
			if has && x.Revision == 0 {
				x.Since, x.Revision = m.At, int64(m.Revision)
			} else if !has {
				x.Since, x.Revision = time.Time{}, 0
			}
		}
	}
}

// Note says in a few words who changed it, how long ago, and how often.
func (x Drift) Note(now time.Time) string {
	text := map[Cause]string{
		Outside: "outside ovi", ByConfig: "in the configuration", ByBoth: "outside ovi and in the configuration",
		ByAction: "after an action of ovi that did not succeed", ByUnknown: "no recorded configuration to compare with",
	}[x.Cause]
	if !x.Since.IsZero() {
		text += fmt.Sprintf(", %s ago", phrase.Age(now.Sub(x.Since)))
	}
	if x.Times > 1 {
		text += fmt.Sprintf(", for the %s time", ordinal(x.Times))
	}
	return text
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}

// DriftDigest names a drift: the same difference of the same resource has the same digest. An acknowledgment covers
// the drift with its digest, so a value that changes once more is reported again.
func DriftDigest(d decider.Decision) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n", d.Ref, d.Difference)
	if d.Difference != comparator.Missing {
		for _, c := range d.Changes {
			fmt.Fprintf(h, "%q %s %s\n", c.Name(), bytesOf(c.From), bytesOf(c.To))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func bytesOf(v resource.Value) []byte {
	if v == nil {
		return nil
	}
	return resource.AppendJSON(nil, v)
}
