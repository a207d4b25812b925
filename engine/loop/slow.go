package loop

import (
	"context"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/ledger/phrase"
)

// leastUsual is the least time that counts as usual: an action may take twice that before it is an alert.
const leastUsual = 30 * time.Second

// slowFlights lists the running actions that take longer than twice the usual time. That is the median of the last
// recorded durations of the same action on the kind or, without records, the time in which the kind starts.
func slowFlights(ctx context.Context, e *engine.Engine, p *engine.Planned) (out []Alert, err error) {
	for _, f := range p.Flights {
		running := e.Clock().Sub(f.Since)
		if running <= 2*leastUsual {
			continue
		}
		usual, of, err := history.Usual(ctx, e.Ledger().Reader(), f.Ref.Provider, f.Ref.Kind, f.Action)
		if err != nil {
			return nil, fmt.Errorf("read how long the %s of %s takes: %w", f.Action, f.Ref.Kind, err)
		}
		basis := fmt.Sprintf("the median of the last %d", of)
		if of == 1 {
			basis = "the last one"
		}
		if of == 0 {
			k, _ := e.Kind(f.Ref)
			usual, basis = k.Pends(), "as its kind declares"
		}
		if running <= 2*max(usual, leastUsual) {
			continue
		}
		out = append(out, Alert{Type: Slow, Ref: f.Ref, Text: fmt.Sprintf(
			"%s, more than twice the usual time of %s (%s); look at it in its system",
			phrase.Flight(f.Action, running, f.By), phrase.Age(usual), basis)})
	}
	return out, nil
}
