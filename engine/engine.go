// Package engine plans and applies: observe, record, compare, decide, claim, execute, record.
//
// Plan returns a value before anything happens; Apply performs it. Every action is recorded before
// it starts. A failure affects only what depends on it. An action without a recorded result is
// recovered by an observation before anything new is decided for its resource.
//
// The engine knows no provider and no source by name, prints nothing and keeps no state of its
// own: the caller passes everything in, and the ledger keeps it.
//
// Its parts are packages below it: recovery turns observations into recorded live state, plan makes plans
// of it, apply performs them, and operate does what operators ask for explicitly.
package engine

import (
	"context"
	"io"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/apply"
	"github.com/ovi-project/ovi/engine/operate"
	"github.com/ovi-project/ovi/engine/parts"
	"github.com/ovi-project/ovi/engine/plan"
	"github.com/ovi-project/ovi/engine/plan/locate"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/storage"
)

// Engine plans and applies. It may be used from many goroutines.
type Engine struct {
	*operate.Operator // adopt, forget, move, bless, approve, retry, lock
	plan              *plan.Planner
}

// New makes an engine.
func New(cfg Config) *Engine {
	p := plan.New(parts.New(cfg))
	return &Engine{operate.New(p), p}
}

// Ledger returns the ledger that the engine writes.
func (e *Engine) Ledger() *ledger.Ledger { return e.plan.Ledger }

// Claims returns the claims that the engine acts under.
func (e *Engine) Claims() Claims { return e.plan.Claims }

// Clock returns the time by the engine's clock.
func (e *Engine) Clock() time.Time { return e.plan.Clock() }

// Plan observes every scope of the intents and every scope in which their stacks have recorded resources,
// and decides which actions are needed. It calls a provider's Locate, Observe and, with Check, Check; it
// also releases the claims of crashed processes and records the observations and the plan. A scope that
// could not be read is in the plan's Unreachable, not an error.
func (e *Engine) Plan(ctx context.Context, intents []resource.Intent, o PlanOptions) (*Planned, error) {
	p, err := e.phases(ctx, intents, o)
	if err != nil && o.At == storage.Now {
		e.plan.Failed(ctx, locate.StacksOf(intents), err)
	}
	return p, err
}

// phases makes a plan: the phases in their order.
func (e *Engine) phases(ctx context.Context, intents []resource.Intent, o PlanOptions) (*Planned, error) {
	p, err := e.plan.Begin(ctx, intents, o)
	if err != nil {
		return nil, err
	}
	if err := p.ObserveLive(ctx); err != nil {
		return nil, err
	}
	if err := p.Remember(ctx); err != nil {
		return nil, err
	}
	if err := p.Decide(ctx); err != nil {
		return nil, err
	}
	if p.Past {
		return p.Planned, nil
	}
	if o.Check {
		apply.Check(ctx, e.plan.Recovery, p.Planned)
	}
	return p.Finish(ctx)
}

// Apply performs the plan. An error means that the whole apply stopped, because the ledger cannot
// be written; failures of single actions are in the result, which is never nil.
func (e *Engine) Apply(ctx context.Context, p *Planned, o ApplyOptions) (*Result, error) {
	return apply.Perform(ctx, e.plan.Recovery, p, o)
}

// Refresh makes a loaded plan ready to apply: it makes a new plan of the same configurations and allows
// only the actions of the loaded plan. Actions that are done already are in Already. A decision whose
// resource or configuration changed since is blocked as "stale", a decision that is not in the loaded plan
// as "not_in_plan".
func (e *Engine) Refresh(
	ctx context.Context, saved *Planned, intents []resource.Intent, o PlanOptions,
) (*Planned, error) {
	only, o := e.plan.Again(saved, o)
	p, err := e.Plan(ctx, intents, o)
	if err != nil {
		return nil, err
	}
	only.AddRest(p)
	return p, nil
}

// Load reads a plan file. The plan can be shown; Refresh makes it ready to apply.
func Load(r io.Reader) (*Planned, error) { return plan.Load(r) }

// Inventory reads all kinds of every recorded location and every location of the intents, unless they were
// read in full within maxAge, and records the result. Unreachable and UnreachableKinds of the plan have the
// locations and kinds that could not be read. The plan has no decisions.
func (e *Engine) Inventory(ctx context.Context, intents []resource.Intent, maxAge time.Duration) (*Planned, error) {
	return e.plan.Inventory(ctx, intents, maxAge)
}

// KindsOf lists the names of the kinds of a provider, sorted.
func (e *Engine) KindsOf(provider string) []string { return e.plan.Providers.Names(provider) }

// Kind returns the kind of a resource; false if no provider has it.
func (e *Engine) Kind(ref resource.Ref) (resource.Kind, bool) {
	return e.plan.Providers.Kind(ref.Provider, ref.Kind)
}

// Observing reads the records that must precede the observations.
func (e *Engine) Observing(ctx context.Context) *Observing { return e.plan.Observing(ctx) }

// ReleaseDead revokes the claims of crashed processes on this data directory. It returns no error:
// the next cycle retries it, and reports a failure.
func (e *Engine) ReleaseDead(ctx context.Context) { e.plan.ReleaseDead(ctx) }

// LoadFailed records that a stack's source could not be loaded.
func (e *Engine) LoadFailed(ctx context.Context, stack string, err error) {
	e.plan.LoadFailed(ctx, stack, err)
}

// Guards compiles the configured policies: the windows, rules and approvals of each intent, and those for
// every stack. GlobalGuards compiles the latter alone. See plan.Guards.
func Guards(intents []resource.Intent, everywhere rules.Rules) ([]decider.Policy, error) {
	return plan.Guards(intents, everywhere)
}

// GlobalGuards compiles the policies for every stack.
func GlobalGuards(r rules.Rules) ([]decider.Policy, error) { return plan.GlobalGuards(r) }
