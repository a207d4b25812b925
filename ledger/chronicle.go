package ledger

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// Chronicle is everything the record can say of one thing.
type Chronicle struct {
	Ref resource.Ref
	// Records are those that name the thing, and those that its plans rest on (what was read,
	// who said yes), oldest first. Looks and plans are cut down to the thing. Those of other
	// instances, and those the log no longer has, are as the store keeps them.
	Records []Record
	// From is the first record the log still has; what is older is known only as far as the
	// store has kept it.
	From    wal.Seq
	There   *Thing // nil: it is not there, as far as is known
	Blessed *Blessing
	Open    *OpenIntent // an action without an end
	Tries   *Tries      // failures of its wish
	Scan    *Scan       // the last look at its scope; nil: never
	Last    *LastPlan   // of its stack; nil: none is on record
}

// LastPlan is the newest plan of a stack that was about more than what the world changed.
type LastPlan struct {
	At   time.Time
	Mode Mode
	// Decision is what it decided on the thing; nil: nothing, it was as wanted, or unknown.
	Decision *Decision
}

// Chronicle gathers what is on record of a thing; ErrNotFound if nothing is.
func (l *Ledger) Chronicle(ctx context.Context, ref resource.Ref) (Chronicle, error) {
	c := Chronicle{Ref: ref}
	var err error
	if c.From, _, err = l.log.First(); err != nil {
		return c, err
	}
	g := gatherer{ref: ref}
	if err := g.readLog(ctx, l); err != nil {
		return c, err
	}
	moments, err := l.History(ctx, ref)
	if err != nil && (!errors.Is(err, ErrNotFound) || len(g.own) == 0) {
		return c, err
	}
	g.addStored(moments)
	if err := g.addApprovals(ctx, l); err != nil {
		return c, err
	}
	c.Records = g.records()
	c.Last = g.last()
	return c, l.present(ctx, &c)
}

// present fills in how things stand now.
func (l *Ledger) present(ctx context.Context, c *Chronicle) error {
	thing, err := l.Thing(ctx, c.Ref, storage.Now)
	switch {
	case err == nil:
		c.There = &thing
	case !errors.Is(err, ErrNotFound):
		return err
	}
	open, isOpen, err := l.OpenOn(ctx, c.Ref)
	if err != nil {
		return err
	}
	if isOpen {
		c.Open = &open
	}
	var b blessing
	if found, err := l.load(ctx, keyBlessed+c.Ref.String(), storage.Now, &b); err != nil {
		return err
	} else if found {
		c.Blessed = &Blessing{c.Ref, b.Who, b.Reason, b.At}
	}
	all, err := l.Attempts(ctx)
	if err != nil {
		return err
	}
	if t, ok := all[c.Ref]; ok && t.Failures > 0 {
		c.Tries = &t
	}
	return l.lastLook(ctx, c)
}

func (l *Ledger) lastLook(ctx context.Context, c *Chronicle) error {
	s := Scan{Scope: c.Ref.Scope()}
	found, err := l.load(ctx, keyScan+s.Scope.String(), storage.Now, &s)
	if found {
		c.Scan = &s
	}
	return err
}

// last is the newest plan about all of the thing's stack.
func (g *gatherer) last() *LastPlan {
	stack := g.stack()
	for _, p := range slices.Backward(g.plans) {
		if p.event.Mode == ForDrift || stack != "" && !slices.Contains(p.event.Stacks, stack) {
			continue
		}
		out := &LastPlan{At: p.record.At, Mode: p.event.Mode}
		if d, ok := g.decisions[listed(p.event)]; ok {
			out.Decision = &d
		}
		return out
	}
	return nil
}

// stack is whose the thing was last.
func (g *gatherer) stack() string {
	for _, r := range slices.Backward(g.own) {
		switch e := r.Event.(type) {
		case Ended:
			return e.Stack
		case Adopted:
			return e.Stack
		case Planned:
			if len(e.Decisions) > 0 && e.Decisions[0].Stack != "" {
				return e.Decisions[0].Stack
			}
		case Observed:
			if len(e.Changed) > 0 && e.Changed[0].Stack != "" {
				return e.Changed[0].Stack
			}
		}
	}
	return ""
}

// listed is the plan whose record lists the decisions of a plan.
func listed(p Planned) string {
	if p.Same != "" {
		return p.Same
	}
	return p.Plan
}
