package operate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Lock locks or unlocks a stack, a location of it or a resource there, for new configurations.
func (e *Operator) Lock(ctx context.Context, o event.Ordered, a OperatorAction) error {
	o.Order, o.Who, o.Reason = event.Lock, a.Who, a.Reason
	all, err := e.plan.Ledger.Orders(ctx)
	if err != nil {
		return err
	}
	locked := slices.ContainsFunc(all, func(x event.Ordered) bool {
		return x.Order == event.Lock && x.Stack == o.Stack && x.Location == o.Location && x.Name == o.Name
	})
	// A misspelled target must not look unlocked while the lock goes on.
	if !locked && !o.On {
		return resource.Advise(fmt.Errorf("%s is not locked", o.Target()),
			"run `ovi audit log --type ordered` to see what is")
	}
	if _, err := e.plan.Ledger.Record(ctx, o); err != nil {
		return fmt.Errorf("record the lock: %w", err)
	}
	return nil
}

// ErrOlderOrders is the error for orders that are older than the recorded ones.
var ErrOlderOrders = errors.New("ignored the orders of the central orchestrator: newer orders are already recorded")

// Obey records what is new in the orders for a stack that came from outside. Orders are numbered by
// their sender; the number 0 means that there are none. Orders with an older number than the
// recorded one are refused with ErrOlderOrders, so that a restored backup does not lift a freeze.
// Repeated orders record nothing.
func (e *Operator) Obey(ctx context.Context, stack string, o provider.Orders) error {
	if o.Number == 0 {
		return nil
	}
	all, err := e.plan.Ledger.Orders(ctx)
	if err != nil {
		return err
	}
	var frozen bool
	waves := map[string]event.Ordered{}
	for _, x := range all {
		if x.Stack == stack && x.Central > o.Number { // it was restored from a backup
			return fmt.Errorf("%w: their number is %d, and %d is recorded", ErrOlderOrders, o.Number, x.Central)
		}
		if x.Stack == stack && x.Order == event.Freeze {
			frozen = true
		}
		if x.Stack == stack && x.Order == event.Promote {
			waves[x.Name] = x
		}
	}
	var news []event.Event
	if o.Frozen != frozen {
		news = append(news, event.Ordered{
			Stack: stack, Order: event.Freeze, On: o.Frozen, Central: o.Number, Who: o.Who, Reason: o.Reason,
		})
	}
	for _, p := range o.Promoted {
		// A promotion to a lower wave of the same version is no news: a promoted wave stays
		// promoted.
		if was := waves[p.Name]; was.Version != p.Version || was.Wave < p.Wave {
			news = append(news, event.Ordered{
				Stack: stack, Name: p.Name, Order: event.Promote, On: true, Version: p.Version, Wave: p.Wave, Central: o.Number,
				Who: p.Who, Reason: p.Reason,
			})
		}
	}
	if len(news) == 0 {
		return nil
	}
	if _, err := e.plan.Ledger.Record(ctx, news...); err != nil {
		return fmt.Errorf("record the orders: %w", err)
	}
	return nil
}

// RecordAlarm records an alarm of a provider in the audit log. The record has the time of the call,
// and not the time of the alarm.
func (e *Operator) RecordAlarm(ctx context.Context, a provider.Alarm) error {
	if _, err := e.plan.Ledger.Record(ctx, event.Alarmed{
		Provider: a.Scope.Provider, Location: a.Scope.Location, Text: a.Text,
	}); err != nil {
		return fmt.Errorf("record an alarm of %s: %w", a.At.UTC().Format(time.RFC3339), err)
	}
	return nil
}
