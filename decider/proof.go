package decider

import (
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
		if why := unprovenReason(d, f); why != "" {
			out[i] = Blocker{Reason: why, Suggestion: fmt.Sprintf("run `ovi adopt %s --id %s` if it is yours", short(d.Ref), d.Observed.ID)}
		}
	}
	return out, nil
}

func unprovenReason(d *Decision, f Facts) string {
	switch {
	case !d.Observed.Managed():
		return fmt.Sprintf("no record proves that ovi created or adopted %s", d.Observed.ID)
	case !d.Proposed.Destroys():
		return ""
	case f.Origin == nil:
		return "the audit log cannot be read, so nothing proves that ovi created or adopted " + d.Observed.ID
	}
	if _, err := f.Origin(d.Observed); err != nil {
		return err.Error()
	}
	return ""
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
