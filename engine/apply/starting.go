package apply

import (
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/engine/parts"
	"github.com/ovi-project/ovi/resource"
)

// startsError is that a reference has no value because what it refers to starts.
type startsError struct {
	to resource.Reference
	on resource.Observed
}

func (x *startsError) Error() string {
	return fmt.Sprintf("it refers to %s of %s, which is %s%s; run it again once that is healthy", x.to.Path, x.to.Ref.Short(), x.on.Health, parts.Because(x.on.Message))
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
