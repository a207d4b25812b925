package api

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ovi-project/ovi/provider"
)

// Delays holds the waits of the provider. The zero value suits AWS, or the sandbox.
type Delays struct {
	First, Most time.Duration // between two reads of something that is changing
	Gather      time.Duration // the longest that a read waits for others to read for
	// Appear, Free and Held replace the waits of provider.HandlingOf for propagation, in_use_by_service and in_use.
	Appear, Free, Held time.Duration
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
		or(&d.Held, 5*time.Second)
	}
	or(&d.First, time.Second)
	or(&d.Most, 15*time.Second)
	or(&d.Gather, 5*time.Second)
	or(&d.Appear, provider.HandlingOf(provider.Propagation).Wait)
	or(&d.Free, provider.HandlingOf(provider.InUseByService).Wait)
	or(&d.Held, provider.HandlingOf(provider.InUse).Wait)
	or(&d.Compute, 10*time.Minute)
	or(&d.Database, 80*time.Minute)
	return d
}

// Patience returns the wait of an action for a cause to pass: as the configuration says, whatever its size, else as
// the policy does.
func (g *Region) Patience(ctx context.Context, c provider.Cause) time.Duration {
	own := provider.HandlingOf(c).Wait
	switch c {
	case provider.Propagation:
		own = g.Wait.Appear
	case provider.InUseByService:
		own = g.Wait.Free
	case provider.InUse:
		own = g.Wait.Held
	}
	return provider.Patience(ctx, own)
}

type progressKey struct{}

// WithProgress has the waits of an action tell what they wait for.
func WithProgress(ctx context.Context, progress func(provider.Progress)) context.Context {
	if progress == nil {
		return ctx
	}
	return context.WithValue(ctx, progressKey{}, progress)
}

// tell shows what an action waits for.
func tell(ctx context.Context, text string) {
	if progress, ok := ctx.Value(progressKey{}).(func(provider.Progress)); ok {
		progress(provider.Progress{Text: text})
	}
}

// ErrWait reports that the resource is still changing.
var ErrWait = errors.New("not finished")

// Await reads until a read is content (nil), fails (an error other than ErrWait), or the time is
// up. what names the awaited state. A wait that times out is InUseByService, because the service
// works on the resource still and the configuration is not at fault. A wait that is stopped is
// UnknownResult. During the wait the action takes no slot of the parallelism, see provider.Waiting.
func (g *Region) Await(ctx context.Context, limit time.Duration, what string, obs func(context.Context) error) error {
	limit = provider.Patience(ctx, limit)
	timeout, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var waits sync.Once
	ended := func() {}
	defer func() { ended() }()
	for pause := g.Wait.First; ; pause = min(pause*2, g.Wait.Most) {
		err := obs(timeout)
		if !errors.Is(err, ErrWait) && (err == nil || timeout.Err() == nil) {
			return err
		}
		waits.Do(func() { ended = provider.Waiting(ctx) })
		tell(ctx, "waits for "+what)
		if sleep(timeout, pause) == nil {
			continue
		}
		if ctx.Err() != nil {
			return &provider.Error{
				Cause: provider.UnknownResult,
				Err:   provider.Errorf("stopped while waiting for %s: %w", what, context.Cause(ctx)),
			}
		}
		return &provider.Error{
			Cause: provider.InUseByService, Err: provider.Errorf("timed out after %v waiting for %s: %w", limit, what, err),
			Hint: "check it in the AWS console, then apply again",
		}
	}
}

// Patiently tries again while a call is refused with one of the codes, for at most the limit; then it
// gives the last refusal.
func (g *Region) Patiently(ctx context.Context, limit time.Duration, try func() error, codes ...string) error {
	return g.PatientlyIf(ctx, limit, try, func(err error) bool { return HasCode(err, codes...) })
}

// UntilKnown repeats a call that names something which was just created, until every part of AWS knows it.
func (g *Region) UntilKnown(ctx context.Context, try func() error) error {
	return g.PatientlyIf(ctx, g.Wait.Appear, try, Spreading)
}

// Spreading reports that a call was refused because it names something that was just created: a principal of a policy,
// or a type that an instance has had for a moment only. The table of causes knows the words of each service.
func Spreading(err error) bool { return provider.CauseOf(Classify("", err)) == provider.Propagation }

// PatientlyIf is Patiently for refusals that their code alone does not tell apart. It also waits for propagation.
func (g *Region) PatientlyIf(ctx context.Context, limit time.Duration, try func() error,
	passing func(error) bool,
) error {
	var last error
	err := g.Await(ctx, limit, "AWS to accept the call", func(context.Context) error {
		if last = try(); last != nil && (passing(last) || Spreading(last)) {
			g.Log.Debug("refused for now", "error", provider.QuietIn(ctx, last))
			return ErrWait
		}
		return last
	})
	if err != nil && last != nil && (ctx.Err() == nil || passing(last) || Spreading(last)) {
		return last // it was refused, and no call is open
	}
	return err
}

// sleep waits, and returns an error if the context ends before.
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
