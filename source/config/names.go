package config

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// draft is a wish whose names have not been looked up yet.
type draft struct {
	want resource.Desired
	uses []use
	i    int // which of a count it is
}

// use is a name of another thing: a ref where an attribute names it, else the word that
// stands in needs.
type use struct {
	ref       resource.Ref
	name      string
	line, col int32
}

// group is a name that a count was put behind.
type group struct {
	count int
	at    resource.Position
}

// join sorts the drafts, looks up every name and gives the wishes.
func (l *loader) join() []resource.Desired {
	l.order()
	l.clashes()
	l.needs()
	out := make([]resource.Desired, len(l.drafts))
	for i := range l.drafts {
		out[i] = l.drafts[i].want
	}
	if len(l.problems) == 0 {
		l.circles(out)
	}
	return out
}

// order sorts by ref. It sorts numbers and moves each draft once: drafts are big.
func (l *loader) order() {
	less := func(a, b draft) int { return a.want.Ref.Compare(b.want.Ref) }
	if slices.IsSortedFunc(l.drafts, less) {
		return
	}
	by := make([]int32, len(l.drafts))
	for i := range by {
		by[i] = int32(i)
	}
	slices.SortStableFunc(by, func(a, b int32) int { return l.drafts[a].want.Ref.Compare(l.drafts[b].want.Ref) })
	out := make([]draft, len(by))
	for i, from := range by {
		out[i] = l.drafts[from]
	}
	l.drafts = out
}

// find looks a wish up by ref.
func (l *loader) find(r resource.Ref) bool {
	i := sort.Search(len(l.drafts), func(i int) bool { return l.drafts[i].want.Ref.Compare(r) >= 0 })
	return i < len(l.drafts) && l.drafts[i].want.Ref == r
}

// clashes finds names that stand twice, and names that differ from another only in that a
// count was put behind it: of those a person could not tell which is meant.
func (l *loader) clashes() {
	for i := 1; i < len(l.drafts); i++ {
		a, b := l.drafts[i-1].want, l.drafts[i].want
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
		i := sort.Search(len(l.drafts), func(i int) bool { return l.drafts[i].want.Ref.Compare(ref) >= 0 })
		if i == len(l.drafts) || l.drafts[i].want.Ref != ref {
			continue
		}
		plain := l.drafts[i].want.At
		l.problem(g.at, short(ref), fmt.Sprintf("the name %s stands twice, here with a count and without one at %s line %d", quote(ref.Name), plain.File, plain.Line),
			"give one of them another name: a count names "+ref.Name+"-0 and so on")
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
