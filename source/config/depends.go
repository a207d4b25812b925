package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// needs looks up every name of another thing. Things of a count share their needs, and so
// do blocks that need the same.
func (l *loader) needs() {
	byUse, byKey, found := map[*use][]resource.Ref{}, map[string][]resource.Ref{}, map[*resource.Ref][]resource.Ref{}
	for i, uses := range l.uses {
		if len(uses) == 0 {
			continue
		}
		needs, ok := byUse[&uses[0]]
		if !ok {
			told := len(l.problems) + l.more
			for _, u := range uses {
				before, seen := found[u.ref]
				if !seen {
					before = l.resolve(&l.desired[i], u)
				}
				if needs = append(needs, before...); u.ref != nil && (u.id || len(before) > 0) {
					found[u.ref] = before
				}
			}
			needs = l.share(byKey, needs)
			again := i+1 < len(l.uses) && len(l.uses[i+1]) > 0 && &l.uses[i+1][0] == &uses[0]
			if again || len(l.problems)+l.more > told { // else nearly every block would be kept here
				byUse[&uses[0]] = needs
			}
		}
		l.desired[i].DependsOn = needs
	}
}

// share sorts refs and gives equal lists one memory.
func (l *loader) share(byKey map[string][]resource.Ref, refs []resource.Ref) []resource.Ref {
	if len(refs) == 0 {
		return nil
	}
	slices.SortFunc(refs, resource.Ref.Compare)
	refs = slices.Compact(refs)
	k := l.scratch[:0]
	for _, r := range refs {
		for _, s := range [...]string{r.Provider, r.Location, r.Kind, r.Name} {
			k = append(append(k, s...), 0)
		}
	}
	l.scratch = k
	if same, ok := byKey[string(k)]; ok {
		return same
	}
	refs = slices.Clip(refs)
	if len(byKey) < most {
		byKey[string(k)] = refs
	}
	return refs
}

// resolve gives the refs that a name stands for.
func (l *loader) resolve(d *resource.Desired, u use) []resource.Ref {
	at := resource.Position{File: d.At.File, Line: int(u.line), Column: int(u.col)}
	if u.ref == nil {
		return l.resolveNeed(d, u.name, at)
	}
	r := *u.ref
	if _, there := l.find(r); u.id {
		if there || l.counted[r].count > 0 {
			l.taken[r], l.again = true, true
		}
		return nil
	} else if there {
		return []resource.Ref{r}
	}
	if g := l.counted[r]; g.count > 0 {
		l.problem(at, short(d.Ref), fmt.Sprintf("%s is the name of %d things, and one is needed here", quote(r.Name), g.count), "one of "+listed(r.Name, g.count))
	} else {
		l.unknown(at, d, r)
	}
	return nil
}

// isBroken says that a name may be that of a block with problems of its own.
func (l *loader) isBroken(name string) bool {
	i := strings.LastIndexByte(name, '-')
	return l.broken[""] || l.broken[name] || i > 0 && l.broken[name[:i]]
}

// unknown says that no thing has the name, and where one that could be meant stands.
func (l *loader) unknown(at resource.Position, d *resource.Desired, r resource.Ref) {
	switch {
	case l.isBroken(r.Name):
		return
	case len(l.problems) >= maxProblems:
		l.more++
		return
	}
	var names []string
	for i := range l.desired {
		o := l.desired[i].Ref
		switch {
		case o.Kind != r.Kind || o.Provider != r.Provider:
		case o.Location == r.Location:
			names = append(names, o.Name)
		case o.Name == r.Name:
			l.problem(at, short(d.Ref), fmt.Sprintf("the %s %s stands in %s, and this thing in %s", r.Kind, quote(r.Name), o.Location, r.Location),
				"name one of the same region")
			return
		}
	}
	hint := ""
	if len(l.problems) < maxHints {
		hint = didYouMean(r.Name, names)
	}
	if a := l.prefix(r); a != "" && hint == "" {
		hint = "name one of this stack, or write the id of another, " + a + "…"
	}
	l.problem(at, short(d.Ref), fmt.Sprintf("there is no %s %s in this stack", r.Kind, quote(r.Name)), hint)
}

// prefix finds how the ids of a kind begin, from an attribute that names the kind.
func (l *loader) prefix(r resource.Ref) string {
	for _, k := range l.opts.Schemas.Kinds(r.Provider) {
		for _, a := range k.Attrs {
			for e := &a; e != nil; e = e.Elem {
				if e.RefKind == r.Kind && e.IDPrefix != "" {
					return e.IDPrefix
				}
			}
		}
	}
	return ""
}

// resolveNeed reads a word of needs: NAME, TYPE/NAME or a whole ref. Of a count it means all.
func (l *loader) resolveNeed(d *resource.Desired, name string, at resource.Position) []resource.Ref {
	self := d.Ref
	if r, err := resource.ParseRef(name); err == nil {
		return l.existing(d, r, at)
	}
	if kind, rest, ok := strings.Cut(name, "/"); ok {
		return l.existing(d, resource.Ref{Provider: self.Provider, Location: self.Location, Kind: kind, Name: rest}, at)
	}
	var found [][]resource.Ref
	var where []string
	for _, k := range l.opts.Schemas.Kinds(self.Provider) {
		r := resource.Ref{Provider: self.Provider, Location: self.Location, Kind: k.Name, Name: name}
		if refs := l.all(r); len(refs) > 0 {
			found, where = append(found, refs), append(where, short(r))
		}
	}
	switch len(found) {
	case 1:
		return found[0]
	case 0:
		if l.isBroken(name) {
			return nil
		}
		l.problem(at, short(self), "there is nothing called "+quote(name)+" in this stack and region", didYouMean(name, l.namesIn(self.Scope())))
	default:
		l.problem(at, short(self), fmt.Sprintf("%d things are called %s", len(found), quote(name)), "write "+strings.Join(where, " or "))
	}
	return nil
}

// all gives the thing of a name, or those of its count.
func (l *loader) all(r resource.Ref) []resource.Ref {
	if _, ok := l.find(r); ok {
		return []resource.Ref{r}
	}
	var out []resource.Ref
	for i := range l.counted[r].count {
		out = append(out, resource.Ref{Provider: r.Provider, Location: r.Location, Kind: r.Kind, Name: fmt.Sprintf("%s-%d", r.Name, i)})
	}
	return out
}

func (l *loader) existing(d *resource.Desired, r resource.Ref, at resource.Position) []resource.Ref {
	refs := l.all(r)
	if len(refs) == 0 {
		l.unknown(at, d, r)
	}
	return refs
}

func (l *loader) namesIn(s resource.Scope) []string {
	var out []string
	for i := range l.desired {
		if r := l.desired[i].Ref; r.Scope() == s {
			out = append(out, r.Name)
		}
	}
	return out
}

// circles finds things that need each other. Only what needs and is needed can be in one.
func (l *loader) circles(all []resource.Desired) {
	needed := map[resource.Ref]bool{}
	for i := range all {
		for _, n := range all[i].DependsOn {
			needed[n] = false // true once it turns out to need something itself
		}
	}
	at := map[resource.Ref]resource.Position{}
	var nodes []resource.Node
	for i := range all {
		if _, ok := needed[all[i].Ref]; ok && len(all[i].DependsOn) > 0 {
			needed[all[i].Ref] = true
			at[all[i].Ref] = all[i].At
			nodes = append(nodes, resource.Node{Ref: all[i].Ref, DependsOn: all[i].DependsOn})
		}
	}
	for i := range nodes {
		nodes[i].DependsOn = slices.DeleteFunc(slices.Clone(nodes[i].DependsOn), func(r resource.Ref) bool { return !needed[r] })
	}
	for range 20 { // each round finds one circle, tells it and opens it
		var c *resource.CycleError
		if _, err := resource.Levels(nodes); !errors.As(err, &c) {
			return
		}
		l.circle(c.Cycle, at)
		first, last := c.Cycle[0], c.Cycle[len(c.Cycle)-1]
		for i := range nodes {
			if nodes[i].Ref == last {
				nodes[i].DependsOn = slices.DeleteFunc(nodes[i].DependsOn, func(r resource.Ref) bool { return r == first })
			}
		}
	}
}

func (l *loader) circle(cycle []resource.Ref, at map[resource.Ref]resource.Position) {
	words := make([]string, 0, len(cycle)+1)
	for _, r := range cycle {
		words = append(words, fmt.Sprintf("%s (line %d)", short(r), at[r].Line))
	}
	words = append(words, short(cycle[0]))
	what := "these need each other in a circle: "
	if len(cycle) == 1 {
		what = "this thing needs itself: "
	}
	l.problem(at[cycle[0]], short(cycle[0]), what+strings.Join(words, " → "), "take one of the needs away")
}
