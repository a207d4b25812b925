package record

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

// replacementsIn are the notices about replacements: those in progress, and those that were reverted.
func replacementsIn(s state, short func(resource.Ref) string, ago func(time.Time) string) []render.Notice {
	var out []render.Notice
	for _, ref := range slices.SortedFunc(maps.Keys(s.replacing), resource.Ref.Compare) {
		r := s.replacing[ref]
		n := render.Notice{
			Text:       fmt.Sprintf("%s: the %s of %s started %s and has not ended", short(ref), r.Strategy, r.Old, ago(r.At)),
			Suggestion: "run `ovi plan` to see how it goes on",
		}
		if r.Reverting {
			n.Text = fmt.Sprintf("%s: the %s of %s goes back and has not ended: %s", short(ref), r.Strategy, r.Old, r.Why)
		}
		out = append(out, n)
	}
	for _, ref := range slices.SortedFunc(maps.Keys(s.attempts), resource.Ref.Compare) {
		if t := s.attempts[ref].Last(); t.Kept != "" {
			out = append(out, render.Notice{
				Text: fmt.Sprintf("%s: its replacement was reverted %s, and %s is kept: %s", short(ref), ago(t.Last), t.Kept,
					t.Error),
				Suggestion: "correct the cause, then run `ovi apply`",
			})
		}
	}
	return out
}

// recordsOfReplacements are the same for programs.
func recordsOfReplacements(s state) []render.Record {
	var out []render.Record
	for _, ref := range slices.SortedFunc(maps.Keys(s.replacing), resource.Ref.Compare) {
		r := s.replacing[ref]
		out = append(out, render.Replacement{
			Type: "replacement", Ref: s.names.Ref(ref), Strategy: r.Strategy, Old: r.Old, Started: r.At,
			State: inProgress(r.Reverting), Why: r.Why,
		})
	}
	for _, ref := range slices.SortedFunc(maps.Keys(s.attempts), resource.Ref.Compare) {
		if t := s.attempts[ref].Last(); t.Kept != "" {
			out = append(out, render.Replacement{
				Type: "replacement", Ref: s.names.Ref(ref), Old: t.Kept, Started: t.Last,
				State: "reverted", Why: t.Error,
			})
		}
	}
	return out
}

func inProgress(reverting bool) string {
	if reverting {
		return "going_back"
	}
	return "in_progress"
}
