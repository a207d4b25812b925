package render_test

import (
	"bytes"
	"regexp"
	"testing"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/term"
)

var negative = regexp.MustCompile(`-[0-9.]+[hms]|:-[0-9]`)

// TestNoDurationIsNegative, in no output, whatever an instance recorded whose clock was set back.
func TestNoDurationIsNegative(t *testing.T) {
	t.Parallel()
	at := time.Unix(1e9, 0)
	for _, outcome := range []event.Outcome{event.Done, event.Accepted, event.Uncertain, event.Failed} {
		e := event.Finished{Ref: ref("ec2", "web-0"), Action: decider.Update, Outcome: outcome, Seconds: -3600.5, Deadline: at}
		var screen, lines bytes.Buffer
		p, l := render.NewProgress(&screen, term.Style{Width: 80, Live: true}, names()), render.NewLines(render.NewJSON(&lines), names())
		for _, r := range []event.Record{
			{At: at, Event: event.Started{Ref: e.Ref, Action: e.Action, Have: "i-1"}},
			{At: at.Add(-time.Hour), Event: event.Started{Ref: ref("vpc", "main"), Action: decider.Create}}, // draws what runs
			{At: at.Add(-time.Hour), Event: e},
		} {
			p.Record(r)
			l.Record(r)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		for from, text := range map[string]string{
			"the screen": escapes.ReplaceAllString(screen.String(), ""), "the sentence": render.Sentence(e), "the lines": lines.String(),
		} {
			if text == "" || negative.MatchString(text) {
				t.Errorf("%s, %s:\n%s", outcome, from, text)
			}
		}
	}
}
