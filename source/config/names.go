package config

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// use is a name of another thing: a ref where an attribute names it, else the word that
// stands in needs. Blocks that say the same share the ref.
type use struct {
	ref       *resource.Ref
	name      string
	id        bool // it was taken for an id, by how it begins
	line, col int32
}

// group is a name that a count was put behind.
type group struct {
	count int
	at    resource.Position
}

// join sorts the wishes, looks up every name, and asks the kinds what they say of all wishes
// together.
func (l *loader) join(files []*file) []resource.Desired {
	l.order()
	l.clashes()
	l.needs()
	l.together(files)
	if len(l.problems) == 0 {
		l.circles(l.desired)
	}
	return l.desired
}

// order sorts by ref. Wishes are big, so it sorts their numbers and moves each wish once.
func (l *loader) order() {
	if slices.IsSortedFunc(l.desired, func(a, b resource.Desired) int { return a.Ref.Compare(b.Ref) }) {
		return
	}
	by := make([]int32, len(l.desired))
	for i := range by {
		by[i] = int32(i)
	}
	slices.SortStableFunc(by, func(a, b int32) int { return l.desired[a].Ref.Compare(l.desired[b].Ref) })
	configured, uses := make([]resource.Desired, len(by)), make([][]use, len(by))
	for i, from := range by {
		configured[i], uses[i] = l.desired[from], l.uses[from]
	}
	l.desired, l.uses = configured, uses
}

// find looks a wish up by ref.
func (l *loader) find(r resource.Ref) (resource.Desired, bool) {
	i := sort.Search(len(l.desired), func(i int) bool { return l.desired[i].Ref.Compare(r) >= 0 })
	if i == len(l.desired) || l.desired[i].Ref != r {
		return resource.Desired{}, false
	}
	return l.desired[i], true
}

// clashes finds names that stand twice, and names that differ from another only in that a
// count was put behind it: of those a person could not tell which is meant.
func (l *loader) clashes() {
	for i := 1; i < len(l.desired); i++ {
		a, b := &l.desired[i-1], &l.desired[i]
		if a.Ref != b.Ref {
			continue
		}
		if before(b.At, a.At) {
			a, b = b, a
		}
		l.problem(b.At, short(b.Ref), fmt.Sprintf("the name %s stands twice: the other is at %s line %d", quote(b.Ref.Name), a.At.File, a.At.Line),
			"give one of them another name")
	}
	for ref, g := range l.counted {
		if plain, ok := l.find(ref); ok {
			l.problem(g.at, short(ref), fmt.Sprintf("the name %s stands twice, here with a count and without one at %s line %d", quote(ref.Name), plain.At.File, plain.At.Line),
				"give one of them another name: a count names "+ref.Name+"-0 and so on")
		}
	}
}

func before(a, b resource.Position) bool {
	switch {
	case a.File != b.File:
		return a.File < b.File
	case a.Line != b.Line:
		return a.Line < b.Line
	}
	return a.Column < b.Column
}

// short names a thing for people.
func short(r resource.Ref) string { return r.Kind + "/" + r.Name }

// listed writes the names that a count makes.
func listed(name string, count int) string {
	var out []string
	for i := range min(count, 4) {
		out = append(out, fmt.Sprintf("%s-%d", name, i))
	}
	if count > len(out) {
		out = append(out, fmt.Sprintf("… %s-%d", name, count-1))
	}
	return strings.Join(out, ", ")
}
