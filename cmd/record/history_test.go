package record

import (
	"testing"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/resource"
)

// TestALateDeleteIsNotOutside: the resource is gone after a delete was found not done. A delete that failed explains
// nothing.
func TestALateDeleteIsNotOutside(t *testing.T) {
	started := event.Started{Key: "k", Action: decider.Delete}
	for name, x := range map[string]struct {
		before []event.Event
		want   string
	}{
		"found not done": {[]event.Event{started, event.Recovered{Key: "k", Finding: event.FoundNotDone}}, "observed: deleted"},
		"failed":         {[]event.Event{started, event.Finished{Key: "k", Outcome: event.Failed}}, "deleted outside ovi"},
		"no delete":      {nil, "deleted outside ovi"},
	} {
		var before history.Moment
		for _, e := range x.before {
			before.Records = append(before.Records, event.Record{Event: e})
		}
		all := momentLines(history.Moment{Gone: true}, nil, resource.Kind{}, openAfter(before, nil))
		if len(all) != 1 || all[0].text != x.want {
			t.Errorf("%s: %+v, want %s", name, all, x.want)
		}
	}
}
