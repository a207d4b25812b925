package main

import (
	"fmt"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/render"
)

// onlyToLookAt refuses to save a plan of the past.
func (c *call) onlyToLookAt() error {
	if c.cli.String("at") != "" && (c.cli.String("out") != "" || c.cli.Duration("max-age") != 0) {
		return usage("leave out --out and --max-age", "a plan of the past (--at) is only to look at: it cannot be applied")
	}
	return nil
}

// rests are the lines that say what a plan rests on that was not looked at just now.
func (c *call) rests(p *engine.Planned) []string {
	names := namesOf(p)
	var out []string
	if p.Past {
		out = append(out, fmt.Sprintf("THE PAST: what these wishes would have called for at revision %d; only to look at", p.Revision))
	}
	for _, look := range p.Looks {
		age := render.Age(c.now().Sub(look.At))
		switch {
		case look.Err != nil:
		case p.Past:
			out = append(out, fmt.Sprintf("%s: as seen at %s, %s ago", names.Scope(look.Scope), look.At.UTC().Format("2006-01-02 15:04:05 UTC"), age))
		case look.Recorded:
			out = append(out, fmt.Sprintf("%s: as seen %s ago, not looked at now (--max-age)", names.Scope(look.Scope), age))
		case c.cli.Duration("max-age") > 0:
			out = append(out, fmt.Sprintf("%s: looked at now", names.Scope(look.Scope)))
		}
	}
	return out
}

// lookRecords tell machines how old each fact of a plan is.
func (c *call) lookRecords(p *engine.Planned, names render.Names) []render.Record {
	out := make([]render.Record, 0, len(p.Looks))
	for _, look := range p.Looks {
		r := render.Look{Type: "look", Scope: look.Scope.String(), Place: names.Scope(look.Scope), Recorded: look.Recorded, Count: look.Count}
		if look.Err != nil {
			r.Error = look.Err.Error()
		} else {
			at := look.At
			r.Seen, r.AgeSeconds = &at, max(0, c.now().Sub(at).Seconds())
		}
		if p.Past {
			r.Revision = int64(p.Revision)
		}
		out = append(out, r)
	}
	return out
}
