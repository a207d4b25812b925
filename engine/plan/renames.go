package plan

import (
	"maps"
	"slices"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// formerly reports, for the comparator, whether the record had a resource under a name, which is no longer bound to it.
func formerly(all []resource.Binding) func(resource.Ref) bool {
	ended := map[resource.Ref]bool{}
	for i := range all {
		if b := &all[i]; !b.Live() {
			ended[b.Ref] = true
		}
	}
	return func(r resource.Ref) bool { return ended[r] }
}

// under returns the memory with the record of each renamed resource under its new name.
func (m *memory) under(renames []comparator.Rename) *memory {
	if len(renames) == 0 {
		return m
	}
	was, gone := map[resource.Ref]resource.Ref{}, map[resource.Ref]bool{}
	for _, r := range renames {
		was[r.To], gone[r.From] = r.From, true
	}
	recorded := func(ref resource.Ref) (resource.Ref, bool) {
		if old, is := was[ref]; is {
			return old, true
		}
		return ref, !gone[ref]
	}
	out := *m
	out.applied = func(ref resource.Ref) (event.Applied, bool) {
		if ref, is := recorded(ref); is {
			return m.applied(ref)
		}
		return event.Applied{}, false
	}
	out.origin = func(o *resource.Observed) (decider.Origin, error) {
		under := *o
		under.Ref, _ = recorded(o.Ref)
		return m.origin(&under)
	}
	out.past = func(ref resource.Ref) []decider.Past {
		if ref, is := recorded(ref); is {
			return m.past(ref)
		}
		return nil
	}
	out.blessed, out.tries = rekeyed(m.blessed, renames), rekeyed(m.tries, renames)
	out.down, out.restarts = rekeyed(m.down, renames), rekeyed(m.restarts, renames)
	out.fights, out.names.Outages = rekeyed(m.fights, renames), rekeyed(m.names.Outages, renames)
	if m.rollouts != nil {
		out.rollouts = m.rollouts.Under(renames)
	}
	return &out
}

// rekeyed moves the entries of renamed resources to their new names.
func rekeyed[V any](all map[resource.Ref]V, renames []comparator.Rename) map[resource.Ref]V {
	out := maps.Clone(all)
	for _, r := range renames {
		delete(out, r.From)
		delete(out, r.To)
	}
	for _, r := range renames {
		if v, is := all[r.From]; is {
			out[r.To] = v
		}
	}
	return out
}

// bindNames sets the new names of renamed resources in the live state and the bindings of the plan. It changes copies:
// both may be shared.
func (p *Planning) bindNames(live resource.LiveState, bindings []resource.Binding, renames []comparator.Rename) {
	p.Live, p.Bindings = live, bindings
	if len(renames) == 0 {
		return
	}
	to := map[boundAs]resource.Ref{}
	for _, r := range renames {
		to[boundAs{r.From, r.ID}] = r.To
	}
	p.Live.Scopes = maps.Clone(live.Scopes)
	var arrived []resource.Observed
	for s, snapshot := range p.Live.Scopes {
		if !slices.ContainsFunc(renames, func(r comparator.Rename) bool { return r.From.Scope() == s }) {
			continue
		}
		var stay []resource.Observed
		for _, o := range snapshot.Resources {
			if now, is := to[boundAs{o.Ref, o.ID}]; is && o.Managed() {
				o.Rename(now)
			}
			if o.Ref.Scope() != s {
				arrived = append(arrived, o)
			} else {
				stay = append(stay, o)
			}
		}
		snapshot.Resources = stay
		p.Live.Scopes[s] = snapshot
	}
	for _, r := range renames {
		s := r.To.Scope()
		snapshot := p.Live.Scopes[s]
		all := slices.Clone(snapshot.Resources)
		for _, o := range arrived {
			if o.Ref == r.To {
				all = append(all, o)
			}
		}
		slices.SortStableFunc(all, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
		snapshot.Resources = all
		p.Live.Scopes[s] = snapshot
	}
	p.Bindings = slices.Clone(bindings)
	for i := range p.Bindings {
		if b := &p.Bindings[i]; b.Live() {
			if now, is := to[boundAs{b.Ref, b.ID}]; is {
				b.Ref = now
			}
		}
	}
}

// boundAs is a resource under its recorded name.
type boundAs struct {
	ref resource.Ref
	id  string
}
