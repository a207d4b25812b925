package planview

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// compareElements compares a list, a set or a text of several lines element by element: what is
// removed, what is added, and how many stay. False for other values.
func (p *planWriter) compareElements(c resource.Change, schema *resource.Attribute) (removed, added []string,
	same int, ok bool,
) {
	if removed, added, ok = compareDocuments(c.From, c.To); ok {
		return removed, added, 0, true
	}
	from, to, ok := parts(c)
	if !ok {
		return nil, nil, 0, false
	}
	elem := elemOf(schema)
	keep := common(from, to, p.equal)
	if schema != nil && schema.Type == resource.TSet {
		keep = commonSet(from, to, p.equal)
	}
	kept := map[int]bool{}
	for _, k := range keep {
		kept[k[1]] = true
	}
	for i, e := range from {
		if !slices.ContainsFunc(keep, func(k [2]int) bool { return k[0] == i }) {
			removed = append(removed, printableElement(valueText(e, elem)))
		}
	}
	for i, e := range to {
		if !kept[i] {
			added = append(added, p.marked(e, elem))
		}
	}
	return removed, added, len(keep), true
}

// parts are the elements of both sides of a change, where it is one of a list or of a text of
// several lines.
func parts(c resource.Change) (from, to resource.List, ok bool) {
	a, isList := c.From.(resource.List)
	b, both := c.To.(resource.List)
	switch {
	case isList && both, isList && c.To == nil, both && c.From == nil:
		return a, b, true
	}
	x, isText := c.From.(resource.String)
	y, alsoText := c.To.(resource.String)
	if isText && alsoText && strings.Contains(string(x)+string(y), "\n") {
		return linesOf(x), linesOf(y), true
	}
	return nil, nil, false
}

func linesOf(s resource.String) resource.List {
	var out resource.List
	for line := range strings.SplitSeq(string(s), "\n") {
		out = append(out, resource.String(line))
	}
	return out
}

// marked is an element with its note.
func (p *planWriter) marked(e resource.Value, schema *resource.Attribute) string {
	text := printableElement(valueText(e, schema))
	if p.isPending(e) {
		text += term.NoteMark + "known after apply"
	}
	return text
}

func printableElement(s string) string { return term.OneLine(s) }

// equal compares elements, a reference as the id it stands for.
func (p *planWriter) equal(a, b resource.Value) bool {
	return resource.Equal(p.resolved(a), p.resolved(b))
}

// resolved returns a value with ids in place of its references, if the ids are known and stay.
func (p *planWriter) resolved(v resource.Value) resource.Value {
	return resource.MapRefs(v, func(r resource.Reference) resource.Value {
		if id, ok := p.idOf(r.Ref); ok && r.Path == "" {
			return resource.String(id)
		}
		return r
	})
}

func (p *planWriter) idOf(ref resource.Ref) (string, bool) {
	if p.pending[ref] {
		return "", false
	}
	if id, ok := p.known[ref]; ok {
		return id, true
	}
	if p.id == nil {
		return "", false
	}
	return p.id(ref)
}

// isPending reports whether a value refers to a resource that will be created or replaced.
func (p *planWriter) isPending(v resource.Value) bool {
	return slices.ContainsFunc(resource.AppendRefs(nil, v), func(r resource.Ref) bool { return p.pending[r] })
}

// most is the maximum number of comparisons of elements for the shortest difference; beyond them
// equal ends are kept and the middle is shown as replaced.
const most = 4_000_000

// common pairs the elements that stay, in order: the longest common subsequence.
func common(a, b resource.List, equal func(x, y resource.Value) bool) [][2]int {
	var out [][2]int
	start, ends := 0, 0
	for start < min(len(a), len(b)) && equal(a[start], b[start]) {
		out = append(out, [2]int{start, start})
		start++
	}
	for ends < min(len(a), len(b))-start && equal(a[len(a)-1-ends], b[len(b)-1-ends]) {
		ends++
	}
	n, m := len(a)-start-ends, len(b)-start-ends
	if n > 0 && m > 0 && n*m <= most {
		for _, k := range subsequence(a[start:start+n], b[start:start+m], equal) {
			out = append(out, [2]int{k[0] + start, k[1] + start})
		}
	}
	for i := ends; i > 0; i-- {
		out = append(out, [2]int{len(a) - i, len(b) - i})
	}
	return out
}

// subsequence is the longest common subsequence by the table of lengths.
func subsequence(a, b resource.List, equal func(x, y resource.Value) bool) [][2]int {
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if length[i][j] = max(length[i+1][j], length[i][j+1]); equal(a[i], b[j]) {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case equal(a[i], b[j]):
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// commonSet pairs equal elements without regard to order.
func commonSet(a, b resource.List, equal func(x, y resource.Value) bool) [][2]int {
	var out [][2]int
	taken := map[int]bool{}
	for i := range a {
		for j := range b {
			if !taken[j] && equal(a[i], b[j]) {
				taken[j] = true
				out = append(out, [2]int{i, j})
				break
			}
		}
	}
	return out
}
