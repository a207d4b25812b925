package apply

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/provider"
)

// check asks the provider, under the claim and before destroy-first deletes a resource, whether the
// new one can be created.
func (a *apply) check(ctx context.Context, d *decider.Decision, phase decider.Phase, r *provider.Request) error {
	if phase != decider.DeletePhase || d.Action != decider.Replace || d.Desired == nil {
		return nil
	}
	return a.ask(ctx, d, *r)
}

// ask calls the provider's check, if it has one, with the references that are known now.
func (a *apply) ask(ctx context.Context, d *decider.Decision, r provider.Request) (err error) {
	c, ok := a.engine.Providers[d.Ref.Provider].(provider.Checker)
	if !ok || d.Desired == nil {
		return nil
	}
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("check: the provider panicked: %v", x)
		}
	}()
	r.Desired = *d.Desired
	k := a.engine.Kind(d.Ref)
	r.Desired.Attrs = k.Resolve(d.Desired.Attrs, a.resolver(ctx, d.Ref, nil))
	err = c.Check(ctx, r)
	if provider.Recoverable(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the check could not be completed: %w", err)
	}
	return redact(err, r.Desired.Attrs)
}

// refusal is the error of a check without the word that introduces it everywhere.
func refusal(err error) string { return strings.TrimPrefix(err.Error(), "check: ") }
