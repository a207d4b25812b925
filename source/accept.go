package source

import (
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

// Accept resolves drafts part by part: what is wrong with a file or a row costs that part and what depends on it, and
// is in the Parts of the intent; what is wrong with a whole source, and a Draft with Err, costs the stack, whose intent
// is Unread. The problems are all of them. Two drafts of one stack give no intent of it.
func Accept(drafts []*Draft) ([]resource.Intent, Problems) {
	var out []resource.Intent
	var all Problems
	for _, d := range drafts {
		if d.Err != nil {
			out = append(out, resource.Intent{
				Stack: d.Stack, ByFolder: d.ByFolder, Source: d.Source, Version: d.Version, Unread: d.Err.Error(),
			})
		}
	}
	intents, problems := resolve(drafts, skipParts)
	out, all = append(out, intents...), append(all, problems...)
	stacks := map[string]int{}
	for i := range out {
		stacks[out[i].Stack]++
	}
	out = slices.DeleteFunc(out, func(in resource.Intent) bool { return in.Stack == "" || stacks[in.Stack] > 1 })
	slices.SortFunc(out, func(a, b resource.Intent) int { return strings.Compare(a.Stack, b.Stack) })
	return out, all
}

// skipParts removes from an intent the parts with problems and what depends on them. Nothing is left of a source that
// is invalid as a whole. The intent can always be used.
func skipParts(d *Draft, in *resource.Intent) bool {
	if d.count()+len(d.lost) == 0 {
		return true
	}
	problems := d.sorted()
	why := map[string]Problems{}
	note := func(at position.Position, p ...Problem) {
		part := ""
		if d.Part != nil {
			part = d.Part(at)
		}
		why[part] = append(why[part], p...)
	}
	for _, p := range problems {
		for _, at := range append([]position.Position{p.At}, p.Others...) {
			note(at, p)
		}
	}
	for _, at := range d.lost {
		note(at)
	}
	if _, whole := why[""]; whole || d.more > 0 {
		in.Unread, in.Resources, in.Scopes = summary(problems, d.more), nil, nil
		return true
	}
	(&parting{d, in}).unread(why)
	return true
}

// parting separates the parts of a source with problems from the others.
type parting struct {
	*Draft
	in *resource.Intent
}

// unread lists the parts with problems, and moves what is in them and what depends on that from the intent to them.
func (d *parting) unread(why map[string]Problems) {
	in := d.in
	at := map[string]int{} // of in.Parts
	for i, name := range slices.Sorted(maps.Keys(why)) {
		refs, only := d.only[name]
		at[name] = i
		in.Parts = append(in.Parts, resource.UnreadPart{
			Name: name, Why: summary(why[name], 0), Refs: slices.Clone(refs), Only: only,
			Any: !only && !d.named(name, why[name]),
		})
	}
	for i := range d.failures {
		f := &d.failures[i].desired
		if n, unread := at[d.Part(f.At)]; unread && f.Ref.Location != "" {
			in.Parts[n].Refs = append(in.Parts[n].Refs, f.Ref)
		}
	}
	left := d.unused(at)
	for i := range in.Resources {
		if n, is := left[in.Resources[i].Ref]; is {
			in.Parts[n].Refs = append(in.Parts[n].Refs, in.Resources[i].Ref)
		}
	}
	in.Resources = slices.DeleteFunc(slices.Clone(in.Resources), func(x resource.Desired) bool {
		_, is := left[x.Ref]
		return is
	})
	for i := range in.Parts {
		for k, r := range in.Parts[i].Refs {
			in.Parts[i].Refs[k] = d.rename(r)
		}
	}
}

// named reports whether all names in a part could be read, although it has these problems: nothing in it was
// unreadable, and each problem is about a resource with a name.
func (d *parting) named(part string, problems Problems) bool {
	in := func(at position.Position) bool { return d.Part != nil && d.Part(at) == part }
	if len(problems) == 0 || slices.ContainsFunc(d.lost, in) {
		return false
	}
	names := map[string]bool{}
	for i := range d.failures {
		f := &d.failures[i]
		if f.many && in(f.desired.At) {
			return false
		}
		names[f.desired.Ref.Short()] = f.desired.Ref.Location != ""
	}
	for i := range d.in.Resources {
		names[d.in.Resources[i].Ref.Short()] = true
	}
	return !slices.ContainsFunc(problems, func(p Problem) bool { return !names[p.Ref] })
}

// unused returns the resources that are not used, with the number of the part that is the reason. These are the
// resources of the parts, the resources with a reference to a name that a part may have, and their dependents.
func (d *parting) unused(parts map[string]int) map[resource.Ref]int {
	in := d.in
	out := map[resource.Ref]int{}
	by := map[resource.Ref][]resource.Ref{}
	var next []resource.Ref
	for i := range in.Resources {
		x := &in.Resources[i]
		for _, r := range x.DependsOn {
			by[r] = append(by[r], x.Ref)
		}
		if n, unread := parts[x.Part]; unread || d.invalid[x.Ref] {
			out[x.Ref], next = n, append(next, x.Ref)
		}
	}
	for ; len(next) > 0; next = next[1:] {
		for _, r := range by[next[0]] {
			if _, is := out[r]; !is {
				out[r], next = out[next[0]], append(next, r)
			}
		}
	}
	return out
}
