package aws

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider"
)

// only gives the one thing that was asked for by id. AWS answers an id that is not there with
// an error; an empty answer means the same.
func only[T any](all []T, err error, op, id string) (T, error) {
	if err == nil && len(all) == 0 {
		err = &provider.Error{Class: provider.NotFound, Op: op, Err: fmt.Errorf("%s is not there", id)}
	}
	return first(all), err
}

// awaitSeen waits like await for something that was just made or changed. AWS may not see it
// yet: for a while, not found means "not yet".
func (g *region) awaitSeen(ctx context.Context, limit time.Duration, what string, obs func(context.Context) error) error {
	begun := g.clock()
	return g.await(ctx, limit, what, func(ctx context.Context) error {
		err := obs(ctx)
		if absent(err) && g.clock().Sub(begun) < g.wait.Appear {
			return errWait
		}
		return err
	})
}

// deleteHeld deletes something that what was deleted before it may hold for a moment. Absent
// is success. If it is held for good, the Conflict names what holds it.
func (g *region) deleteHeld(ctx context.Context, id string, remove func() error, holders func() ([]string, error), codes ...string) error {
	err := g.patiently(ctx, g.wait.Free, func() error { return classify("", remove()) }, codes...)
	if err == nil || absent(err) {
		return nil
	}
	if !hasCode(err, codes...) {
		return err
	}
	names, obs := holders()
	var e *provider.Error
	if !errors.As(err, &e) || obs != nil {
		return errors.Join(err, obs)
	}
	out := *e
	out.Class = provider.Conflict
	if len(names) > 0 {
		out.Err = fmt.Errorf("%w; in the way of %s: %s", e.Err, id, strings.Join(names, ", "))
	}
	out.Hint = "delete what is in the way, or wait and apply again"
	return &out
}
