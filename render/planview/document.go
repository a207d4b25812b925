package planview

import (
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// node is a part of a JSON document. The order of keys is kept.
type node struct {
	kind   byte // '{', '[' or 's' for a scalar
	text   string
	keys   []string
	values []node
}

// documentOf returns the JSON object that a string holds, such as a policy. It returns false for any other value,
// and for an object that has a key twice: no reader agrees on its meaning.
func documentOf(v resource.Value) (node, bool) {
	var text string
	switch v := v.(type) {
	case resource.String:
		text = string(v)
	case resource.Text:
		if hides(v) {
			return node{}, false
		}
		text = textOf(v)
	}
	if text = strings.TrimSpace(text); !strings.HasPrefix(text, "{") {
		return node{}, false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	n, ok := readNode(d, 0)
	if _, err := d.Token(); err != io.EOF || !ok || len(n.keys) == 0 {
		return node{}, false
	}
	return n, true
}

// maxDepth is the maximum depth of a document.
const maxDepth = 50

func readNode(d *json.Decoder, depth int) (n node, ok bool) {
	t, err := d.Token()
	if err != nil || depth > maxDepth {
		return node{}, false
	}
	switch t := t.(type) {
	case json.Delim:
		n.kind = byte(t)
		for d.More() {
			if n.kind == '{' {
				key, err := d.Token()
				name, is := key.(string)
				if err != nil || !is || slices.Contains(n.keys, name) {
					return node{}, false
				}
				n.keys = append(n.keys, name)
			}
			inner, ok := readNode(d, depth+1)
			if !ok {
				return node{}, false
			}
			n.values = append(n.values, inner)
		}
		_, err := d.Token()
		return n, err == nil
	case string:
		return node{kind: 's', text: scalar(t)}, true
	case json.Number:
		return node{kind: 's', text: t.String()}, true
	case bool:
		return node{kind: 's', text: strconv.FormatBool(t)}, true
	}
	return node{kind: 's', text: "null"}, true
}

// scalar writes a string of a document, in quotes if it could be read as something else.
func scalar(s string) string {
	_, err := strconv.ParseFloat(s, 64)
	if err == nil || s == "true" || s == "false" || s == "null" || strings.HasSuffix(s, ":") || strings.Contains(s, ": ") {
		return strconv.Quote(s)
	}
	return word(s)
}

// flow writes a node on one line.
func (n node) flow() string {
	parts := make([]string, len(n.values))
	for i, v := range n.values {
		if parts[i] = v.flow(); n.kind == '{' {
			parts[i] = scalar(n.keys[i]) + ": " + parts[i]
		}
	}
	switch n.kind {
	case '{':
		return "{" + strings.Join(parts, ", ") + "}"
	case '[':
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return n.text
}

// lines writes a node on lines of at most so many columns, where that is possible.
func (n node) lines(width int) (out []string) {
	if text := n.flow(); n.kind == 's' || len(n.values) == 0 || term.Columns(text) <= width {
		return []string{text}
	}
	for i, v := range n.values {
		head, indent := "-", 2
		if n.kind == '{' {
			head = scalar(n.keys[i]) + ":"
		}
		inner := v.lines(width - indent)
		if oneLine := len(inner) == 1; n.kind == '[' || oneLine && term.Columns(head+" "+inner[0]) <= width {
			head += " " + inner[0]
			inner = inner[1:]
		}
		out = append(out, head)
		for _, line := range inner {
			out = append(out, term.Spaces(indent)+line)
		}
	}
	return out
}

// compareDocuments returns the removed and the added paths of two documents, each with its value. It returns false
// if a value is not a document, or if only the form differs.
func compareDocuments(from, to resource.Value) (removed, added []string, ok bool) {
	a, isFrom := documentOf(from)
	b, isTo := documentOf(to)
	switch {
	case isFrom && to == nil:
		return []string{printableElement(a.flow())}, nil, true
	case isTo && from == nil:
		return nil, []string{printableElement(b.flow())}, true
	case !isFrom || !isTo:
		return nil, nil, false
	}
	compareNodes("", a, b, func(path string, old, now *node) {
		if old != nil {
			removed = append(removed, printableElement(path+": "+old.flow()))
		}
		if now != nil {
			added = append(added, printableElement(path+": "+now.flow()))
		}
	})
	return removed, added, len(removed)+len(added) > 0
}

func compareNodes(path string, a, b node, differs func(path string, old, now *node)) {
	switch {
	case a.flow() == b.flow():
	case a.kind == '{' && b.kind == '{':
		at := func(key string) string { return strings.TrimPrefix(path+"."+scalar(key), ".") }
		for i, key := range a.keys {
			if j := slices.Index(b.keys, key); j >= 0 {
				compareNodes(at(key), a.values[i], b.values[j], differs)
			} else {
				differs(at(key), &a.values[i], nil)
			}
		}
		for j, key := range b.keys {
			if !slices.Contains(a.keys, key) {
				differs(at(key), nil, &b.values[j])
			}
		}
	case a.kind == '[' && b.kind == '[':
		compareLists(path, a.values, b.values, differs)
	default:
		differs(path, &a, &b)
	}
}

// compareLists pairs equal elements, then the others of the same kind in order.
func compareLists(path string, a, b []node, differs func(path string, old, now *node)) {
	left := func(of, other []node) (out []int) {
		used := map[int]bool{}
		for i := range of {
			j := slices.IndexFunc(other, func(n node) bool { return n.flow() == of[i].flow() })
			for j >= 0 && used[j] {
				next := slices.IndexFunc(other[j+1:], func(n node) bool { return n.flow() == of[i].flow() })
				if next < 0 {
					j = -1
				} else {
					j += 1 + next
				}
			}
			if j < 0 {
				out = append(out, i)
				continue
			}
			used[j] = true
		}
		return out
	}
	at := func(i int) string { return path + "[" + strconv.Itoa(i) + "]" }
	olds, news := left(a, b), left(b, a)
	if len(olds)+len(news) == 0 { // only the order differs
		differs(path, &node{kind: '[', values: a}, &node{kind: '[', values: b})
	}
	for len(olds) > 0 && len(news) > 0 && a[olds[0]].kind == '{' && b[news[0]].kind == '{' {
		compareNodes(at(news[0]), a[olds[0]], b[news[0]], differs)
		olds, news = olds[1:], news[1:]
	}
	for _, i := range olds {
		differs(at(i), &a[i], nil)
	}
	for _, j := range news {
		differs(at(j), nil, &b[j])
	}
}
