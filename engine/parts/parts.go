// Package parts holds what an engine is made of: the providers, the ledger, the claims, the clock.
package parts

import (
	"context"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/observer"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Claim is the right to change one resource, identified by its token.
type Claim = coordinator.Claim

// Claims grants claims. coordinator.Claims implements it.
type Claims interface {
	// Hold calls do while this instance alone may change ref. The context of do ends when the
	// claim is lost, and no other instance gets the claim before that. A
	// *coordinator.ClaimedError names the instance that has it.
	Hold(ctx context.Context, ref string, do func(context.Context, Claim) error) error
	// Await returns nil once no instance has the claim on ref.
	Await(ctx context.Context, ref string) error
	// List returns the current claims.
	List(ctx context.Context) ([]Claim, error)
	// Revoke ends the claim with this token; coordinator.ErrNotClaimed if it ended before.
	Revoke(ctx context.Context, ref string, token int64) (Claim, error)
}

// Config holds the parts of an engine.
type Config struct {
	Providers provider.Set
	Ledger    *ledger.Ledger
	Claims    Claims
	Owner     string           // the owner mark on resources that it creates; "": "ovi"
	Clock     func() time.Time // nil means time.Now
	// Secrets makes and compares the digests of secrets. Nil: secret attributes that contain
	// references are known after apply.
	Secrets resource.Digester
	// Reveal returns the secret of a digest in a configuration that was accepted earlier and cannot be read now. from
	// names the secret's source, such as "env:NAME". It may be nil.
	Reveal func(d resource.Digest, from string) (plain string, known bool)
	// ObserveParallel and ObserveTimeout limit observations. 0 means the observer's defaults.
	ObserveParallel int
	ObserveTimeout  time.Duration
	// Conceal returns an error of a provider without the credentials of the process. It may be nil.
	Conceal func(error) error
	// Loud keeps or shows the whole text of an error for the operator of this host alone. It is called for an action
	// whose request has a secret, and for the output of a program that has one. It may be nil.
	Loud func(ref resource.Ref, text string)
}

// Parts is a complete configuration.
type Parts struct {
	Config
	Observer observer.Observer
}

// New completes a configuration.
func New(cfg Config) *Parts {
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	if cfg.Owner == "" {
		cfg.Owner = "ovi"
	}
	if cfg.Conceal == nil {
		cfg.Conceal = func(err error) error { return err }
	}
	return &Parts{cfg, observer.Observer{
		Providers: cfg.Providers, Parallel: cfg.ObserveParallel, Timeout: cfg.ObserveTimeout, Conceal: cfg.Conceal,
	}}
}

// Quiet returns the error of an action on a resource without text of another system, if the request has a secret, and
// without the credentials of the process. It still wraps each decisive error that err wraps.
func (p *Parts) Quiet(err error, r *provider.Request, decisive ...error) error {
	if err == nil {
		return nil
	}
	err = p.Conceal(err)
	text, more := provider.Loud(err)
	if p.Loud != nil && (more || provider.Carries(r)) {
		ref := r.Desired.Ref
		if ref.IsZero() {
			ref = r.Have.Ref
		}
		p.Loud(ref, text)
	}
	return provider.Quiet(err, r, decisive...)
}

// HoldBoth calls do under the claims of two refs, with the claim of the first one. The claims are taken in the order of
// the refs, so that two callers with the same refs cannot deadlock.
func (p *Parts) HoldBoth(ctx context.Context, ref, other resource.Ref, do func(context.Context, Claim) error) error {
	outer, inner := ref, other
	if other.Compare(ref) < 0 {
		outer, inner = other, ref
	}
	return p.Claims.Hold(ctx, outer.String(), func(ctx context.Context, one Claim) error {
		return p.Claims.Hold(ctx, inner.String(), func(ctx context.Context, two Claim) error {
			if inner == ref {
				one = two
			}
			return do(ctx, one)
		})
	})
}

// Kind returns the kind of a ref; the zero kind if no provider has it.
func (p *Parts) Kind(ref resource.Ref) resource.Kind {
	k, _ := p.Providers.Kind(ref.Provider, ref.Kind)
	return k
}

// Now returns the time of the clock in the recorded form: in UTC and without a monotonic part.
func (p *Parts) Now() time.Time { return p.Clock().UTC().Round(0) }

// Elapsed returns the time since a start. It is never negative, though a clock may be set back.
func (p *Parts) Elapsed(start time.Time) time.Duration { return max(p.Clock().Sub(start), 0) }

// Because returns the reason of a health as an addition to a sentence; an empty one adds nothing.
func Because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}
