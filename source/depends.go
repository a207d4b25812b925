package source

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
	"github.com/ovi-project/ovi/resource/position"
)

// lookedUp is what a use, or all uses of a resource, mean.
type lookedUp struct {
	refs []resource.Ref
	bad  bool // a problem was found
}

// depend looks up every use of another resource. Resources of a count share their
// dependencies, and so do resources that depend on the same.
func (d *Draft) depend() {
	byUse, byKey, found := map[*use]lookedUp{}, map[string][]resource.Ref{}, map[*resource.Reference]lookedUp{}
	for i, uses := range d.uses {
		if len(uses) == 0 {
			continue
		}
		all, ok := byUse[&uses[0]]
		if !ok {
			all = lookedUp{}
			for k := range uses {
				u := &uses[k]
				these, seen := found[u.ref]
				if !seen || u.ref == nil {
					by := user{d.desired[i].Ref, func(path string) position.Position { return d.where(i, path) }}
					these = d.lookUp(by, u)
				}
				all.refs, all.bad = append(all.refs, these.refs...), all.bad || these.bad
				if u.ref != nil && len(these.refs) > 0 {
					found[u.ref] = these
				}
			}
			all.refs = d.share(byKey, all.refs)
			again := i+1 < len(d.uses) && len(d.uses[i+1]) > 0 && &d.uses[i+1][0] == &uses[0]
			if again || all.bad { // else nearly every resource would be kept here
				byUse[&uses[0]] = all
			}
		}
		if all.bad {
			d.invalid[d.desired[i].Ref] = true
		}
		d.desired[i].DependsOn = all.refs
	}
	for _, f := range d.failures { // of what has other problems, only to report more
		for k := range f.uses {
			d.lookUp(f.user, &f.uses[k])
		}
	}
}

// share sorts refs and gives equal lists one memory.
func (d *Draft) share(byKey map[string][]resource.Ref, refs []resource.Ref) []resource.Ref {
	if len(refs) == 0 {
		return nil
	}
	slices.SortFunc(refs, resource.Ref.Compare)
	refs = slices.Compact(refs)
	k := d.scratch[:0]
	for _, r := range refs {
		for _, s := range [...]string{r.Provider, r.Location, r.Kind, r.Name} {
			k = append(append(k, s...), 0)
		}
	}
	d.scratch = k
	if same, ok := byKey[string(k)]; ok {
		return same
	}
	refs = slices.Clip(refs)
	if len(byKey) < most {
		byKey[string(k)] = refs
	}
	return refs
}

// lookUp returns the refs that a use means.
func (d *Draft) lookUp(by user, u *use) lookedUp {
	if u.ref == nil {
		refs, ok := d.lookUpName(by, u)
		return lookedUp{refs, !ok}
	}
	r := u.ref.Ref
	if outputs.IsRef(r) {
		own := strings.HasPrefix(r.Name, d.Stack+".")
		if own {
			d.wrong(by, u, "${stack/"+r.Name+"} is an output of this stack itself",
				"use the value of the output, or a local for it: an output is known after an apply")
		}
		return lookedUp{bad: own}
	}
	if x := d.find(r); x != nil {
		summary, suggestion := d.checkUse(by.ref, u)
		if k, _ := d.prepared(r.Provider, r.Kind); summary == "" && x.Lookup != nil && k != nil && isSecretAt(k, u.ref.Path) {
			summary, suggestion = r.Short()+"."+u.ref.Path+" is a secret of a resource that others own",
				"use ${env:NAME} or ${file:PATH}"
		}
		if summary != "" {
			d.wrong(by, u, summary, suggestion)
		}
		return lookedUp{[]resource.Ref{r}, summary != ""}
	}
	if g := d.counted[r]; g.count > 0 {
		var names []string
		for i := range min(g.count, 4) {
			names = append(names, r.Name+"-"+strconv.Itoa(i))
		}
		if g.count > len(names) {
			names = append(names, "… "+r.Name+"-"+strconv.Itoa(g.count-1))
		}
		d.wrong(by, u, fmt.Sprintf("%s is %d resources, and %s refers to one", r.Short(), g.count, u.path),
			"use one of "+strings.Join(names, ", "))
	} else if u.optional {
		return lookedUp{}
	} else {
		d.unknown(by, u, r)
	}
	return lookedUp{bad: true}
}

// wrong reports a problem of a use.
func (d *Draft) wrong(by user, u *use, summary, suggestion string) {
	path := u.path
	if u.ref == nil {
		path = "depends_on[" + strconv.Itoa(u.index) + "]"
	}
	d.note(Problem{Cause: Dependency, At: by.where(path), Ref: by.ref.Short(), Summary: summary, Suggestion: suggestion})
}

// unknown reports a name that no resource has, and the one that is probably meant.
func (d *Draft) unknown(by user, u *use, r resource.Ref) {
	summary, suggestion := d.groups.hint(r, u.path)
	switch {
	case isBroken(d.broken, r.Name):
		return
	case absentAt(d, r) != "":
		d.wrong(by, u, r.Short()+" is not configured: its when is false at "+absentAt(d, r),
			"add ? to the reference where it may be absent: "+orName(r)+"?")
		return
	case summary != "":
		d.wrong(by, u, summary, suggestion)
		return
	case len(d.problems) >= maxProblems:
		d.more++
		return
	}
	self, inside := by.ref, ""
	if strings.HasPrefix(r.Name, u.inside) {
		inside = u.inside
	}
	names, name, hint := []string(nil), strings.TrimPrefix(r.Name, inside), ""
	for j := range d.desired {
		o := d.desired[j].Ref
		switch {
		case o.Kind != r.Kind || o.Provider != r.Provider:
		case d.desired[j].Was == r && o.Location == r.Location:
			hint = "use " + strings.TrimPrefix(o.Name, inside) // its new name
		case o.Location == r.Location && strings.HasPrefix(o.Name, inside):
			names = append(names, strings.TrimPrefix(o.Name, inside))
		case o.Location == r.Location:
		case o.Name == r.Name:
			d.wrong(by, u, fmt.Sprintf("%s is in %s, and %s is in %s", r.Short(), o.Location, self.Short(), r.Location),
				"use a resource of the same "+d.opts.LocationOf(r.Provider).Word)
			return
		}
	}
	if hint == "" && len(d.problems) < maxHints {
		hint = Suggest(name, names)
	}
	if inside != "" {
		d.wrong(by, u, fmt.Sprintf("the component has no %s %s", r.Kind, Quote(name)), cmp.Or(hint,
			"add "+r.Kind+"/"+name+" to it, or set a variable of the type ref("+r.Kind+") where it is used"))
		return
	}
	if a := d.idPrefix(r); a != "" && hint == "" && u.ref != nil {
		hint = "add " + r.Short() + ", or use an existing id (" + a + "…)"
	}
	d.wrong(by, u, fmt.Sprintf("unknown %s %s", r.Kind, Quote(r.Name)), cmp.Or(hint, "add "+r.Short()))
}

// idPrefix finds how the ids of a kind start, from an attribute that refers to the kind.
func (d *Draft) idPrefix(r resource.Ref) string {
	for _, k := range d.opts.Schemas.Kinds(r.Provider) {
		for i := range k.Attrs {
			for e := &k.Attrs[i]; e != nil; e = e.Elem {
				if e.RefKind == r.Kind && e.IDPrefix != "" {
					return e.IDPrefix
				}
			}
		}
	}
	return ""
}

// lookUpName reads a word of depends_on: NAME, KIND/NAME, PROVIDER/KIND/NAME or a whole ref.
// A name with a count means all of them. ok is false if there is a problem.
func (d *Draft) lookUpName(by user, u *use) (refs []resource.Ref, ok bool) {
	self := by.ref
	if name, optional := strings.CutSuffix(u.name, "?"); optional && name != "" && !strings.HasSuffix(name, "/") {
		u.name, u.optional = name, true
	}
	if unit, is := strings.CutPrefix(u.name, "use/"); is {
		return d.existing(by, u, resource.Ref{Kind: ofUnit, Name: unit})
	}
	if r, err := resource.ParseRef(u.name); err == nil {
		if r.Stack == d.Stack {
			r.Stack = "" // as all of the stack are until they are named
		}
		return d.existing(by, u, r)
	}
	if kind, rest, ok := strings.Cut(u.name, "/"); ok {
		return d.existing(by, u, resource.Ref{Provider: self.Provider, Location: self.Location, Kind: kind, Name: rest})
	}
	var found [][]resource.Ref
	var names []string
	for _, k := range d.opts.Schemas.Kinds(self.Provider) {
		r := resource.Ref{Provider: self.Provider, Location: self.Location, Kind: k.Name, Name: u.name}
		refs := d.all(r)
		_, absent := d.absent[r]
		if len(refs) > 0 {
			found, names = append(found, refs), append(names, r.Short())
		} else if (d.groups[r] != nil || absent) && !u.optional {
			d.unknown(by, u, r)
			return nil, false
		}
	}
	switch len(found) {
	case 1:
		return found[0], true
	case 0:
		if u.optional {
			return nil, true
		}
		if !isBroken(d.broken, u.name) {
			name, names := u.name, d.namesIn(self.Scope())
			if u.inside != "" && strings.HasPrefix(name, u.inside) {
				name, names = strings.TrimPrefix(name, u.inside), ownNames(names, u.inside)
			}
			isKind := func(kind string) bool { _, ok := d.opts.Schemas.Kind(self.Provider, kind); return ok }
			names = slices.DeleteFunc(names, func(n string) bool { return n == self.Name })
			d.wrong(by, u, "unknown resource "+Quote(name), cmp.Or(dotSlash(name, isKind), Suggest(name, names),
				"add it, or remove it from depends_on"))
		}
	default:
		d.wrong(by, u, fmt.Sprintf("ambiguous name %s: %d resources have it", Quote(u.name), len(found)),
			"use "+strings.Join(names, " or "))
	}
	return nil, false
}

// all returns the resource of a name, or those of its count.
func (d *Draft) all(r resource.Ref) []resource.Ref {
	if d.find(r) != nil {
		return []resource.Ref{r}
	}
	if g := d.groups[r]; g != nil {
		return slices.Clone(g.refs)
	}
	var out []resource.Ref
	for i := range d.counted[r].count {
		out = append(out, resource.Ref{
			Provider: r.Provider, Location: r.Location, Kind: r.Kind,
			Name: r.Name + "-" + strconv.Itoa(i),
		})
	}
	return out
}

func (d *Draft) existing(by user, u *use, r resource.Ref) (refs []resource.Ref, ok bool) {
	if refs = d.all(r); len(refs) > 0 || u.optional {
		return refs, true
	}
	d.unknown(by, u, r)
	return nil, false
}

func (d *Draft) namesIn(s resource.Scope) []string {
	var out []string
	for i := range d.desired {
		if r := d.desired[i].Ref; r.Scope() == s {
			out = append(out, r.Name)
		}
	}
	return out
}

// orName returns the name of a resource, or the whole name of a component.
func orName(r resource.Ref) string {
	if r.Kind == ofUnit {
		return r.Short()
	}
	return r.Name
}

// ownNames returns the names with a prefix, without it.
func ownNames(names []string, prefix string) (out []string) {
	for _, name := range names {
		if rest, is := strings.CutPrefix(name, prefix); is {
			out = append(out, rest)
		}
	}
	return out
}

// absentAt returns the position of the condition because of which a resource or its component is not configured; empty
// if there is none.
func absentAt(d *Draft, r resource.Ref) string {
	if at := d.absent[r]; at.File != "" {
		return at.String()
	}
	unit := resource.Ref{Location: DefaultLocation, Kind: ofUnit}
	for i := range r.Name + "-" {
		if i == len(r.Name) || r.Name[i] == '-' {
			unit.Name = strings.TrimPrefix(r.Name[:i], "use/")
			if at := d.absent[unit]; at.File != "" {
				return at.String()
			}
		}
	}
	return ""
}
