package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/explain"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

// failingConfig is a configuration whose attempts fail.
type failingConfig struct {
	ref resource.Ref
	ledger.Tries
	exhausted, stalled bool
	back               string // the configuration that it returned to
}

// dropPast removes the attempts of resources that match their configuration now, because another one had failed, and of
// those that are gone and that the last plan does not create.
func (s *state) dropPast(c *command.Call, l *ledger.Ledger) error {
	for ref := range s.attempts {
		if s.exhausted[ref].Back != "" {
			continue // it matches an earlier configuration
		}
		past, err := history.New(l.Reader()).ResourceHistory(c, ref, near)
		if err != nil {
			return err
		}
		switch teller(c, ref).Explain(past).State {
		case explain.Matches, explain.Deleted, explain.Moved, explain.Forgotten, explain.Absent:
			delete(s.attempts, ref)
		}
	}
	return nil
}

// failing lists the configurations of which the last attempt failed.
func failing(c *command.Call, s state) []failingConfig {
	var out []failingConfig
	for _, ref := range slices.SortedFunc(maps.Keys(s.attempts), resource.Ref.Compare) {
		f := failingConfig{ref: ref, Tries: s.attempts[ref].Last()}
		x, known := s.exhausted[ref]
		if f.exhausted, f.stalled = known && x.Desired == f.Desired, f.Stalled(c.Now()); f.exhausted {
			f.back = x.Back
		}
		if f.Any() {
			out = append(out, f)
		}
	}
	return out
}

func failingRecords(c *command.Call, s state) []render.Record {
	var out []render.Record
	for _, f := range failing(c, s) {
		out = append(out, render.Failing{
			Type: "failing", Ref: s.names.Ref(f.ref), Desired: f.Desired, Attempts: f.Made(), Other: f.Other,
			Cause:     string(f.Cause),
			Exhausted: f.exhausted, Back: f.back, Stalled: f.stalled, Since: command.TimeOrNil(f.Since), Last: f.Last,
			Error: f.Error,
		})
	}
	return out
}

// showFailing gives them to alert.
func showFailing(c *command.Call, s state, short func(resource.Ref) string, alert func(text, suggestion string)) {
	for _, f := range failing(c, s) {
		name := short(f.ref)
		switch {
		case f.exhausted && f.back != "":
			alert(fmt.Sprintf("%s: back to %s: %s %s failed; last error: %s", name, resource.ShortDigest(f.back),
				decider.NumberOf(f.Attempts), ofConfiguration(f.Desired), f.Error),
				"change its configuration, or run `ovi retry "+name+"`")
		case f.exhausted:
			alert(fmt.Sprintf("%s: %s %s failed; last error: %s", name, decider.NumberOf(f.Attempts), ofConfiguration(f.Desired),
				f.Error),
				"change its configuration, or run `ovi retry "+name+"`")
		case f.Waits() && f.Kept == "" && !isReplacing(s, f.ref), f.stalled:
			text, next := f.Waiting()
			alert(name+" "+text, next)
		case f.Kept != "" || isReplacing(s, f.ref): // its replacement has a line
		default:
			next := "correct the cause, then run `ovi apply`"
			if strings.Contains(f.Error, "Suggestion: ") {
				next = "" // the provider has a better one
			}
			alert(fmt.Sprintf("%s: %s %s failed, last %s: %s", name, render.Many(f.Made()+f.Other, "attempt"),
				ofConfiguration(f.Desired), c.Ago(f.Last), f.Error),
				next)
		}
	}
}

func isReplacing(s state, ref resource.Ref) bool {
	_, is := s.replacing[ref]
	return is
}

// ofConfiguration names what was tried.
func ofConfiguration(desired string) string {
	if desired == "absent" {
		return "to delete it"
	}
	return "of " + resource.ShortDigest(desired)
}

// fight is a value that was set back so often that updates of it are deferred.
type fight struct {
	ref resource.Ref
	decider.Fight
}

// fights lists the fights of the last day, sorted, each with the times that the last plan counted.
func fights(c *command.Call, l *ledger.Ledger, s state) ([]fight, error) {
	var out []fight
	for ref, all := range s.fights {
		for path, g := range all.Values {
			if g.Times+1 < decider.FightTimes || c.Now().Sub(g.Last) >= decider.FightWithin {
				continue
			}
			found := fight{ref, decider.Fight{Path: path, To: g.Found, Times: g.Times, Last: g.Last}}
			past, err := history.New(l.Reader()).ResourceHistory(c, ref, near)
			if err != nil {
				return nil, err
			}
			if isSetBack(past.Last, found.Fight) {
				found.Times++ // and not set again yet
			}
			out = append(out, found)
		}
	}
	slices.SortFunc(out, func(a, b fight) int {
		return cmp.Or(a.ref.Compare(b.ref), strings.Compare(a.Path, b.Path))
	})
	return out, nil
}

// isSetBack reports whether the last plan found the value of a fight set back since ovi set it last.
func isSetBack(last *history.LastPlan, g decider.Fight) bool {
	return last != nil && last.Decision != nil && last.At.After(g.Last) &&
		slices.ContainsFunc(last.Decision.Changes, func(x resource.Change) bool {
			return x.Name() == g.Path && event.TextOf(x.From) == g.To
		})
}

func showFights(c *command.Call, l *ledger.Ledger, s state, short func(resource.Ref) string,
	alert func(text, suggestion string),
) error {
	all, err := fights(c, l, s)
	for _, g := range all {
		alert(fmt.Sprintf("%s: %s, last %s; updates of it are slowed down", short(g.ref), g.Fight, c.Ago(g.Last)),
			"stop what sets it, or list it under `ignore`")
	}
	return err
}
