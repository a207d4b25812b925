package language

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
)

// mostEntries bounds the entries of a for_each.
const mostEntries = 10_000

// Member is one block without expressions, for_each and when.
type Member struct {
	Node source.Node
	// Group is the name of all members of a for_each. An empty name means that the block has none.
	Group string
	// Block is the name of the block of a for_each, as written.
	Block string
	// IsEmpty reports that a for_each has no entries. The node has the keys of the block that need no entry.
	IsEmpty bool
	// Failed reports that an expression of the block has a problem.
	Failed bool
	// Index is the number of the resource in a block with count, counted from 1. Zero means that the block is all
	// resources of its count.
	Index int
	// Absent reports that when is false. The node has the keys of the block that need no expression.
	Absent bool
	// Scope is the entry of the for_each; nil if the block has none.
	Scope    *Scope
	wasBlock bool // the key was of a block with for_each has no expression: it is the former name of the block
}

// entry is one entry of a for_each.
type entry struct {
	key   string
	value any
}

// Block yields the members of a block. If its when is false, it yields one that is Absent.
func (l *Language) Block(f *input.File, n *source.Node, yield func(*Member) bool) bool {
	if len(l.bindings) > 0 {
		BarePaths(l, f, n, refOf(n, l.opts.Prefix), true)
	}
	forEach, when, group := n.Get("for_each"), n.Get("when"), n.Get("group")
	if n.Shape != source.Object || forEach == nil && when == nil && group == nil && !mayChange(n) {
		return yield(&Member{Node: *n})
	}
	sc := &Scope{Ref: refOf(n, l.opts.Prefix)}
	failed, name := l.failed, groupOf(n)
	if when != nil && !(forEach != nil && usesEach(when)) {
		holds, ok := l.condition(f, when, sc)
		if ok && !holds {
			return yield(l.absent(f, n, when, sc))
		}
		if !ok {
			return yield(&Member{Node: plainKeys(n), Failed: true, IsEmpty: true})
		}
		when = nil
	}
	if forEach == nil {
		if group != nil {
			l.wrong(f, group, sc.Ref, "group names the members of a for_each, and the block has none",
				"add for_each, or remove group")
		}
		return l.members(f, l.template(f, n, nil), sc, failed, yield)
	}
	entries, ok := l.entries(f, forEach, sc)
	if ok && group != nil {
		name, ok = l.groupName(f, group, sc)
	}
	if !ok {
		return yield(&Member{Node: plainKeys(n), Failed: true, IsEmpty: true, Group: name})
	}
	some, block := false, name
	if x := n.Get("name"); block == "" && x != nil {
		block = x.Text
	}
	was := n.Get("was")
	wasBlock := was != nil && !source.HasParts(was.Text)
	var base *template
	for _, e := range entries {
		failed := l.failed
		each := &Scope{Ref: sc.Ref, Key: e.key, each: map[string]any{"key": e.key, "value": e.value}}
		if when != nil {
			holds, ok := l.condition(f, when, each)
			if ok && !holds {
				continue
			}
		}
		some = true
		if base == nil {
			base = l.template(f, n, sc)
		}
		if !l.members(f, base, each, failed, func(m *Member) bool {
			m.Group, m.Block, m.wasBlock = name, block, wasBlock
			return yield(m)
		}) {
			return false
		}
	}
	return some || yield(&Member{Node: plainKeys(n), IsEmpty: true, Group: name})
}

// absent returns the block of a condition that is false. Its name is evaluated, for messages about references to it.
func (l *Language) absent(f *input.File, n, when *source.Node, sc *Scope) *Member {
	node := plainKeys(n)
	node.Line, node.Column = when.Line, when.Column
	if x := n.Get("name"); x != nil && source.HasParts(x.Text) && n.Get("for_each") == nil {
		failed, report := l.failed, l.opts.Wrong
		l.opts.Wrong = func(position.Position, string, string, string) {} // its problems are not reported
		name, _ := l.Expand(f, x, sc, false)
		if l.failed, l.opts.Wrong = failed, report; name.Bad || name.Parts != nil {
			name = *x
		}
		node.Kids = append(node.Kids, source.Node{Line: x.Line, Column: x.Column, Text: "name"}, name)
	}
	return &Member{Node: node, Absent: true, Group: groupOf(n)}
}

// groupName evaluates the name of a group, which is known when the configuration is read.
func (l *Language) groupName(f *input.File, n *source.Node, sc *Scope) (string, bool) {
	failed := l.failed
	node, _ := l.Expand(f, n, sc, true)
	v, err := valueOf(&node)
	if l.failed > failed {
		return "", false
	}
	name, ok := v.(string)
	if err != nil || !ok || name == "" {
		l.wrong(f, n, sc.Ref, "group must be text that is known when the configuration is read, got "+form(v),
			"use a name, such as group: web")
		return "", false
	}
	return name, true
}

// groupOf returns the name of all members of a block. An empty name means that they have none.
func groupOf(n *source.Node) string {
	x, t := n.Get("name"), n.Get("type")
	switch group := n.Get("group"); {
	case group != nil:
		return group.Text
	case x != nil && !source.HasParts(x.Text):
		return x.Text
	case x == nil && t != nil:
		return t.Text
	}
	return ""
}

// members yields the block of one entry: once, or if it uses index, once for each resource of its count.
func (l *Language) members(f *input.File, t *template, sc *Scope, failed int, yield func(*Member) bool) bool {
	if !t.usesIndex {
		node := l.instance(f, t, sc, false)
		return yield(&Member{Node: node, Failed: t.failed || l.failed > failed, Scope: sc})
	}
	head := l.instance(f, t, sc, true)
	count := 0
	if x := head.Get("count"); x != nil && x.Type == source.Int {
		count, _ = strconv.Atoi(x.Text)
	}
	if bad := t.failed || l.failed > failed; count < 1 || count > source.MaxCount || bad { // the reader reports a count
		return yield(&Member{Node: head, Failed: bad, IsEmpty: true})
	}
	for i := range count {
		one := *sc
		one.isMember, one.index = true, int64(i)
		node := l.instance(f, t, &one, false)
		if m := (&Member{Node: node, Failed: l.failed > failed, Index: i + 1}); !yield(m) || m.Failed {
			return !m.Failed
		}
	}
	return true
}

// reads reports whether pieces of a string read a root.
func (l *Language) reads(pieces []piece, root string) bool {
	return slices.ContainsFunc(pieces, func(p piece) bool {
		return l.reads(p.inner, root) || p.kind == expression &&
			slices.ContainsFunc(l.program(p.text).refs, func(path []string) bool { return path[0] == root })
	})
}

// entries returns the entries of a for_each, sorted by key.
func (l *Language) entries(f *input.File, n *source.Node, sc *Scope) ([]entry, bool) {
	fail := func(summary, suggestion string) ([]entry, bool) {
		l.wrong(f, n, sc.Ref, summary, suggestion)
		return nil, false
	}
	failed := l.failed
	node, present := l.Expand(f, n, sc, true)
	v, err := valueOf(&node)
	switch {
	case l.failed > failed:
		return nil, false
	case err != nil:
		return fail("for_each: "+err.Error(), "use a list of strings or a map")
	case !present || v == nil:
		return fail("for_each must be a list of strings or a map, got nothing", "use [] for no entries")
	}
	var out []entry
	switch v := v.(type) {
	case map[string]any:
		for _, k := range keysOf(v) {
			out = append(out, entry{k, v[k]})
		}
	case []any:
		for _, x := range v {
			key, ok := x.(string)
			if number, isNumber := x.(int64); isNumber {
				key, ok = strconv.FormatInt(number, 10), true
			}
			if !ok {
				if _, opaque := x.(Opaque); opaque {
					return fail("for_each needs a value known before apply, and it has "+form(x),
						"iterate over names, and use the value in an attribute")
				}
				return fail("for_each must be a list of strings, got "+form(x)+" in it", "use by(list, 'FIELD') for a list of maps")
			}
			out = append(out, entry{key, x})
		}
	case Opaque:
		return fail("for_each needs a value known before apply, and this is "+form(v),
			"iterate over names, and use the value in an attribute")
	default:
		return fail("for_each must be a list of strings or a map, got "+form(v),
			cmp.Or(source.AsExpression(n.Text), "use [A, B]"))
	}
	slices.SortStableFunc(out, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	for i, e := range out {
		switch {
		case e.key == "":
			return fail("for_each has an empty key", "use a name for each entry")
		case i > 0 && out[i-1].key == e.key:
			return fail("for_each has the key "+source.Quote(e.key)+" twice", "remove one")
		}
	}
	if len(out) > mostEntries {
		return fail("for_each has more than 10000 entries", "use several blocks")
	}
	return out, true
}

// refOf returns the short name of a block, with its expressions.
func refOf(n *source.Node, prefix string) string {
	var out []string
	if n.Get("use") != nil {
		out = []string{"use"}
	}
	for _, key := range []string{"type", "name"} {
		if x := n.Get(key); x != nil && x.Shape == source.Scalar && x.Text != "" {
			out = append(out, x.Text)
		}
	}
	if len(out) < 2 {
		return strings.Join(out, "/")
	}
	return source.Inside(prefix, strings.Join(out, "/"))
}

// usesEach reports whether a condition reads each.
func usesEach(n *source.Node) bool {
	p := compile(n.Text)
	return slices.ContainsFunc(p.refs, func(path []string) bool { return path[0] == "each" })
}

// own are the keys of a block that only this package reads.
func own() []string { return []string{"for_each", "when", "group"} }

// without returns a block without the keys that only this package reads.
func without(n *source.Node) *source.Node {
	out := *n
	out.Kids = make([]source.Node, 0, len(n.Kids))
	for i := 0; i+1 < len(n.Kids); i += 2 {
		if !slices.Contains(own(), n.Kids[i].Text) {
			out.Kids = append(out.Kids, n.Kids[i], n.Kids[i+1])
		}
	}
	return &out
}

// plainKeys returns the keys of a block that name it and have no expressions.
func plainKeys(n *source.Node) source.Node {
	out := *n
	out.Kids = nil
	for i := 0; i+1 < len(n.Kids); i += 2 {
		k, v := &n.Kids[i], &n.Kids[i+1]
		if k.Text == "spec" || slices.Contains(own(), k.Text) || v.Shape != source.Scalar || source.HasParts(v.Text) {
			continue
		}
		out.Kids = append(out.Kids, *k, *v)
	}
	return out
}
