package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// ResourceHistory is everything that is recorded about one resource.
type ResourceHistory struct {
	Ref resource.Ref
	// Records are those that name the resource, and those that its plans rest on (who approved), in
	// the order in which they reached the store. Observations and plans are reduced to the resource.
	// Records of other instances, those that the log no longer has, and those too far back, are as
	// the store has them.
	Records []event.Record
	// Sources are the sources of the plans among the records, by the id of the plan.
	Sources map[string]event.Loaded
	// Here is the instance whose log this is.
	Here string
	// From is the first record that the log still has. Older events are known only if the store has kept
	// them.
	From    wal.Seq
	Exists  *ledger.ResourceState // nil if no existing resource is known
	Blessed *ledger.Blessing
	// Dropped are the policies that every run needed and none needs now, by name.
	Dropped []Dropped
	Open    *ledger.OpenAction // an action without a recorded result
	// Replacing is its replacement in progress; nil if there is none.
	Replacing *ledger.Replacement
	Tries     *ledger.Tries // failures of its configuration
	Scan      *ledger.Scan  // the last observation of its scope; nil if there was none
	Last      *LastPlan     // of its stack; nil if none is recorded
}

// Dropped is a policy that a user turned off for all runs on the store.
type Dropped struct {
	event.PolicyRequired
	At time.Time
}

// LastPlan is the newest plan of a stack that was not only for drift.
type LastPlan struct {
	At   time.Time
	Mode event.Mode
	// Decision is its decision on the resource; nil if there is none, or it is unknown.
	Decision *event.Decision
}

// ResourceHistory collects what is recorded about a resource; ErrNotFound if nothing is. It reads at
// most depth of the newest observations and plans from the log, all if depth is negative; older ones
// are as the store has them: without record numbers.
func (l *Reader) ResourceHistory(ctx context.Context, ref resource.Ref, depth int) (ResourceHistory, error) {
	c := ResourceHistory{Ref: ref, Here: l.Instance()}
	var err error
	if c.From, _, err = l.Log().First(); err != nil {
		return c, err
	}
	g, err := l.gather(ctx, ref, depth)
	if g != nil {
		defer func() { _ = g.pages.picker.Close() }()
	}
	if err != nil {
		return c, err
	}
	c.Sources = g.sources
	for _, t := range g.told {
		c.Records = append(c.Records, t.record)
	}
	if c.Last, err = g.pages.last(ctx, g.ref.Stack); err != nil {
		return c, err
	}
	return c, l.present(ctx, &c)
}

// present adds the present state. The parts are read one after the other and not at one revision: a
// run that records meanwhile may show in some of them only.
func (l *Reader) present(ctx context.Context, c *ResourceHistory) error {
	res, err := l.Resource(ctx, c.Ref, storage.Now)
	switch {
	case err == nil:
		c.Exists = &res
	case !errors.Is(err, ledger.ErrNotFound):
		return err
	}
	open, isOpen, err := l.OpenOn(ctx, c.Ref)
	if err != nil {
		return err
	}
	if isOpen {
		c.Open = &open
	}
	if r, is, err := l.Replacement(ctx, c.Ref); err != nil {
		return err
	} else if is {
		c.Replacing = &r
	}
	var b rows.Act[event.Blessed]
	if found, err := l.Load(ctx, rows.BlessedOf(c.Ref), storage.Now, &b); err != nil {
		return err
	} else if found && b.Event.On {
		c.Blessed = &ledger.Blessing{Ref: c.Ref, Who: b.Event.Who, Reason: b.Event.Reason, At: b.At}
	}
	err = l.Entries(ctx, rows.KeyRequirement, storage.Now, func(e storage.Entry) error {
		var a rows.Act[event.PolicyRequired]
		if err := json.Unmarshal(e.Value, &a); err != nil {
			return fmt.Errorf("ledger: %s: %w", e.Key, err)
		}
		if !a.Event.On {
			c.Dropped = append(c.Dropped, Dropped{a.Event, a.At})
		}
		return nil
	})
	if err != nil {
		return err
	}
	all, err := l.Attempts(ctx)
	if err != nil {
		return err
	}
	if t := all[c.Ref].Last(); t.Any() {
		c.Tries = &t
	}
	s := ledger.Scan{Scope: c.Ref.Scope()} // the last observation counts even if it failed
	found, err := l.Load(ctx, rows.KeyScan+s.Scope.String(), storage.Now, &s)
	if found {
		c.Scan = &s
	}
	return err
}
