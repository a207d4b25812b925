package source

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

// Resolve looks up every name in each stack and checks what needs all its resources: names
// and counts, references and their types, dependencies and cycles, and each kind's own rules
// between resources. It returns the intents of the stacks without problems, sorted by stack,
// their resources sorted by ref, and all problems of the others. Drafts with Err are skipped.
// It is pure: the same drafts give the same intents. A draft must not be used afterwards.
func Resolve(drafts []*Draft) ([]resource.Intent, Problems) {
	return resolve(drafts, func(d *Draft, _ *resource.Intent) bool { return d.count() == 0 })
}

// ResolveValid resolves as Resolve does, but what is wrong with a resource costs that resource
// and what depends on it, and not the stack: their intent is Partial. A problem with the Cause
// Configuration still costs the stack.
func ResolveValid(drafts []*Draft) ([]resource.Intent, Problems) {
	return resolve(drafts, (*Draft).skip)
}

// resolve resolves the drafts. usable reports whether an intent can be used in spite of the
// draft's problems, and makes it so.
func resolve(drafts []*Draft, usable func(*Draft, *resource.Intent) bool) ([]resource.Intent, Problems) {
	var intents []resource.Intent
	var problems Problems
	seen := map[string]string{}
	for _, d := range drafts {
		if d.Err != nil {
			continue
		}
		if first, again := seen[d.Stack]; again && d.Stack != "" {
			d.note(Problem{
				At: position.Position{File: d.Source}, Summary: "duplicate stack " + Quote(d.Stack),
				Detail: "also in " + first, Suggestion: "rename one of them",
			})
		}
		seen[d.Stack] = d.Source
		intent := d.resolve()
		if usable(d, &intent) {
			d.name(&intent)
			d.seal(&intent)
			intents = append(intents, intent)
		}
		problems = append(problems, d.sorted()...)
		if d.more > 0 {
			problems = append(problems, Problem{
				Summary:    fmt.Sprintf("%d more problems", d.more),
				Suggestion: "solve those above first",
			})
		}
	}
	slices.SortFunc(intents, func(a, b resource.Intent) int { return strings.Compare(a.Stack, b.Stack) })
	return intents, problems
}

// seal binds the digests of secrets to the resources that have them.
func (d *Draft) seal(in *resource.Intent) {
	if !d.secrets {
		return
	}
	for i := range in.Resources {
		in.Resources[i].Attrs = resource.Seal(in.Resources[i].Ref, in.Resources[i].Attrs, d.opts.Secrets)
	}
}

func (d *Draft) resolve() resource.Intent {
	d.reread()
	d.order()
	d.duplicates()
	for _, m := range d.groups {
		slices.SortFunc(m.refs, resource.Ref.Compare)
	}
	spreadGroups(d, d.groups)
	former{d}.set()
	d.depend()
	d.crossCheck()
	if d.count() == 0 || !d.unreadable() {
		d.cycles()
	}
	in := resource.Intent{
		Stack: d.Stack, ByFolder: d.ByFolder, Source: d.Source, Version: d.Sum.Version(d.Version), Release: d.Release,
		Rules: d.Rules, Options: d.Options, PartNames: d.PartNames, Environments: d.Environments, Given: d.Given,
	}
	if d.Part != nil {
		for i := range d.desired {
			d.desired[i].Part = d.Part(d.desired[i].At)
		}
	}
	in.Absent = reasons(d)
	in.Moved = former{d}.moves()
	in.Removed = former{d}.removals(in.Moved)
	if d.resolveOutputs != nil {
		in.Outputs = d.resolveOutputs(d)
	}
	in.Resources, in.Lookups = apart(d.desired)
	for s := range d.scopes {
		in.Scopes = append(in.Scopes, s)
	}
	slices.SortFunc(in.Scopes, resource.Scope.Compare)
	return in
}

// reread reads the attributes again whose words mean something else now that the names of the
// stack are known.
func (d *Draft) reread() {
	if len(d.unsure) == 0 {
		return
	}
	known := make(map[resource.Ref]bool, len(d.desired))
	for i := range d.desired {
		known[d.desired[i].Ref] = true
	}
	for ref := range d.counted {
		known[ref] = true
	}
	for i := range d.unsure {
		k := &d.unsure[i]
		if !k.open.optional && !slices.ContainsFunc(k.open.maybe, func(r resource.Ref) bool { return known[r] }) {
			continue
		}
		a := adding{Draft: d, r: &k.r}
		if a.kind, _ = d.prepared(k.r.Provider, k.r.Kind); a.kind == nil {
			continue
		}
		attrs, uses, left := a.attributes(known)
		if k.n > 0 {
			d.short[d.from[k.first]] = left.short
		}
		for j := k.first; j < k.first+k.n; j++ {
			d.desired[j].Attrs, d.uses[j] = attrs, uses
			if a.failed {
				d.invalid[d.desired[j].Ref] = true
			}
		}
	}
}

// order sorts by ref. Resources are big, so it sorts their numbers and moves each once.
func (d *Draft) order() {
	if slices.IsSortedFunc(d.desired, func(a, b resource.Desired) int { return a.Ref.Compare(b.Ref) }) {
		return
	}
	by := make([]int32, len(d.desired))
	for i := range by {
		by[i] = int32(i)
	}
	slices.SortStableFunc(by, func(a, b int32) int { return d.desired[a].Ref.Compare(d.desired[b].Ref) })
	desired, uses, from := make([]resource.Desired, len(by)), make([][]use, len(by)), make([]int32, len(by))
	for i, j := range by {
		desired[i], uses[i], from[i] = d.desired[j], d.uses[j], d.from[j]
	}
	d.desired, d.uses, d.from = desired, uses, from
}

// spreadGroups replaces the names of groups in lists of names by their members.
func spreadGroups(d *Draft, all groups) {
	for ref, g := range all {
		if plain := d.find(ref); plain != nil && !slices.Contains(g.refs, ref) {
			d.duplicate(plain.At, g.at, ref, "rename one of them; the group is at "+g.at.String())
			delete(all, ref)
		}
	}
	if len(all)+len(d.short) == 0 {
		return
	}
	for i := range d.desired {
		var out []use
		changed := false
		for _, u := range d.uses[i] {
			var refs []resource.Ref
			is := false
			if u.mayBeGroup() {
				refs, is = all.inList(*u.ref)
			}
			if !is {
				out = append(out, u)
			}
			for _, r := range refs {
				u.ref = &resource.Reference{Ref: r}
				out = append(out, u)
			}
			changed = changed || is
		}
		if changed {
			d.uses[i] = out
			d.desired[i].Attrs, _ = all.spread(d.desired[i].Attrs).(resource.Attrs)
		}
		if changed || d.short[d.from[i]] {
			checkSpread(d, i)
		}
	}
}

// checkSpread checks the attributes of a resource again, whose lists have the members of groups now.
func checkSpread(d *Draft, i int) {
	w := &d.desired[i]
	k, err := d.prepared(w.Ref.Provider, w.Ref.Kind)
	if k == nil || err != nil {
		return
	}
	attrs, problems := k.checker.Check(w.Attrs)
	for _, p := range problems {
		isBroken := func(u use) bool { return strings.HasPrefix(u.path, p.Path) && isBroken(d.broken, u.ref.Ref.Name) }
		if slices.ContainsFunc(d.uses[i], isBroken) {
			continue // a group with problems of its own has an unknown number of members
		}
		d.note(Problem{
			Cause: Validation, At: d.where(i, p.Path), Ref: w.Ref.Short(), Summary: p.Summary,
			Suggestion: cmp.Or(p.Suggestion, rule(k.schemaAt(p.Path))),
		})
	}
	if w.Attrs = attrs; len(problems) > 0 {
		d.invalid[w.Ref] = true
	}
}

// find looks a resource up by ref.
func (d *Draft) find(r resource.Ref) *resource.Desired {
	i := sort.Search(len(d.desired), func(i int) bool { return d.desired[i].Ref.Compare(r) >= 0 })
	if i == len(d.desired) || d.desired[i].Ref != r {
		return nil
	}
	return &d.desired[i]
}

// where is the position of a path in the i-th resource.
func (d *Draft) where(i int, path string) position.Position {
	e := &d.entries[d.from[i]]
	if e.where == nil {
		return e.at
	}
	return e.where(path)
}

// duplicates reports names that two resources have, and names that differ only by a count.
func (d *Draft) duplicates() {
	for i := 1; i < len(d.desired); i++ {
		a, b := i-1, i
		if d.desired[a].Ref != d.desired[b].Ref {
			continue
		}
		if d.desired[b].At.Compare(d.desired[a].At) < 0 {
			a, b = b, a
		}
		other := d.desired[a].At
		d.duplicate(d.desired[b].At, other, d.desired[b].Ref, "rename one of them; the other is at "+other.String())
	}
	for ref, g := range d.counted {
		if plain := d.find(ref); plain != nil {
			d.duplicate(d.entries[g.entry].at, plain.At, ref,
				"rename one of them: a count makes "+ref.Name+"-0 and so on; the one without a count is at "+plain.At.String())
		}
	}
}

func (d *Draft) duplicate(at, other position.Position, ref resource.Ref, suggestion string) {
	d.note(Problem{
		At: at, Others: []position.Position{other}, Ref: ref.Short(), Summary: "duplicate name " + Quote(ref.Name),
		Suggestion: suggestion,
	})
}

// apart separates the resources of a stack from those that others own.
func apart(all []resource.Desired) (own, others []resource.Desired) {
	for i := range all {
		if all[i].Lookup != nil {
			others = append(others, all[i])
		}
	}
	if len(others) == 0 {
		return all, nil
	}
	for i := range all {
		if all[i].Lookup == nil {
			own = append(own, all[i])
		}
	}
	return own, others
}

// configured looks a resource of the stack up; nil for one that others own, whose attributes are not known.
func (d *Draft) configured(r resource.Ref) *resource.Desired {
	if x := d.find(r); x != nil && x.Lookup == nil {
		return x
	}
	return nil
}
