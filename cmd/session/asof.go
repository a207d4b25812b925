package session

import (
	"fmt"
	"time"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource/unread"
)

// Freshness are the lines about what a plan uses that was not observed just now. If maxAge is not 0, the plan may use
// observations of that age, and the lines also say what was observed now.
func Freshness(c *command.Call, p *engine.Planned, maxAge time.Duration) []string {
	names := NamesOf(p)
	var out []string
	if p.Past {
		out = append(out, fmt.Sprintf("As of revision %d. This plan cannot be applied.", p.Revision))
	}
	for _, obs := range p.Observations {
		age := phrase.Age(c.Now().Sub(obs.At))
		switch {
		case obs.Err != nil:
		case p.Past:
			out = append(out, fmt.Sprintf("%s: as observed at %s, %s ago", names.Scope(obs.Scope), phrase.Second(obs.At), age))
		case obs.Recorded:
			out = append(out, fmt.Sprintf("%s: as observed %s ago (--max-age)", names.Scope(obs.Scope), age))
		case maxAge > 0:
			out = append(out, fmt.Sprintf("%s: observed now", names.Scope(obs.Scope)))
		}
	}
	return out
}

// UnreadLines are the lines about the parts of the sources that could not be read.
func UnreadLines(c *command.Call, p *engine.Planned) []string {
	var out []string
	for i := range p.Intents {
		in := &p.Intents[i]
		for _, part := range unread.All(in) {
			out = append(out, phrase.Unread(event.Unread{
				Stack: in.Stack, Part: unread.Title(part, in), Why: part.Why, Read: part.Read,
				Never: part.Never, Unknown: part.Unknown, Any: part.Any,
			}, c.Now()))
		}
	}
	return out
}

// LookRecords tell programs how old each fact of a plan is.
func LookRecords(c *command.Call, p *engine.Planned, names render.Names) []render.Record {
	out := make([]render.Record, 0, len(p.Observations))
	for _, obs := range p.Observations {
		r := render.Look{
			Type: "observation", Scope: obs.Scope.String(), Location: names.Scope(obs.Scope),
			Recorded: obs.Recorded, Count: obs.Count,
		}
		if obs.Err != nil {
			r.Error = obs.Err.Error()
		} else {
			at := obs.At
			r.Seen, r.AgeSeconds = &at, c.Elapsed(at).Seconds()
		}
		if p.Past {
			r.Revision = int64(p.Revision)
		}
		out = append(out, r)
	}
	return out
}
