package reconcile

import (
	"sync"
	"time"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

// flightLines says of each action that runs while a plan is made what it does, for how long, and who runs it.
func flightLines(p *engine.Planned, names render.Names, now time.Time) []string {
	refs := make([]resource.Ref, len(p.Flights))
	for i, f := range p.Flights {
		refs[i] = f.Ref
	}
	short := names.Shorten(refs...)
	out := make([]string, len(p.Flights))
	for i, f := range p.Flights {
		out[i] = short(f.Ref) + ": " + phrase.Flight(f.Action, now.Sub(f.Since), f.By)
	}
	return out
}

// flightRecords are the actions that run while a plan is made, for programs.
func flightRecords(p *engine.Planned, names render.Names) []render.Record {
	out := make([]render.Record, len(p.Flights))
	for i, f := range p.Flights {
		out[i] = render.InFlight{
			Type: "in_flight", Ref: names.Ref(f.Ref), Action: string(f.Action), Started: f.Since.UTC(), By: f.By,
		}
	}
	return out
}

// toldEvery is the time between two lines about a running action.
const toldEvery = 5 * time.Minute

// flying remembers when the loops last named a running action.
type flying struct {
	mu   sync.Mutex
	told map[resource.Ref]time.Time
}

// due lists the running actions of a cycle that were not named for five minutes. The line of their start names them.
func (f *flying) due(c loop.Cycle, now time.Time) []engine.Flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	told := map[resource.Ref]time.Time{}
	for ref, at := range f.told {
		if ref.Stack != c.Stack {
			told[ref] = at
		}
	}
	var out []engine.Flight
	for _, x := range c.Planned.Flights {
		last, again := f.told[x.Ref]
		if !again || last.Before(x.Since) {
			last = x.Since
		}
		if now.Sub(last) >= toldEvery {
			last = now
			out = append(out, x)
		}
		told[x.Ref] = last
	}
	f.told = told
	return out
}
