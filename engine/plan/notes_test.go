package plan

import (
	"testing"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/resource"
)

// TestAnActionThatMayHaveFailedIsNotTheCauseOfALaterChange: an observation after it had the configured value.
func TestAnActionThatMayHaveFailedIsNotTheCauseOfALaterChange(t *testing.T) {
	small := resource.Observed{ID: "i-1", Attrs: resource.Attrs{{Name: "size", Value: resource.String("small")}}}
	large := resource.Observed{ID: "i-1", Attrs: resource.Attrs{{Name: "size", Value: resource.String("large")}}}
	acted := func(events ...event.Event) (m history.Moment) {
		for _, e := range events {
			m.Records = append(m.Records, event.Record{Event: e})
		}
		return m
	}
	started, found := acted(event.Started{}), acted(event.Recovered{})
	right, wrong := history.Moment{Seen: &small}, history.Moment{Seen: &large}
	c := resource.Change{Path: "size", From: resource.String("large"), To: resource.String("small")}
	for name, x := range map[string]struct {
		life []history.Moment
		want bool
	}{
		"created in part":               {[]history.Moment{started, wrong, found}, false},
		"created whole, changed later":  {[]history.Moment{started, right, found, wrong}, true},
		"an own action came in between": {[]history.Moment{right, started, wrong, acted(event.Finished{})}, false},
		"it could not be read":          {[]history.Moment{started, {Seen: &resource.Observed{Condition: resource.Unreadable, Attrs: small.Attrs}}}, false},
	} {
		if got := seenSinceAction(x.life, c); got != x.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
