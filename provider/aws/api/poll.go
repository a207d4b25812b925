package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/provider"
)

// Delays holds the waits of the provider. The zero value suits AWS, or the sandbox.
type Delays struct {
	First, Most time.Duration // between two reads of something that is changing
	Gather      time.Duration // the longest that a read waits for others to read for
	// Appear is the time for which a new resource may be invisible. Free is the time for which a resource
	// to be deleted may still be used by resources that were deleted before it.
	Appear, Free time.Duration
	// Compute and Database are the maximum times of an instance or volume, and of a database.
	Compute, Database time.Duration
}

// OrDefault returns the delays, with the defaults for those that are not set. The sandbox has shorter ones.
func (d Delays) OrDefault(sandbox bool) Delays {
	or := func(p *time.Duration, def time.Duration) {
		if *p == 0 {
			*p = def
		}
	}
	if sandbox {
		or(&d.First, 20*time.Millisecond)
		or(&d.Most, 250*time.Millisecond)
		or(&d.Gather, 250*time.Millisecond)
		or(&d.Appear, 5*time.Second)
		or(&d.Free, 5*time.Second)
	}
	or(&d.First, time.Second)
	or(&d.Most, 15*time.Second)
	or(&d.Gather, 5*time.Second)
	or(&d.Appear, time.Minute)
	or(&d.Free, 5*time.Minute)
	or(&d.Compute, 10*time.Minute)
	or(&d.Database, 80*time.Minute)
	return d
}

// ErrWait reports that the resource is still changing.
var ErrWait = errors.New("not finished")

// Await reads until a read is content (nil), fails (an error other than errWait), or the time is up.
// what names what is waited for.
func (g *Region) Await(ctx context.Context, limit time.Duration, what string, obs func(context.Context) error) error {
	if configured, ok := provider.Timeout(ctx); ok && limit >= g.Wait.Compute { // ctx ends with it
		limit = max(limit, configured)
	}
	timeout, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for pause := g.Wait.First; ; pause = min(pause*2, g.Wait.Most) {
		err := obs(timeout)
		if !errors.Is(err, ErrWait) && (err == nil || timeout.Err() == nil) {
			return err
		}
		if sleep(timeout, pause) == nil {
			continue
		}
		if ctx.Err() != nil {
			return &provider.Error{
				Class: provider.Uncertain,
				Err:   fmt.Errorf("stopped while waiting for %s: %w", what, context.Cause(ctx)),
			}
		}
		return &provider.Error{
			Class: provider.Transient, Err: fmt.Errorf("timed out after %v waiting for %s: %w", limit, what, err),
			Hint: "check it in the AWS console, then apply again",
		}
	}
}

// Patiently tries again while a call is refused with one of the codes, for at most the limit; then it
// gives the last refusal.
func (g *Region) Patiently(ctx context.Context, limit time.Duration, try func() error, codes ...string) error {
	return g.PatientlyIf(ctx, limit, try, func(err error) bool { return HasCode(err, codes...) })
}

// PatientlyIf is patiently for refusals that their code alone does not tell apart.
func (g *Region) PatientlyIf(ctx context.Context, limit time.Duration, try func() error,
	passing func(error) bool,
) error {
	var last error
	err := g.Await(ctx, limit, "AWS to accept the call", func(context.Context) error {
		if last = try(); last != nil && passing(last) {
			g.Log.Debug("refused for now", "error", last)
			return ErrWait
		}
		return last
	})
	if err != nil && last != nil && ctx.Err() == nil {
		return last
	}
	return err
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
