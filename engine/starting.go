package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// startPause is how long what starts is left alone before it is read again.
const startPause = 500 * time.Millisecond

// Starting limits how long a plan waits for resources that start, where it needs more of them than that they
// exist: what is inside them, or values that others refer to. The zero value does not wait.
type Starting struct {
	For time.Duration
	// Tell is called for each resource before the plan waits for it.
	Tell func(o resource.Observed)
}

// needed are the natural refs of configured resources that others need running: they have a value that others
// refer to, or what is inside them is to be read.
func (p *Planned) needed(inside []provider.ObserveRequest) map[resource.Ref]bool {
	out := map[resource.Ref]bool{}
	for _, r := range inside {
		if parent, is := p.insides[r.Scope]; is {
			out[parent.Bare()] = true
		}
	}
	for i := range p.Intents {
		for k := range p.Intents[i].Resources {
			for r := range resource.References(p.Intents[i].Resources[k].Attrs) {
				if r.Path != "" {
					out[r.Ref.Bare()] = true
				}
			}
		}
	}
	return out
}

// awaitStarting reads scopes again as long as needed resources start in them, and changes the answers.
func (e *Engine) awaitStarting(ctx context.Context, p *Planned, requests, inside []provider.ObserveRequest, answers resource.LiveState) {
	if p.starting.For <= 0 {
		return
	}
	needed := p.needed(inside)
	told := map[resource.Ref]bool{}
	for late := time.After(p.starting.For); ; {
		again := slices.DeleteFunc(slices.Clone(requests), func(r provider.ObserveRequest) bool {
			starts := false
			for _, o := range answers.Scopes[r.Scope].Resources {
				if o.Health != resource.Pending || !needed[o.Ref.Bare()] || e.isAsync(o.Ref) {
					continue
				}
				starts = true
				if !told[o.Ref] && p.starting.Tell != nil {
					p.starting.Tell(o)
				}
				told[o.Ref] = true
			}
			return !starts
		})
		if len(again) == 0 {
			return
		}
		select {
		case <-time.After(startPause):
		case <-late:
			return
		case <-ctx.Done():
			return
		}
		now := e.observer.Observe(ctx, again)
		for s, err := range now.Unreachable {
			delete(answers.Scopes, s)
			answers.Unreachable[s] = err
		}
		maps.Copy(answers.Scopes, now.Scopes)
	}
}

// isAsync reports whether an action on a resource ends by an observation: what is pending is in progress.
func (e *Engine) isAsync(ref resource.Ref) bool {
	k, _ := e.cfg.Providers.Kind(ref.Provider, ref.Kind)
	return k.Async
}

// startsError is that a reference has no value because what it refers to starts.
type startsError struct {
	to resource.Reference
	on resource.Observed
}

func (x *startsError) Error() string {
	return fmt.Sprintf("it refers to %s of %s, which is %s%s; run it again once that is healthy", x.to.Path, x.to.Ref.Short(), x.on.Health, because(x.on.Message))
}

// because is a reason after a health, if there is one.
func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

// noValue is the error of a reference without a value.
func (a *apply) noValue(ref resource.Ref, to resource.Reference) error {
	if o, exists := a.known(to.Ref); exists && o.Health == resource.Pending {
		return &startsError{to, o}
	}
	return fmt.Errorf("%s refers to %s, which has no value: it neither existed nor was created", ref, to)
}

// notStartable is the outcome of an action whose request could not be made: it waits for what starts, was not
// proven, or failed.
func notStartable(out Outcome, err error) Outcome {
	out.Err, out.Detail = err, err.Error()
	var unproven *unprovenError
	var starts *startsError
	switch {
	case errors.As(err, &unproven):
		out.Status = Stale
	case errors.As(err, &starts):
		out.Status, out.On = WaitingFor, starts.to.Ref
	}
	return out
}
