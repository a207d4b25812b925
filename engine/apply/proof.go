package apply

import (
	"context"
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

// unprovenError is the error for a resource that was proven when the plan was made.
type unprovenError struct {
	ref resource.Ref
	id  string
	why error
}

func (e *unprovenError) Error() string {
	return fmt.Sprintf("it is not proven any more that ovi created or adopted %s: %v: run `ovi plan`, or `ovi adopt %s/%s --id %s` if it is yours",
		e.id, e.why, e.ref.Kind, e.ref.Name, e.id)
}

func (e *unprovenError) Unwrap() error { return e.why }

// prove checks, under the claim, that a resource which is about to be deleted or set aside is still
// proven: an operator may have forgotten or moved it since the plan.
func (a *apply) prove(ctx context.Context, ref resource.Ref, id string) error {
	_, err := a.engine.Ledger.Proof(ctx, ref, id)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ledger.ErrUnproven):
		return &unprovenError{ref, id, err}
	}
	return a.readFailed(ctx, err)
}
