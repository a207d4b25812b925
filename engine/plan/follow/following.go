package follow

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/decider/rollout"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/resource/secrets"
)

// PolicyName is the name of the policy that blocks what a rollout has not reached.
const PolicyName = "rollout"

// Following lists the resources that do not follow the configuration that is loaded, with the reasons.
type Following struct {
	instead  map[resource.Ref]*resource.Desired // their last good configuration
	blockers map[resource.Ref]decider.Blocker   // of the configuration that is loaded
	Why      map[resource.Ref]decider.Follows
	back     map[resource.Ref]event.Exhausted
	Rollouts []Rollout
	Waves    []event.Wave // to be recorded
	Orders   []event.Ordered

	providers provider.Set
}

// decide notes what a resource follows. It fills the maps of Following and decides nothing else;
// the reasons come from rollout.Decide.
func (f *Following) decide(
	d *resource.Desired, x *rollout.Progressing, t rollout.Target, now *Rollout, good event.Applied, u rules.Update,
) {
	if t.Follow == rollout.New {
		return // what it used up is blocked by the limit of attempts
	}
	b, text := blockerOf(t, now, u, d.Ref, x)
	if t.Reason != rollout.Exhausted && t.Reason != rollout.Deferred { // those are blocked by the attempts
		f.blockers[d.Ref] = b
	}
	if t.Follow != rollout.LastGood {
		return
	}
	was, _ := returnTo(d, good)
	f.instead[d.Ref] = was
	if f.Why[d.Ref] = (decider.Follows{Why: text}); t.Reason != rollout.Exhausted {
		return
	}
	// A resource that still has its last good configuration is kept, and does not go back.
	f.Why[d.Ref] = decider.Follows{Back: x.Has != x.LastGood && x.Had != x.LastGood}
	f.back[d.Ref] = event.Exhausted{Ref: d.Ref, Desired: x.Desired, Back: x.LastGood}
}

// spent notes, for a resource that goes back, which attempts were used up.
func (f *Following) spent(ref resource.Ref, a decider.Attempts, allowed rules.Attempts) {
	x, back := f.back[ref]
	if !back {
		return
	}
	x.Attempts, x.Cause = Spent(a, allowed)
	f.back[ref] = x
	why := f.Why[ref]
	verb := "kept as"
	if why.Back {
		verb = "back to"
	}
	why.Why = fmt.Sprintf("%s %s: %s of %s failed",
		verb, resource.ShortDigest(x.Back), decider.NumberOf(a), resource.ShortDigest(x.Desired))
	f.Why[ref] = why
}

// Spent returns how many attempts were used up, and the cause of their failures.
func Spent(a decider.Attempts, allowed rules.Attempts) (n int, cause provider.Cause) {
	_, cause = a.UsedUp(allowed)
	if !provider.HandlingOf(cause).Counts {
		return a.Other, cause
	}
	return a.Made(), cause
}

// blockerOf returns the reason why a resource does not follow the new configuration, and a few words about
// the configuration that it has.
func blockerOf(
	t rollout.Target, now *Rollout, u rules.Update, ref resource.Ref, x *rollout.Progressing,
) (b decider.Blocker, text string) {
	name := "configuration " + resource.ShortDigest(x.Desired)
	if at := blockerAtGate(t, now, ref); at != nil {
		switch {
		case at.Until != nil:
			return *at, fmt.Sprintf("%s is deferred until %s by %s",
				name, at.Until.UTC().Format("2006-01-02 15:04 UTC"), at.Reason)
		case at.Awaits != "":
			return *at, name + " is deferred until " + at.Awaits
		}
		return *at, name + " is " + at.Reason
	}
	switch t.Reason {
	case rollout.Wave:
		b.Awaits = fmt.Sprintf("wave %d of %d", max(t.Wave, now.Reach+1), now.Of)
	case rollout.Budget:
		b.Awaits, b.Reason = "others are healthy", "max_unavailable is "+u.MaxUnavailable.String()
	case rollout.Halted:
		b.Reason = fmt.Sprintf("%s halted in wave %d of %d: %s", name, now.Reach, now.Of, now.Why)
		b.Suggestion = "change the configuration, or run `ovi retry` for each failed resource"
		return b, b.Reason
	case rollout.Sealed:
		b.Reason = fmt.Sprintf("its last good configuration %s has a secret that is not recorded",
			resource.ShortDigest(x.LastGood))
		b.Suggestion = "change the configuration, or run `ovi retry " + ref.Short() + "`"
		return b, b.Reason
	case rollout.Exhausted:
		return b, ""
	case rollout.Deferred:
		return b, name + " failed and is tried again later"
	}
	return b, name + " is deferred until " + b.Awaits
}

// Standing returns the configuration that was applied last, or the given one if that record is incomplete.
func Standing(d *resource.Desired, applied event.Applied) resource.Desired {
	if w, _ := returnTo(d, applied); w.Digest() == applied.Desired {
		return *w
	}
	return *d
}

// returnTo returns a last good configuration. It returns false if the resource cannot be created from its
// records: secrets are recorded as digests, and a resource that it referred to may be gone.
func returnTo(d *resource.Desired, good event.Applied) (*resource.Desired, bool) {
	w := *d
	w.Attrs, w.Tags, w.State = good.Attrs, good.Tags, good.State
	if w.Digest() != good.Desired { // it was blessed, or not, since
		w.Blessed = !w.Blessed
		if w.Digest() != good.Desired {
			return &w, false
		}
	}
	return &w, !resource.HasReferences(w.Attrs) && !secrets.Missing(w.Attrs)
}

// Intents are the configurations that are followed. Only the resources that follow another
// configuration are copied.
func (f *Following) Intents(loaded []resource.Intent) []resource.Intent {
	out := slices.Clone(loaded)
	for i := range out {
		out[i].Resources = slices.Clone(out[i].Resources)
		for k := range out[i].Resources {
			if w := f.instead[out[i].Resources[k].Ref]; w != nil {
				was := out[i].Resources[k].Was
				out[i].Resources[k] = *w
				out[i].Resources[k].Was = was // a former name is of the name, not of the configuration
			}
		}
	}
	return out
}

// Behind reports whether a resource follows another configuration than the one that is loaded.
func (f *Following) Behind() bool { return len(f.instead) > 0 }

// Back returns the configuration whose attempts a resource used up, and that it returns from.
func (f *Following) Back(ref resource.Ref) (event.Exhausted, bool) {
	x, is := f.back[ref]
	return x, is
}

// Merge adds the resources that wait for their turn or are not tried again to the differences from
// the followed configurations. Each has its difference from the loaded configuration, which is
// blocked. It changes the followed result and returns it.
func (f *Following) Merge(loaded, followed comparator.Result) comparator.Result {
	differs := map[resource.Ref]bool{}
	for i := range followed.Differences {
		differs[followed.Differences[i].Ref] = true
	}
	for ref := range f.instead {
		if differs[ref] {
			delete(f.blockers, ref) // it is brought back to what it had
		}
	}
	maps.DeleteFunc(f.Why, func(ref resource.Ref, _ decider.Follows) bool { return !differs[ref] })
	for i := range loaded.Differences {
		if d := loaded.Differences[i]; f.instead[d.Ref] != nil && !differs[d.Ref] {
			followed.Differences = append(followed.Differences, d)
			// It equals the followed configuration, so it was counted as unchanged.
			followed.Unchanged--
		}
	}
	return followed
}

// Name implements decider.Policy.
func (*Following) Name() string { return PolicyName }

// Review implements decider.Policy.
func (f *Following) Review(p decider.Plan, _ decider.Facts) (map[int]decider.Blocker, error) {
	out := map[int]decider.Blocker{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if b, is := f.blockers[d.Ref]; is {
			out[i] = b
		} else if d.Proposed == decider.Delete && d.Desired == nil {
			if b, is := f.deletes(d.Ref); is {
				out[i] = b
			}
		}
	}
	return out, nil
}
