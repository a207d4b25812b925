package api

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Only returns the resource that was read by id. AWS answers an id that does not exist with an error; an
// empty answer means the same.
func Only[T any](all []T, err error, op, id string) (T, error) {
	if err == nil && len(all) == 0 {
		err = MissingOf(op, fmt.Errorf("%s does not exist", id))
	}
	return First(all), err
}

// MissingOf returns an error for a resource that does not exist.
func MissingOf(op string, err error) error {
	return &provider.Error{Class: provider.NotFound, Op: op, Err: err}
}

// UnlessOwn decides about the refusal of a name that is taken. If an earlier attempt with the key created
// the resource, that is not an error; otherwise the name is a conflict.
func UnlessOwn(ctx context.Context, g *Region, r provider.Request, refused error,
	read func(context.Context, *Region, string) (resource.Observed, error),
) error {
	o, err := read(ctx, g, r.Desired.Ref.Name)
	switch {
	case err != nil:
		return errors.Join(refused, err)
	case o.Marks.Key != r.Key:
		return Taken(o, r)
	}
	return nil
}

// AwaitSeen waits like await for something that was just created or changed. It may not be visible
// yet: for a while, not found means "not yet".
func (g *Region) AwaitSeen(ctx context.Context, limit time.Duration, what string,
	obs func(context.Context) error,
) error {
	started := g.Clock()
	return g.Await(ctx, limit, what, func(ctx context.Context) error {
		err := obs(ctx)
		if Absent(err) && g.Clock().Sub(started) < g.Wait.Appear {
			return ErrWait
		}
		return err
	})
}

// DeleteHeld deletes a resource that others, which were deleted before it, may use for a moment. Absent is
// success. A known user of the resource does not go away on its own, so DeleteHeld waits for it only a
// minute; it waits longer if the user is unknown. If the resource stays in use, the Conflict names its
// user.
func (g *Region) DeleteHeld(ctx context.Context, id string, remove func() error, holders func() ([]string, error),
	codes ...string,
) error {
	try := func() error { return Classify("", remove()) }
	err := g.Patiently(ctx, min(g.Wait.Appear, g.Wait.Free), try, codes...)
	if err == nil || Absent(err) {
		return nil
	}
	if !HasCode(err, codes...) {
		return err
	}
	names, obs := holders()
	if len(names) == 0 && obs == nil { // what AWS does not name may still go
		if err = g.Patiently(ctx, g.Wait.Free, try, codes...); err == nil || Absent(err) {
			return nil
		}
		names, obs = holders()
	}
	var e *provider.Error
	if !errors.As(err, &e) || obs != nil {
		return errors.Join(err, obs)
	}
	out := *e
	out.Class = provider.Conflict
	if len(names) > 0 {
		out.Err = fmt.Errorf("%w; %s is used by %s", e.Err, id, strings.Join(names, ", "))
	}
	out.Hint = "delete what uses it, or wait and apply again"
	return &out
}
