package plan

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// startPause is the pause before a starting resource is read again.
const startPause = 500 * time.Millisecond

// needed returns the natural refs of configured resources that others need running: they have a value that
// others refer to, or the plan must read the locations inside them.
func (p *Planning) needed(inside []provider.ObserveRequest) map[resource.Ref]bool {
	out := map[resource.Ref]bool{}
	for _, r := range inside {
		if parent, is := p.places.Insides[r.Scope]; is {
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
func (e *Planner) awaitStarting(
	ctx context.Context, p *Planning, requests, inside []provider.ObserveRequest, answers resource.LiveState,
) {
	if p.o.Starting.For <= 0 {
		return
	}
	needed := p.needed(inside)
	told := map[resource.Ref]bool{}
	for late := time.After(p.o.Starting.For); ; {
		again := slices.DeleteFunc(slices.Clone(requests), func(r provider.ObserveRequest) bool {
			starts := false
			for _, o := range answers.Scopes[r.Scope].Resources {
				if o.Health != resource.Pending || !needed[o.Ref.Bare()] || e.Kind(o.Ref).Async {
					continue
				}
				starts = true
				if !told[o.Ref] && p.o.Starting.Tell != nil {
					p.o.Starting.Tell(o)
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
		now := e.Observer.Observe(ctx, again)
		for s, err := range now.Unreachable {
			delete(answers.Scopes, s)
			answers.Unreachable[s] = err
		}
		maps.Copy(answers.Scopes, now.Scopes)
	}
}
