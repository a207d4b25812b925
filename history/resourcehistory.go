package history

import (
	"context"
	"errors"
	"time"

	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// ResourceHistory is everything the record can say of one thing.
type ResourceHistory struct {
	Ref resource.Ref
	// Records are those that name the thing, and those that its plans rest on (who said yes),
	// oldest first, in the order in which they reached the store. Looks and plans are cut down
	// to the thing. Those of other instances, those the log no longer has, and those too far
	// back, are as the store keeps them.
	Records []event.Record
	// Sources say what each plan among the records was made from, by the plan's id.
	Sources map[string]event.Loaded
	// Here is the instance whose log this is.
	Here string
	// From is the first record the log still has; what is older is known only as far as the
	// store has kept it.
	From    wal.Seq
	Exists  *ledger.ResourceState // nil: it is not there, as far as is known
	Blessed *ledger.Blessing
	Open    *ledger.OpenAction // an action without an end
	Tries   *ledger.Tries      // failures of its wish
	Scan    *ledger.Scan       // the last look at its scope; nil: never
	Last    *LastPlan          // of its stack; nil: none is on record
}

// LastPlan is the newest plan of a stack that was about more than what the world changed.
type LastPlan struct {
	At   time.Time
	Mode event.Mode
	// Decision is what it decided on the thing; nil: nothing, it was as wanted, or unknown.
	Decision *event.Decision
}

// ResourceHistory gathers what is on record of a thing; ErrNotFound if nothing is. It opens the log
// for at most so many of the newest looks and plans, for all if depth is negative; what is
// before them is told as the store keeps it: what happened, without the numbers of the records.
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
	if c.Last, err = g.pages.last(ctx, g.stack()); err != nil {
		return c, err
	}
	return c, l.present(ctx, &c)
}

// present fills in how things stand now.
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
	var b rows.Blessing
	if found, err := l.Load(ctx, rows.KeyBlessed+c.Ref.String(), storage.Now, &b); err != nil {
		return err
	} else if found {
		c.Blessed = &ledger.Blessing{Ref: c.Ref, Who: b.Who, Reason: b.Reason, At: b.At}
	}
	all, err := l.Attempts(ctx)
	if err != nil {
		return err
	}
	if t, ok := all[c.Ref]; ok && t.Failures > 0 {
		c.Tries = &t
	}
	return l.lastObservation(ctx, c)
}

func (l *Reader) lastObservation(ctx context.Context, c *ResourceHistory) error {
	s := ledger.Scan{Scope: c.Ref.Scope()}
	found, err := l.Load(ctx, rows.KeyScan+s.Scope.String(), storage.Now, &s)
	if found {
		c.Scan = &s
	}
	return err
}
