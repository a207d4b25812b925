package loop

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/phrase"
)

// leastUsual is the least time that counts as usual: an action may take twice that before it is an alert.
const leastUsual = 30 * time.Second

// usualTimes are the usual times of the actions that are running. Each is read once while an action of the kind runs:
// the record of a large stack is not read in every cycle.
type usualTimes map[usualKey]usualTime

type usualKey struct {
	provider, kind string
	action         decider.Action
}

type usualTime struct {
	took time.Duration
	of   int // recorded durations
}

// slow lists the running actions that take longer than twice the usual time. That is the median of the last
// recorded durations of the same action on the kind or, without records, the time in which the kind starts.
func (u usualTimes) slow(ctx context.Context, e *engine.Engine, p *engine.Planned) (out []Alert, err error) {
	running := map[usualKey]bool{}
	for _, f := range p.Flights {
		key := usualKey{f.Ref.Provider, f.Ref.Kind, f.Action}
		running[key] = true
		age := e.Clock().Sub(f.Since)
		// No kind has a shorter limit, so the record is not read for young actions.
		if age <= 2*leastUsual {
			continue
		}
		usual, known := u[key]
		if !known {
			took, of, err := history.Usual(ctx, e.Ledger().Reader(), key.provider, key.kind, key.action)
			if err != nil {
				return nil, fmt.Errorf("read how long the %s of %s takes: %w", key.action, key.kind, err)
			}
			usual = usualTime{took, of}
			u[key] = usual
		}
		basis := fmt.Sprintf("the median of the last %d", usual.of)
		switch usual.of {
		// No duration is recorded yet.
		case 0:
			k, _ := e.Kind(f.Ref)
			usual.took, basis = k.Pends(), "as its kind declares"
		case 1:
			basis = "the last one"
		}
		if age <= 2*max(usual.took, leastUsual) {
			continue
		}
		out = append(out, Alert{Type: Slow, Ref: f.Ref, Text: fmt.Sprintf(
			"%s, more than twice the usual time of %s (%s); look at it in its system",
			phrase.Flight(f.Action, age, f.By), phrase.Age(usual.took), basis)})
	}
	// A usual time that no running action needs is read again later, with newer durations.
	maps.DeleteFunc(u, func(key usualKey, _ usualTime) bool { return !running[key] })
	return out, nil
}
