package decider

import (
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/resource"
)

// Proof blocks every action on a resource without a binding, and every destroying action unless
// the audit log proves the binding now. It enforces law 10.
type Proof struct{}

// Name implements Policy.
func (Proof) Name() string { return "proof" }

// Review implements Policy.
func (Proof) Review(p Plan, f Facts) (map[int]Blocker, error) {
	out := map[int]Blocker{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if d.Observed == nil || !d.Proposed.Executes() {
			continue
		}
		if err := unproven(d, f); err != nil {
			out[i] = Blocker{Reason: err.Error(), Suggestion: proofSuggestion(d, err)}
		}
	}
	return out, nil
}

// unproven returns why an action lacks the proof that it needs.
func unproven(d *Decision, f Facts) error {
	switch {
	case !d.Observed.Managed():
		return fmt.Errorf("no record proves that ovi created or adopted %s", d.Observed.ID)
	case !d.Proposed.Destroys():
		return nil
	case d.Observed.Condition == resource.Unreadable:
		return fmt.Errorf("%s could not be read, so nothing proves that it is the recorded one: %s", d.Observed.ID,
			d.Observed.Message)
	case f.Origin == nil:
		return fmt.Errorf("the audit log cannot be read, so nothing proves that ovi created or adopted %s", d.Observed.ID)
	}
	_, err := f.Origin(d.Observed)
	return err
}

// proofSuggestion is the suggestion of the error, if it has one.
func proofSuggestion(d *Decision, err error) string {
	var s interface{ Suggestion() string }
	if errors.As(err, &s) && s.Suggestion() != "" {
		return s.Suggestion()
	}
	return fmt.Sprintf("run `ovi adopt %s --id %s` if it is yours", d.Ref.Short(), d.Observed.ID)
}

// originate sets the Origin of the destroying decisions.
func originate(all []Decision, f Facts) {
	if f.Origin == nil {
		return
	}
	for i := range all {
		d := &all[i]
		if d.Observed == nil || !d.Proposed.Destroys() || d.Observed.Ownership != resource.Proven {
			continue
		}
		if o, err := f.Origin(d.Observed); err == nil {
			d.Origin = &o
		}
	}
}
