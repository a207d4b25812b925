package explain

import (
	"fmt"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/history"
)

// Origin tells from the history of a resource, oldest first, where the one that exists came
// from: "Created 2026-05-03 by record 812."; "" where that is not recorded.
func Origin(life []history.Moment) string {
	origin := ""
	for _, m := range life {
		for _, r := range m.Records {
			how := ""
			switch e := r.Event.(type) {
			case event.Finished:
				if e.Outcome == event.Done && (e.Action == decider.Create || e.Phase == event.PhaseCreate) {
					how = "Created"
				}
			case event.Adopted:
				how = "Adopted"
			}
			if how != "" {
				origin = fmt.Sprintf("%s %s by record %d.", how, r.At.UTC().Format("2006-01-02"), r.Seq)
			}
		}
	}
	return origin
}
