package comparator

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// renaming holds the renames that were found. Identities can depend on references, so each round of renames can
// make more of them known.
type renaming struct {
	from    map[resource.Ref]resource.Ref // by the new name
	refused map[resource.Ref]error        // new and old names of resources that are neither renamed nor changed
	order   []Rename
	more    bool // the last round found one
	said    declarations
	handed  []handed                      // resources that other stacks take
	waiting map[resource.Ref]resource.Ref // new names in other stacks, which do not configure them yet
}

// leftover is a proven resource whose name is no longer configured, or is configured with another identity.
type leftover struct {
	*resource.Observed
	configured bool // its name is configured, with another identity
	heirs      []*resource.Desired
	declared   bool // heirs name it
}

// renames finds the resources that are missing under one name and left under another. Declared names come first, then
// equal identities; similar resources are never paired. The comparison has the walk with the renames so far.
func renames(c *comparison, names renaming) renaming {
	r := renaming{
		from: maps.Clone(names.from), order: names.order, refused: map[resource.Ref]error{}, said: names.said,
		handed: names.handed,
	}
	m := matching{comparison: c, said: &r.said, byRef: map[resource.Ref]*leftover{}, refused: r.refused}
	missing := m.unpaired()
	if len(m.declared()) == 0 && len(m.said.loose) == 0 && !m.removes &&
		(c.in.Others == nil || len(missing)+len(m.left) == 0) &&
		(len(missing) == 0 || len(m.left) == 0 && c.in.MovedAway == nil) &&
		(len(m.left) == 0 || c.in.Arrived == nil) {
		return r
	}
	for _, o := range m.left {
		m.byRef[o.Ref] = o
	}
	unknown := m.declare(missing)
	m.receive(missing)
	m.identify(missing)
	m.refuseUnknown(unknown)
	m.refuseExisting()
	m.refuseAgain(missing)
	m.refuseSeveral()
	m.refuseRemovals()
	m.refuseLoose(missing)
	m.refuseMoved(missing)
	m.refuseArrived()
	m.handOver(&r)
	for _, o := range m.left {
		if m.accepts(o) {
			if r.from == nil {
				r.from = map[resource.Ref]resource.Ref{}
			}
			to := o.heirs[0].Ref
			r.from[to], r.more = o.Ref, true
			r.order = append(r.order, Rename{From: o.Ref, To: to, ID: o.ID, Declared: o.declared})
		}
	}
	return r
}

// unpaired lists the missing resources, and notes the resources that may have had another name.
func (m *matching) unpaired() (missing []*resource.Desired) {
	for i := range m.out {
		if m.out[i].Type == Missing || m.hasOtherStack(&m.out[i]) {
			missing = append(missing, m.out[i].Desired)
		}
	}
	for i := range m.out {
		d := &m.out[i]
		switch {
		case d.Type == Unwanted && d.New == nil && !d.Forget:
			m.left = append(m.left, &leftover{Observed: d.Observed})
		case len(missing) > 0 && d.Type == Drifted && d.Replacing == nil && m.isAnother(d):
			m.left = append(m.left, &leftover{Observed: d.Observed, configured: true})
		}
	}
	return missing
}

// isAnother reports whether a name is now configured with another identity. Both identities are taken under the
// natural name, so that a resource which kept its own name through a rename is still the same.
func (m *matching) isAnother(d *Difference) bool {
	k := m.kind(d.Desired)
	if k == nil || k.Holds == nil || k.Renames {
		return false
	}
	have := identities(k.HeldBy(d.Observed))
	want := identities(k.HeldAs(d.Observed.NaturalRef(), resolved(m.comparison, &k.Kind, d.Desired), d.Desired.State))
	return len(have) > 0 && !equalHolds(have, want)
}

// matching pairs missing resources with leftovers.
type matching struct {
	*comparison
	said    *declarations
	left    []*leftover
	byRef   map[resource.Ref]*leftover
	refused map[resource.Ref]error
	busy    map[resource.Ref]bool // declared names, and those in a conflict: identity does not pair them
}

// declare pairs the resources whose configuration names their former name. It returns those whose former name does
// not exist.
func (m *matching) declare(missing []*resource.Desired) (unknown []*resource.Desired) {
	m.busy = map[resource.Ref]bool{}
	for _, w := range missing {
		was, is := m.said.was[w.Ref]
		if !is || m.isDone(w) {
			continue
		}
		m.busy[w.Ref] = true
		o := m.claimed(was)
		if o == nil {
			o = m.given(was, m.namesOf(w.Ref))
		}
		if o == nil {
			o = m.received(w)
		}
		if o != nil && m.canBecome(o, w) {
			o.heirs, o.declared = append(o.heirs, w), true
		} else if e := m.undone(w); e != nil {
			m.refuse(e)
		} else {
			unknown = append(unknown, w)
		}
	}
	return unknown
}

// claimed returns the leftover with a former name. A resource whose own block has an undone former name is one: the
// block means the resource that has that name now.
func (m *matching) claimed(was resource.Ref) *leftover {
	if o, known := m.byRef[was]; known {
		return o
	}
	m.byRef[was] = nil // names that lead back to it are an exchange, which `was` does not declare
	for _, w := range m.declared() {
		if w.Ref != was || m.claimed(m.said.was[w.Ref]) == nil {
			continue
		}
		if have, n := proven(m.group(was)); n == 1 && have.Condition != resource.Unreadable {
			o := &leftover{Observed: have, configured: true}
			m.left, m.byRef[was] = append(m.left, o), o
			return o
		}
	}
	return nil
}

// refuseExisting refuses declared renames to names that another resource has.
func (m *matching) refuseExisting() {
	for _, w := range m.declared() {
		was := m.said.was[w.Ref]
		o := m.byRef[was]
		_, n := proven(m.group(w.Ref))
		_, former := proven(m.group(was))
		if n == 0 || former == 0 || o != nil && len(o.heirs) > 0 || m.byRef[w.Ref] != nil {
			continue
		}
		if m.said.was[was] == w.Ref {
			m.refuse(&RenameError{
				New: []resource.Ref{w.Ref, was}, Old: []resource.Ref{was, w.Ref},
				Advice: fmt.Sprintf("run `ovi move --exchange %s %s`", w.Ref.Short(), was.Short()),
				Why:    fmt.Sprintf("%s and %s are each other's former name", w.Ref.Short(), shortIn(w.Ref.Stack, was)),
			})
			continue
		}
		m.refuse(&RenameError{
			New: []resource.Ref{w.Ref}, Old: []resource.Ref{was},
			Advice: "remove " + m.said.declaredBy(w) + ", or use another name",
			Why: fmt.Sprintf("%s is the former name of %s, and another resource has the new name",
				shortIn(w.Ref.Stack, was), w.Ref.Short()),
		})
	}
}

// refuseUnknown refuses declared renames from unknown names while a resource of their kind is left, which may be the
// one that is meant.
func (m *matching) refuseUnknown(unknown []*resource.Desired) {
	for _, w := range unknown {
		was := m.said.was[w.Ref]
		e := &RenameError{New: []resource.Ref{w.Ref}, Old: []resource.Ref{was}, Advice: m.said.correction(w)}
		for _, o := range m.left {
			if o.Ref.Stack == was.Stack && sameKind(o.Ref, w.Ref) && !o.configured && len(o.heirs) == 0 {
				e.Old = append(e.Old, o.Ref)
			}
		}
		if len(e.Old) > 1 && !m.siblingIsKnown(w) && !m.siblingWasRenamed(w) {
			e.Why = fmt.Sprintf("no resource has the former name %s, and %s is no longer configured",
				shortIn(w.Ref.Stack, was), shorts(e.Old[1:]))
			m.refuse(e)
		}
	}
}

// refuseMoved refuses to create resources under names that the record moved away, until the new name is configured.
func (m *matching) refuseMoved(missing []*resource.Desired) {
	if m.in.MovedAway == nil {
		return
	}
	for _, w := range missing {
		if to, moved := m.in.MovedAway(w.Ref); moved && !m.busy[w.Ref] && m.waitsFor(to) {
			now := shortIn(w.Ref.Stack, to)
			e := &RenameError{
				New: []resource.Ref{w.Ref}, Old: []resource.Ref{to},
				Why:    fmt.Sprintf("%s was moved to %s, which is not configured", w.Ref.Short(), now),
				Advice: fmt.Sprintf("rename the block to %s, or run `ovi move %s %s`", now, now, full(w.Ref, to)),
			}
			if m.isOther(to) {
				e.Why = fmt.Sprintf("%s was moved to %s", w.Ref.Short(), now)
				e.Advice = fmt.Sprintf("remove the block, use another name for another resource, or run `ovi move %s %s`",
					now, full(w.Ref, to))
			}
			m.refuse(e)
		}
	}
}

// refuseArrived refuses to delete resources that were moved here from another stack, until they are configured.
func (m *matching) refuseArrived() {
	if m.in.Arrived == nil {
		return
	}
	for _, o := range m.left {
		from, arrived := m.in.Arrived(o.Ref)
		if !arrived || o.configured || len(o.heirs) > 0 || m.refused[o.Ref] != nil {
			continue
		}
		m.refuse(&RenameError{
			New: []resource.Ref{o.Ref}, Old: []resource.Ref{from},
			Why: fmt.Sprintf("%s was moved here from %s, and is not configured yet", o.Ref.Short(),
				shortIn(o.Ref.Stack, from)),
			Advice: fmt.Sprintf("add a block %s, or run `ovi move %s %s` to move it back", o.Ref.Short(), full(o.Ref, from),
				full(from, o.Ref)),
		})
	}
}

// waitsFor reports whether a resource got a name that is not configured yet.
func (m *matching) waitsFor(to resource.Ref) bool {
	if o := m.byRef[to]; o != nil {
		return !o.configured && len(o.heirs) == 0
	}
	_, exists := proven(m.group(to))
	return exists > 0 && !m.isDesired(to)
}

// identify pairs the other missing resources with the leftovers of the same identity.
func (m *matching) identify(missing []*resource.Desired) {
	same := map[string][]*leftover{}
	for _, o := range m.left {
		if k := kindOf(m.in, o.Ref); k.Holds != nil && !o.declared {
			if id := identityKey(k.HeldBy(o.Observed)); id != "" {
				same[id] = append(same[id], o)
			}
		}
	}
	if len(same) == 0 {
		return
	}
	found := map[*resource.Desired][]*leftover{}
	for _, w := range missing {
		k := kindOf(m.in, w.Ref)
		if k.Holds == nil || m.busy[w.Ref] || m.refused[w.Ref] != nil {
			continue
		}
		for _, o := range same[identityKey(k.HeldAs(w.Ref.Bare(), resolved(m.comparison, &k, w), w.State))] {
			if m.canBecome(o, w) && m.refused[o.Ref] == nil && !m.movedTo(w.Ref, o.Ref) {
				o.heirs, found[w] = append(o.heirs, w), append(found[w], o)
			}
		}
	}
	for _, all := range found {
		if len(all) > 1 {
			m.ambiguous(all)
		}
	}
}

// movedTo reports whether the record moved a resource from one name to the other.
func (m *matching) movedTo(from, to resource.Ref) bool {
	if m.in.MovedAway == nil {
		return false
	}
	now, moved := m.in.MovedAway(from)
	return moved && now == to
}

// accepts reports whether a leftover has exactly one heir. It refuses other leftovers with heirs.
func (m *matching) accepts(o *leftover) bool {
	if len(o.heirs) == 0 || m.refused[o.Ref] != nil {
		return false
	}
	heir := o.heirs[0]
	_, replacing := m.replacing(o.Ref)
	switch {
	case replacing:
		m.refuse(&RenameError{
			New: []resource.Ref{heir.Ref}, Old: []resource.Ref{o.Ref},
			Advice: "finish the replacement under the old name first",
			Why: fmt.Sprintf("%s has the new name %s, and is being replaced", shortIn(heir.Ref.Stack, o.Ref),
				heir.Ref.Short()),
		})
	case len(o.heirs) > 1, !o.declared && heir.Ref.Stack != o.Ref.Stack:
		m.ambiguous([]*leftover{o})
	default:
		return m.refused[heir.Ref] == nil
	}
	return false
}

// ambiguous refuses leftovers and their heirs: any of several renames may be meant.
func (m *matching) ambiguous(all []*leftover) {
	e := &RenameError{}
	for _, o := range all {
		e.Old = append(e.Old, o.Ref)
		for _, w := range o.heirs {
			if !slices.Contains(e.New, w.Ref) {
				e.New = append(e.New, w.Ref)
			}
		}
	}
	e.Why = fmt.Sprintf("%s may be the new name of %s", shorts(e.New), shorts(e.Old))
	if len(all) == 1 && all[0].declared {
		e.Why = fmt.Sprintf("%s name the same former name %s", strings.ReplaceAll(shorts(e.New), " or ", " and "),
			shorts(e.Old))
	}
	e.Advice = fmt.Sprintf("set `was` on one block, or run `ovi move %s %s`", full(e.Old[0], e.New[0]),
		full(e.New[0], e.Old[0]))
	m.refuse(e)
}

func (m *matching) refuse(e *RenameError) {
	for _, r := range slices.Concat(e.New, e.Old) {
		if m.refused[r] == nil {
			m.refused[r] = e
		}
	}
}

// refuseExchanged refuses to change resources that have exchanged their names while the configuration still has each
// under its former name.
func (r renaming) refuseExchanged(c *comparison) {
	for i := 0; c.in.Exchanged != nil && i < len(c.out); i++ {
		d := &c.out[i]
		if d.Desired == nil || d.Type != Drifted && d.Type != Missing {
			continue
		}
		other, is := c.in.Exchanged(d.Desired)
		if !is {
			continue
		}
		this, that := d.Ref.Short(), shortIn(d.Ref.Stack, other)
		e := &RenameError{
			New: []resource.Ref{d.Ref}, Old: []resource.Ref{other},
			Why: fmt.Sprintf("%s and %s have exchanged their names, and the configuration still has the former ones",
				this, that),
			Advice: fmt.Sprintf("exchange the blocks, or run `ovi move --exchange %s %s` to exchange the names back", this,
				full(other, d.Ref)),
		}
		for _, ref := range []resource.Ref{d.Ref, other} {
			if r.refused[ref] == nil {
				r.refused[ref] = e
			}
		}
	}
}

// refuse turns the differences of refused names into conflicts.
func (r renaming) refuse(all []Difference) {
	if len(r.refused) == 0 {
		return
	}
	for i := range all {
		d := &all[i]
		if e := r.refused[d.Ref]; e != nil &&
			(d.Type == Missing || d.Type == Unwanted || d.Type == Drifted || ofOtherStack(d)) {
			d.Type, d.Cause, d.Changes = Conflict, e, nil
		}
	}
}

// bindNames sets the new names of the resources, in copies of the scopes.
func (r renaming) bindNames(scopes []observedScope) []observedScope {
	type bound struct {
		ref resource.Ref
		id  string
	}
	to := make(map[bound]resource.Ref, len(r.order))
	for _, x := range r.order {
		to[bound{x.From, x.ID}] = x.To
	}
	out := slices.Clone(scopes)
	var arrived []resource.Observed
	for i := range out {
		p := &out[i]
		p.disputed = nil
		p.resources = slices.Clone(p.resources)
		stay := p.resources[:0]
		for k := range p.resources {
			o := p.resources[k]
			if now, is := to[bound{o.Ref, o.ID}]; is && o.Managed() {
				o.Rename(now)
			}
			if o.Ref.Scope() != p.scope {
				arrived = append(arrived, o)
			} else {
				stay = append(stay, o)
			}
		}
		p.resources = stay
	}
	for i := range out {
		for _, o := range arrived {
			if o.Ref.Scope() == out[i].scope {
				out[i].resources = append(out[i].resources, o)
			}
		}
		out[i].sort()
	}
	return out
}

// underFormer returns the input with the record of each renamed resource under its new name.
func (r renaming) underFormer(in Input) Input {
	if len(r.from) == 0 {
		return in
	}
	names := map[resource.Ref]bool{}
	for _, from := range r.from {
		names[from] = true
	}
	was := func(ref resource.Ref) (resource.Ref, bool) {
		if old, is := r.from[ref]; is {
			return old, true
		}
		return ref, !names[ref]
	}
	if f := in.Applied; f != nil {
		in.Applied = func(ref resource.Ref) (a Applied, ok bool) {
			if ref, ok = was(ref); ok {
				a, ok = f(ref)
			}
			return a, ok
		}
	}
	if f := in.Blessed; f != nil {
		in.Blessed = func(ref resource.Ref) bool {
			ref, ok := was(ref)
			return ok && f(ref)
		}
	}
	if f := in.MustReplace; f != nil {
		in.MustReplace = func(w *resource.Desired, o *resource.Observed) []string {
			if ref, ok := was(w.Ref); ok && ref != w.Ref {
				named := *w
				named.Ref = ref
				w = &named
			}
			return f(w, o)
		}
	}
	if f := in.Starting; f != nil {
		in.Starting = func(o *resource.Observed) bool {
			if ref, ok := was(o.Ref); ok && ref != o.Ref {
				named := *o
				named.Ref = ref
				o = &named
			}
			return f(o)
		}
	}
	return in
}

// resolved returns the configured attributes with the IDs that are known.
func resolved(c *comparison, k *resource.Kind, w *resource.Desired) resource.Attrs {
	if !resource.HasReferences(w.Attrs) {
		return w.Attrs
	}
	return k.Resolve(w.Attrs, resource.Resolver{Lookup: c.lookup, Secrets: c.in.Secrets, Ref: w.Ref})
}

func kindOf(in Input, r resource.Ref) resource.Kind {
	k, _ := in.Kinds(r.Provider, r.Kind)
	return k
}

func identities(all []resource.Hold) []resource.Hold {
	return slices.DeleteFunc(all, func(h resource.Hold) bool { return !h.Identity })
}

// equalHolds reports whether two lists have the same holds.
func equalHolds(a, b []resource.Hold) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(h resource.Hold) bool { return !slices.Contains(b, h) })
}

// identityKey returns the same text for the same identity; "" if there is none.
func identityKey(all []resource.Hold) string {
	all = identities(all)
	slices.SortFunc(all, func(a, b resource.Hold) int {
		return cmp.Or(cmp.Compare(a.What, b.What), cmp.Compare(a.Of, b.Of), cmp.Compare(a.Name, b.Name))
	})
	var b strings.Builder
	for _, h := range all {
		fmt.Fprintf(&b, "%q %q %q %s\n", h.What, h.Of, h.Name, h.Range)
	}
	return b.String()
}

// canBecome reports whether a resource can have a name: it is of the same kind, and in the same location, unless its
// kind spans locations and it holds the same in both.
func (m *matching) canBecome(o *leftover, w *resource.Desired) bool {
	if sameKind(o.Ref, w.Ref) {
		return true
	}
	if !m.spansBoth(o.Ref, w.Ref) {
		return false
	}
	k := kindOf(m.in, w.Ref)
	have := identities(k.HeldBy(o.Observed))
	there := o.NaturalRef()
	there.Location = w.Ref.Location
	return len(have) > 0 && equalHolds(have, identities(k.HeldAs(there, o.Attrs, w.State)))
}

// spansBoth reports whether two names are of a kind that spans locations.
func (m *matching) spansBoth(a, b resource.Ref) bool {
	return a.Kind == b.Kind && a.Provider == b.Provider && kindOf(m.in, a).Spans
}

func sameKind(a, b resource.Ref) bool { return a.Kind == b.Kind && a.Scope() == b.Scope() }

// shortIn returns the short form of a ref, with its stack if that is not the given one.
func shortIn(stack string, r resource.Ref) string {
	if r.Stack == stack {
		return r.Short()
	}
	return r.Stack + ":" + r.Short()
}

func full(r, other resource.Ref) string { return shortIn(other.Stack, r) }

func shorts(all []resource.Ref) string {
	var out []string
	for _, r := range all {
		out = append(out, shortIn(all[0].Stack, r))
	}
	return strings.Join(out, " or ")
}
