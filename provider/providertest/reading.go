package providertest

import (
	"slices"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// aFailedListCostsItsKind, and no other: nothing of it is missing, and what is listed of the
// others is all there is of them.
func aFailedListCostsItsKind(r *rig) {
	r.need(r.FailKind != nil, "FailKind")
	created := r.createAll()
	for _, k := range r.Provider.Kinds() {
		restore := r.FailKind(r.test, k.Name)
		if restore == nil {
			continue
		}
		snap, err := r.Provider.Observe(r.context(), provider.ObserveRequest{Scope: r.Scope})
		restore()
		if err != nil {
			if len(snap.Resources) > 0 {
				r.t.Errorf("observe returns an error and %d resources", len(snap.Resources))
			}
			continue
		}
		if snap.Covers(k.Name) == nil {
			r.t.Errorf("the list of %s failed, and %d resources are given as all", k.Name, len(snap.Resources))
		}
		for _, o := range created {
			if _, listed := among(snap.Resources, o.Ref.Kind, o.ID); !listed && snap.Covers(o.Ref.Kind) == nil {
				r.t.Errorf("the list of %s failed, and %s %s is missing", k.Name, o.Ref.Kind, o.ID)
			}
		}
	}
	if snap := r.observe(); len(snap.Unreachable) > 0 {
		r.t.Errorf("restored, it still fails: %v", snap.Unreachable)
	}
}

// onlyWhatWasAskedForIsCovered: a kind that was not asked for is either read in full, or not
// covered.
func onlyWhatWasAskedForIsCovered(r *rig) {
	created := r.createAll()
	for _, k := range r.Provider.Kinds() {
		snap := r.observeOf(provider.ObserveRequest{Scope: r.Scope, Kinds: []string{k.Name}})
		if err := snap.Covers(k.Name); err != nil {
			r.t.Errorf("asked for %s, and it is not covered: %v", k.Name, err)
		}
		for _, o := range created {
			if _, listed := among(snap.Resources, o.Ref.Kind, o.ID); !listed && snap.Covers(o.Ref.Kind) == nil {
				r.t.Errorf("asked for %s: %s %s is missing, and its kind is covered", k.Name, o.Ref.Kind, o.ID)
			}
		}
	}
	snap := r.observe()
	for _, k := range r.Provider.Kinds() {
		if err := snap.Covers(k.Name); err != nil {
			r.t.Errorf("asked for all, and %s is not covered: %v", k.Name, err)
		}
	}
}

// knownIDsAreFound although lists do not show them yet.
func knownIDsAreFound(r *rig) {
	r.need(r.Lag != nil, "Lag")
	restore := r.Lag(r.test)
	defer restore()
	for i, o := range r.createAll() {
		ref := r.Samples[i].Desired.Ref
		snap := r.observeOf(provider.ObserveRequest{Scope: r.Scope, Known: []provider.Known{{Kind: ref.Kind, ID: o.ID}}})
		if _, found := among(snap.Resources, ref.Kind, o.ID); !found {
			r.t.Errorf("asked for %s by its id %s, observe does not find it", ref, o.ID)
		}
	}
}

// aFilterHidesNothingOfOvi: what has marks is listed, and what is on record also without them.
func aFilterHidesNothingOfOvi(r *rig) {
	created := r.createAll()
	look := func(f *provider.Filter, about string) {
		snap := r.observeOf(provider.ObserveRequest{Scope: r.Scope, Filter: f})
		if len(snap.Filtered) > 0 && snap.Complete == nil {
			r.t.Errorf("%v are filtered, and all kinds are given as complete", snap.Filtered)
		}
		for _, k := range snap.Filtered {
			if err := snap.Covers(k); err != nil {
				r.t.Errorf("%s is filtered, and not covered: %v", k, err)
			}
		}
		for _, o := range created {
			if _, listed := among(snap.Resources, o.Ref.Kind, o.ID); !listed && snap.Covers(o.Ref.Kind) == nil {
				r.t.Errorf("a filter hides %s %s, %s", o.Ref.Kind, o.ID, about)
			}
		}
	}
	recorded := &provider.Filter{IDs: map[string][]string{}}
	for _, o := range created {
		recorded.IDs[o.Ref.Kind] = append(recorded.IDs[o.Ref.Kind], o.ID)
	}
	created = slices.DeleteFunc(created, func(o resource.Observed) bool { return o.Marks.IsZero() })
	look(&provider.Filter{}, "which has marks")
	if r.Strip == nil {
		return
	}
	for _, o := range created {
		r.Strip(r.test, o)
	}
	look(recorded, "which is recorded")
}

// whatIsCreatedAgainHasAnotherUID: an id that is used again must not pass for the resource
// that had it before.
func whatIsCreatedAgainHasAnotherUID(r *rig) {
	r.need(r.Recreate != nil, "Recreate")
	created := r.createAll()
	for i := len(created) - 1; i >= 0; i-- {
		before := created[i]
		r.Recreate(r.test, before)
		after, same := r.byID(before.Ref.Kind, before.ID)
		if !same {
			continue // it has another id
		}
		if r.kind(before.Ref.Kind).ReusedIDs {
			if after.Marks.Key == before.Marks.Key {
				r.t.Errorf("%s %s was created again, and carries the key of the one before", before.Ref.Kind, before.ID)
			}
			continue
		}
		if before.UID == "" || after.UID == "" || after.UID == before.UID {
			r.t.Errorf("%s %s was created again; its UID was %q and is %q", before.Ref.Kind, before.ID, before.UID, after.UID)
		}
	}
}
