package decider

import (
	"fmt"
	"time"
)

// Fight counts how often a value that ovi had set was found set back to the same other value, in a row.
type Fight struct {
	Path, To string // the attribute or tag, and the value that it is set back to
	Times    int
	Last     time.Time // when ovi set it last
}

// FightTimes is the number of times after which two are known to fight over a value. FightWithin is the time after
// which the count begins again.
const (
	FightTimes  = 3
	FightWithin = 24 * time.Hour
)

// The pauses between two updates of a value that two fight over. They double from the first to the longest.
const (
	fightFirst   = 30 * time.Second
	fightLongest = time.Hour
)

// Fights defers updates of a value that something else sets back again and again: from the third time on, and longer
// after each.
type Fights struct{}

// Name implements Policy.
func (Fights) Name() string { return "fight" }

// Review implements Policy.
func (Fights) Review(p Plan, f Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	for i := range p.Decisions {
		g, is := p.Decisions[i].fight(f)
		if !is {
			continue
		}
		pause := fightFirst
		for n := FightTimes; n < g.Times && pause < fightLongest; n++ {
			pause *= 2
		}
		if until := g.Last.Add(min(pause, fightLongest)); f.Now.Before(until) {
			out[i] = Blocker{Until: &until, Reason: g.String(), Suggestion: "stop what sets it, or list it under `ignore`"}
		}
	}
	return out, nil
}

// Warn implements Warner.
func (x Fights) Warn(p Plan, f Facts) map[int][]Warning {
	out := map[int][]Warning{}
	for i := range p.Decisions {
		if g, is := p.Decisions[i].fight(f); is {
			out[i] = []Warning{{Policy: x.Name(), Text: g.String()}}
		}
	}
	return out
}

// String describes the fight.
func (g Fight) String() string {
	return fmt.Sprintf("%s was set back to %s %d times", g.Path, g.To, g.Times)
}

// fight returns the fight that a decision would go on with.
func (d *Decision) fight(f Facts) (Fight, bool) {
	if f.Fight == nil || d.Proposed != Update && d.Proposed != Restart || d.Reason == ReasonState {
		return Fight{}, false
	}
	g, is := f.Fight(d)
	return g, is && g.Times >= FightTimes && f.Now.Sub(g.Last) < FightWithin
}
