package engine

import (
	"context"
	"errors"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

var errUnfinished = errors.New("unfinished")

// Engine plans and applies. It may be used from many goroutines.
type Engine struct{ cfg Config }

// New makes an engine.
func New(cfg Config) *Engine { return &Engine{cfg} }

// Plan looks at every scope the intents speak of or the record knows their stacks in, and
// decides what would have to be done. It calls nothing but Observe. Scopes that could not be
// seen are in the plan's Blind, not an error.
func (e *Engine) Plan(ctx context.Context, intents []resource.Intent, o PlanOptions) (*Planned, error) {
	return nil, errUnfinished
}

// Apply does the plan. The error is for what stopped the whole apply (a record that can't be
// written); what went wrong with single things is in the result, which is never nil.
func (e *Engine) Apply(ctx context.Context, p *Planned, o ApplyOptions) (*Result, error) {
	return &Result{}, errUnfinished
}

// Refresh makes a loaded plan ready to apply: it plans anew from the same wishes, and keeps of
// the loaded plan what still holds. A thing of it that changed since is vetoed as "stale".
func (e *Engine) Refresh(ctx context.Context, saved *Planned, intents []resource.Intent, o PlanOptions) (*Planned, error) {
	return nil, errUnfinished
}

// Act is an explicit human act on one thing.
type Act struct {
	Who    string
	Reason string
}

// Adopt puts ovi's marks on a thing that exists and is wanted by an intent, but carries none.
func (e *Engine) Adopt(ctx context.Context, intents []resource.Intent, ref resource.Ref, a Act) (resource.Observed, error) {
	return resource.Observed{}, errUnfinished
}

// Bless protects a thing, on record and by a tag where it exists; Unbless takes that away.
func (e *Engine) Bless(ctx context.Context, ref resource.Ref, a Act) error { return errUnfinished }

// Unbless takes the protection away.
func (e *Engine) Unbless(ctx context.Context, ref resource.Ref, a Act) error { return errUnfinished }

// Settle observes the scopes of open actions and answers them. Plan does so by itself.
func (e *Engine) Settle(ctx context.Context) ([]ledger.Abandoned, error) { return nil, errUnfinished }
