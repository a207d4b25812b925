package comparator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// declarations are the former names that configurations declare.
type declarations struct {
	all     []*resource.Desired              // the resources with former names
	was     map[resource.Ref]resource.Ref    // the former name that counts, by the new one
	names   map[resource.Ref][]resource.Ref  // all former names, by the new one
	several map[resource.Ref][]resource.Ref  // the former names that resources have, if more than one has one
	loose   []resource.Move                  // renames to names that are not configured
	done    map[resource.Ref]bool            // the record has the rename
	in      func(from, to resource.Ref) bool // it has a rename
	moved   []resource.Move                  // those that are declared apart from the resources
}

// declarationsOf collects the former names. If there are several, the name of an existing resource counts. A chain ends
// at the first name that is configured.
func declarationsOf(c *comparison) (d declarations) {
	back := map[resource.Ref][]resource.Ref{}
	d.in = c.in.Renamed
	for i := range c.sides {
		for k := range c.sides[i].desired {
			if w := &c.sides[i].desired[k]; w.Was.Name != "" {
				back[w.Ref] = append(back[w.Ref], w.Was)
			}
		}
		for _, x := range c.sides[i].moved {
			if !slices.Contains(back[x.To], x.From) {
				back[x.To] = append(back[x.To], x.From)
			}
		}
		d.moved = append(d.moved, c.sides[i].moved...)
	}
	if len(back) == 0 {
		return d
	}
	d = declarations{
		was: map[resource.Ref]resource.Ref{}, several: map[resource.Ref][]resource.Ref{}, done: map[resource.Ref]bool{},
		in: c.in.Renamed, moved: d.moved, names: map[resource.Ref][]resource.Ref{},
	}
	used := map[resource.Ref]bool{}
	for i := range c.sides {
		for k := range c.sides[i].desired {
			if w := &c.sides[i].desired[k]; len(back[w.Ref]) > 0 {
				d.all = append(d.all, w)
				d.names[w.Ref] = formerNames(c, back, w.Ref, used)
				d.chooseFormer(c, w, d.names[w.Ref])
			}
		}
	}
	for i := range c.sides {
		for _, x := range c.sides[i].moved {
			over := used[x.From] || slices.Contains(back[x.From], x.To) || c.isOther(x.From) && c.isOther(x.To) || c.leadsAway(x)
			if !over && !c.isDesired(x.To) && !d.hasArrived(c, x) {
				d.loose = append(d.loose, x)
			}
		}
	}
	return d
}

// formerNames lists the former names of a resource, the newest first. It notes them as used.
func formerNames(
	c *comparison, back map[resource.Ref][]resource.Ref, of resource.Ref, used map[resource.Ref]bool,
) (out []resource.Ref) {
	out = slices.Clone(back[of])
	for i := 0; i < len(out); i++ {
		if used[out[i]] = true; c.isDesired(out[i]) {
			continue
		}
		for _, r := range back[out[i]] {
			if r != of && !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	return out
}

// chooseFormer sets the former name of a resource that counts.
func (d *declarations) chooseFormer(c *comparison, w *resource.Desired, names []resource.Ref) {
	d.was[w.Ref] = names[0]
	var exist []resource.Ref
	for _, r := range names {
		if d.hasRename(r, w.Ref) {
			d.was[w.Ref], d.done[w.Ref] = r, true
			return
		}
		if _, n := proven(c.group(r)); n > 0 {
			exist = append(exist, r)
		}
	}
	if len(exist) > 0 {
		d.was[w.Ref] = exist[0]
	}
	if len(exist) > 1 {
		d.several[w.Ref] = exist
	}
}

// hasArrived reports whether a rename is done, though its new name is not configured: the record has it, or no
// resource has the former name any more, and one has the new name or one that follows it.
func (d *declarations) hasArrived(c *comparison, x resource.Move) bool {
	names := []resource.Ref{x.To}
	_, left := proven(c.group(x.From))
	for i := 0; i < len(names); i++ {
		if _, n := proven(c.group(names[i])); n > 0 && left == 0 || d.hasRename(x.From, names[i]) {
			return true
		}
		for k := range c.sides {
			for _, next := range c.sides[k].moved {
				if next.From == names[i] && next.To != x.From && !slices.Contains(names, next.To) {
					names = append(names, next.To)
				}
			}
		}
	}
	return false
}

// hasRename reports whether the record has a rename.
func (d *declarations) hasRename(from, to resource.Ref) bool { return d.in != nil && d.in(from, to) }

// declaredBy names what declares the former name of a resource.
func (d *declarations) declaredBy(w *resource.Desired) string {
	if w.Was == d.was[w.Ref] {
		return "`was`"
	}
	for _, x := range d.moved {
		if x.To == w.Ref && x.From == d.was[w.Ref] && x.At.File != "" {
			return "`was` or `moved` at " + x.At.String() // a component can have either
		}
	}
	return "the entry of `moved`"
}

func (d *declarations) correction(w *resource.Desired) string {
	return "correct " + d.declaredBy(w) + ", or remove it"
}

// declared lists the resources whose configuration names a former name that the record does not have as renamed.
func (m *matching) declared() []*resource.Desired {
	return slices.DeleteFunc(slices.Clone(m.said.all), m.isDone)
}

// isDone reports whether a declared rename is recorded, or found in an earlier round.
func (m *matching) isDone(w *resource.Desired) bool {
	return m.said.done[w.Ref] || m.renamed[w.Ref] == m.said.was[w.Ref]
}

// undone returns the conflict of a declared rename that cannot be done; nil if no resource has the former name.
func (m *matching) undone(w *resource.Desired) *RenameError {
	former := m.said.was[w.Ref]
	was, now := shortIn(w.Ref.Stack, former), w.Ref.Short()
	e := &RenameError{New: []resource.Ref{w.Ref}, Old: []resource.Ref{former}}
	group := m.group(former)
	_, n := proven(group)
	switch {
	case !sameKind(former, w.Ref) && !m.spansBoth(former, w.Ref):
		e.Why = fmt.Sprintf("%s cannot be the former name of %s: kind and location cannot change", was, now)
		e.Advice = m.said.correction(w)
	case m.isDesired(former):
		e.Why = fmt.Sprintf("%s is the former name of %s, and is still configured", was, now)
		e.Advice = fmt.Sprintf("remove the block %s, or remove %s", was, m.said.declaredBy(w))
	case unread(group[:n]) != nil:
		e.Why = fmt.Sprintf("%s is the former name of %s, and could not be read: %s", was, now, unread(group[:n]).Message)
		e.Advice = "plan again once it can be read"
	case n > 0 && m.isOther(former):
		m.notGiven(e, former, w.Ref)
	case n > 0:
		e.Why = fmt.Sprintf("%s is the former name of %s, and the configuration is not known in full", was, now)
		e.Advice = "correct the errors of the source, and include the stack of " + was
	case len(group) > 0:
		e.Why = fmt.Sprintf("%s is the former name of %s, and no record proves that ovi manages %s", was, now, group[0].ID)
		e.Advice = fmt.Sprintf("run `ovi adopt %s --id %s` if it is yours", was, group[0].ID)
	default:
		return nil
	}
	return e
}

// siblingWasRenamed reports whether the record renamed a resource that is left in the same way: from a name with the
// former first part to one with the new first part. The former name of another member is then not misspelled.
func (m *matching) siblingWasRenamed(w *resource.Desired) bool {
	was := m.said.was[w.Ref]
	end := 0
	for i := 1; i < min(len(w.Ref.Name), len(was.Name)); i++ {
		a, b := w.Ref.Name[len(w.Ref.Name)-i:], was.Name[len(was.Name)-i:]
		if a != b {
			break
		}
		if a[0] == '-' {
			end = i
		}
	}
	if end == 0 || was.Stack != w.Ref.Stack {
		return false
	}
	now, former := w.Ref.Name[:len(w.Ref.Name)-end+1], was.Name[:len(was.Name)-end+1]
	return slices.ContainsFunc(m.left, func(o *leftover) bool {
		rest, is := strings.CutPrefix(o.Ref.Name, now)
		from := o.Ref
		from.Name = former + rest
		return is && sameKind(o.Ref, w.Ref) && o.Ref.Stack == w.Ref.Stack && m.said.hasRename(from, o.Ref)
	})
}

// siblingIsKnown reports whether the former name of another resource of the block is known: a member of a count, or the
// same deployment on another node. The former name is not misspelled then.
func (m *matching) siblingIsKnown(w *resource.Desired) bool {
	return w.At.File != "" && slices.ContainsFunc(m.said.all, func(o *resource.Desired) bool {
		if o.At != w.At || o.Ref == w.Ref || o.Ref.Kind != w.Ref.Kind {
			return false
		}
		_, n := proven(m.group(m.said.was[o.Ref]))
		return n > 0 || m.isDone(o)
	})
}

// refuseSeveral refuses the new names of several resources.
func (m *matching) refuseSeveral() {
	for _, w := range m.declared() {
		if old := m.said.several[w.Ref]; len(old) > 0 {
			m.refuse(&RenameError{
				New: []resource.Ref{w.Ref}, Old: old, Advice: "name one of them, and configure or remove the others",
				Why: fmt.Sprintf("%s are former names of %s, and all of them exist",
					strings.ReplaceAll(shorts(old), " or ", " and "), w.Ref.Short()),
			})
		}
	}
}

// refuseAgain refuses renames that the record has, if the new name is free again, and the former name is of another
// resource, which is no longer configured: that may be a rename, or a deletion and a creation.
func (m *matching) refuseAgain(missing []*resource.Desired) {
	for _, w := range missing {
		was := m.said.was[w.Ref]
		o := m.byRef[was]
		if !m.said.done[w.Ref] || o == nil || o.configured || len(o.heirs) > 0 || !sameKind(was, w.Ref) {
			continue
		}
		old, now := shortIn(w.Ref.Stack, was), w.Ref.Short()
		m.refuse(&RenameError{
			New: []resource.Ref{w.Ref}, Old: []resource.Ref{was},
			Why: fmt.Sprintf("%s was renamed to %s before, and is another resource now", old, now),
			Advice: fmt.Sprintf("run `ovi move %s %s` to rename it, too; or remove %s to delete it and create %s", old,
				full(w.Ref, was), m.said.declaredBy(w), now),
		})
	}
}

// refuseLoose refuses renames to names that are not configured. Missing resources of their kind may be meant.
func (m *matching) refuseLoose(missing []*resource.Desired) {
	for _, x := range m.said.loose {
		from, n := proven(m.group(x.From))
		if n > 0 && m.isOther(x.To) || m.isUsed(x) {
			continue // the other stack decides
		}
		old := []resource.Ref{x.From}
		for _, o := range m.left {
			if n == 0 && o.Ref.Stack == x.From.Stack && m.mayBeIn(x.From, o.Ref) && !o.configured && len(o.heirs) == 0 {
				old = append(old, o.Ref)
			}
		}
		if from == nil && len(old) == 1 {
			continue
		}
		e := &RenameError{New: []resource.Ref{x.To}, Old: old}
		for _, w := range missing {
			if sameKind(w.Ref, x.From) && !m.busy[w.Ref] {
				e.New = append(e.New, w.Ref)
			}
		}
		was, now := shortIn(m.stackOf(x), x.From), shortIn(m.stackOf(x), x.To)
		e.Why = fmt.Sprintf("the new name of %s is %s, which is not configured", was, now)
		if from == nil {
			e.Why = fmt.Sprintf("no resource has the former name %s, and %s is no longer configured", was, shorts(old[1:]))
		}
		e.Advice = "correct the entry of `moved`, or remove it"
		m.refuse(e)
	}
}

// stackOf returns the stack whose configuration declares a rename.
func (m *matching) stackOf(x resource.Move) string {
	for i := range m.sides {
		if slices.ContainsFunc(m.sides[i].moved, func(o resource.Move) bool { return o.From == x.From && o.To == x.To }) {
			return m.sides[i].stack
		}
	}
	return x.From.Stack
}
