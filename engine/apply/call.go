package apply

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// call calls the provider, and repeats the call while the cause of its failure may pass in a
// moment, as long as the policy of the cause or the configuration's timeout says. It stops when the
// claim is lost or the apply is interrupted. tries counts calls that were made; 0 means that the
// provider was not called, and the error is a *notCalledError. A call that is repeated has the same
// idempotency key, so that the provider can recognize it.
func (a *apply) call(ctx context.Context, v verb, r *provider.Request) (res *resource.Observed, tries int, err error) {
	ref := r.Desired.Ref
	if v == remove {
		ref = r.Have.Ref
	}
	p := a.engine.Providers[ref.Provider]
	ctx, explain, end := a.limited(ctx, ref, v)
	defer end()
	if ctx.Err() != nil {
		return nil, 0, &notCalledError{context.Cause(ctx)} // the claim is lost already, or the apply was canceled
	}
	// While the provider signals that it only waits, the action has no slot, and the control can
	// end it.
	ctx = provider.WithWaits(ctx, func() func() { return a.slots.waits(ctx) })
	// The monotonic clock bounds the repetition, so that a change of the wall clock neither extends
	// nor ends it.
	start := time.Now()
	for wait := a.o.Backoff; ; wait = min(2*wait, longestWait) {
		tries++
		res, err = safely(ctx, p, v, *r)
		h := provider.HandlingOf(provider.CauseOf(err))
		if err == nil || !h.Repeats || a.o.Tries > 0 && tries >= a.o.Tries ||
			time.Since(start)+wait > provider.Patience(ctx, h.Wait) || ctx.Err() != nil || a.stopped() {
			return res, tries, explain(err)
		}
		if r.Progress != nil {
			r.Progress(provider.Progress{Text: "waits for " + h.Waits})
		}
		switch {
		case a.slots.sleep(ctx, a.soft, wait):
		// The context ended the pause. After a timeout, the error names the timeout.
		case ctx.Err() != nil:
			return res, tries, explain(err)
		// An interrupt ended the pause, so the last answer of the provider is the result.
		default:
			return res, tries, err
		}
	}
}

// safely makes one call. A panic of the provider becomes a *panicError, because the other actions
// of the apply and their results must be recorded.
func safely(ctx context.Context, p provider.Provider, v verb, r provider.Request) (res *resource.Observed, err error) {
	defer func() {
		if x := recover(); x != nil {
			res, err = nil, &panicError{x, debug.Stack()}
		}
	}()
	ctx = provider.WithRequest(ctx, &r)
	var o resource.Observed
	switch v {
	case create:
		o, err = p.Create(ctx, r)
	case update:
		o, err = updateAndMark(ctx, p, r)
	case remove:
		return nil, p.Delete(ctx, r)
	default:
		o, err = swap(ctx, p, v, r)
	}
	if err != nil {
		return nil, err
	}
	// The provider reports the natural name; the resource is recorded under its ref, and this
	// action proves it.
	ref := r.Desired.Ref
	o.Ref.Provider, o.Ref.Location, o.Ref.Kind = ref.Provider, ref.Location, ref.Kind
	o.Bind(resource.Proven, ref.Stack, ref.Name)
	o.Message = provider.QuietMessage(o.Message, &r)
	return &o, nil
}

// swap does a step of a swap.
func swap(ctx context.Context, p provider.Provider, v verb, r provider.Request) (resource.Observed, error) {
	s, ok := p.(provider.Swapper)
	switch {
	case !ok:
		return resource.Observed{}, fmt.Errorf("%s: the provider cannot set resources aside", r.Desired.Ref)
	case v == setAside:
		return s.SetAside(ctx, r)
	case v == switchOver:
		return s.Switch(ctx, r)
	}
	return s.Restore(ctx, r)
}

// updateAndMark first writes the marks that differ, then makes the other changes. If the second
// part fails, the marks stay: they are right for the resource whatever its attributes are.
func updateAndMark(ctx context.Context, p provider.Provider, r provider.Request) (o resource.Observed, err error) {
	var marks, rest []resource.Change
	for _, c := range r.Changes {
		if c.On == resource.OnMark {
			marks = append(marks, c)
		} else {
			rest = append(rest, c)
		}
	}
	if len(marks) > 0 {
		if o, err = mark(ctx, p, r, marks); err != nil || len(rest) == 0 {
			return o, err
		}
		// The update gets the marks that the resource has since the first part.
		r.Have.Marks = o.Marks
	}
	r.Changes = rest
	return p.Update(ctx, r)
}

// mark writes all marks of a resource. ErrReplace becomes a plain error: no resource is replaced
// because of its marks.
func mark(
	ctx context.Context, p provider.Provider, r provider.Request, changes []resource.Change,
) (resource.Observed, error) {
	m, ok := p.(provider.Marker)
	if !ok {
		return resource.Observed{}, fmt.Errorf("%s: the provider cannot write tags on existing resources", r.Desired.Ref)
	}
	// Mark writes the whole set. The blessing stays as observed, unless it is one of the changes.
	r.Desired.Blessed = r.Have.Marks.Blessed
	for _, c := range changes {
		if c.Path == "blessed" {
			r.Desired.Blessed = c.To == resource.Bool(true)
		}
	}
	r.Changes = nil
	o, err := m.Mark(ctx, r)
	if errors.Is(err, provider.ErrReplace) {
		err = fmt.Errorf("the tags cannot be written: %s", err.Error())
	}
	return o, err
}
