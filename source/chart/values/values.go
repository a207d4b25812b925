package values

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart/page"
)

// Read makes the values: values.yaml of the chart, then the given files, then --set. ok is
// false if some are not known.
func Read(r *page.Reader, dir string, files, set []string) (out map[string]any, ok bool) {
	out, ok = map[string]any{}, true
	names := files
	defaults := filepath.Join(dir, "values.yaml")
	if _, err := r.Disk.Stat(defaults); err == nil {
		names = append([]string{defaults}, names...)
	}
	public := map[string]bool{}
	for i, name := range names {
		read, good := readFile(r, name)
		if own := i == 0 && len(names) > len(files); own {
			leaves(read, "", func(_, text string) { public[text] = true })
		} else {
			// Secrets are in files that are not the chart's own: messages show no value that the chart itself does not have.
			leaves(read, "", func(path, text string) {
				if len(text) >= shortest && !public[text] {
					r.Draft.Outside(text, ".Values"+path)
				}
			})
		}
		merge(out, read)
		ok = ok && good
	}
	for _, s := range set {
		ok = setOne(r, out, s) && ok
	}
	return out, ok
}

// shortest is the shortest text of a values file that no message shows: shorter ones are parts of
// too many words.
const shortest = 6

// leaves calls do for each value that is no block of keys and no list.
func leaves(v any, path string, do func(path, text string)) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			leaves(v[k], path+"."+k, do)
		}
	case []any:
		for i := range v {
			leaves(v[i], path+"["+strconv.Itoa(i)+"]", do)
		}
	case nil, bool:
	default:
		do(path, fmt.Sprint(v))
	}
}

// readFile reads one file of values.
func readFile(r *page.Reader, name string) (values map[string]any, ok bool) {
	s, problem := r.ReadText(name)
	if problem != nil {
		r.Draft.Problem(*problem)
		return nil, false
	}
	before := r.Draft.Failed()
	nodes := r.Nodes(page.PlainText(&page.File{Name: name, Text: s}))
	if r.Draft.Failed() > before {
		return nil, false
	}
	if len(nodes) > 1 {
		r.Problem(page.At(name, nodes[1].Line, nodes[1].Column), "", "a second document in a file of values",
			"remove the --- line that starts it")
	}
	if len(nodes) == 0 || nodes[0].IsNull() {
		return nil, true
	}
	if nodes[0].Shape != source.Object {
		r.Problem(page.At(name, nodes[0].Line, nodes[0].Column), "", "values must be a block of keys, got "+nodes[0].Form(),
			"use KEY: VALUE lines")
		return nil, false
	}
	values, _ = valueOf(r, name, &nodes[0]).(map[string]any)
	return values, true
}

// valueOf turns a node into what a template sees. A number that a template would print otherwise
// than it is written is a problem: an image's tag 1.10 would become 1.1.
func valueOf(r *page.Reader, name string, n *source.Node) any {
	switch n.Shape {
	case source.List:
		out := make([]any, len(n.Kids))
		for i := range n.Kids {
			out[i] = valueOf(r, name, &n.Kids[i])
		}
		return out
	case source.Object:
		for again, first := range source.Duplicates(n) {
			r.Problem(page.At(name, again.Line, again.Column), "", "duplicate key "+source.Quote(again.Text),
				fmt.Sprintf("remove one; the other is on line %d", first.Line))
		}
		out := make(map[string]any, len(n.Kids)/2)
		for i := 0; i+1 < len(n.Kids); i += 2 {
			if key := n.Kids[i].Text; out[key] == nil {
				out[key] = valueOf(r, name, &n.Kids[i+1])
			}
		}
		return out
	}
	v, ok := typed(n.Type, n.Text)
	if !ok {
		r.Problem(page.At(name, n.Line, n.Column), "", "a template prints this number otherwise than it is written",
			"quote it, or write it in plain decimal digits")
	}
	return v
}

// typed is the value of a scalar. same is false if it is printed otherwise than it is written.
func typed(t source.Type, text string) (v any, same bool) {
	switch t {
	case source.Null:
		return nil, true
	case source.Bool:
		return strings.EqualFold(text, "true"), true
	case source.Int:
		if n, err := strconv.Atoi(text); err == nil {
			return n, strconv.Itoa(n) == text
		}
		n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 0, 64)
		if err != nil {
			return text, true
		}
		return int(n), false
	case source.Float:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return text, true // .inf
		}
		return n, fmt.Sprint(n) == text
	}
	return text, true
}

// merge lets the values of from win. A null removes a value.
func merge(into, from map[string]any) {
	for k, v := range from {
		below, isMap := v.(map[string]any)
		have, both := into[k].(map[string]any)
		switch {
		case v == nil && into[k] != nil:
			delete(into, k)
		case isMap && both:
			merge(have, below)
		default:
			into[k] = v
		}
	}
}

// CopyOf copies values and everything below them.
func CopyOf(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := maps.Clone(v)
		for k := range out {
			out[k] = CopyOf(out[k])
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = CopyOf(v[i])
		}
		return out
	}
	return v
}
