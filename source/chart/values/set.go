package values

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart/page"
	"github.com/ovi-project/ovi/source/syntax"
)

// setOne sets one value that is given as KEY.KEY=VALUE: \. is a dot in a key, KEY[0] an element of a
// list. What it is set to is not shown: it may be a secret.
func setOne(r *page.Reader, into map[string]any, s string) bool {
	path, value, ok := strings.Cut(s, "=")
	steps, valid := setPath(path)
	if !ok || !valid {
		r.Problem(position.Position{}, "", "invalid --set "+source.Quote(path), "use --set KEY.KEY=VALUE")
		return false
	}
	_, why := setAt(into, steps, setValue(value))
	if why != "" {
		r.Problem(position.Position{}, "", "invalid --set "+source.Quote(path)+": "+why, "see values.yaml")
	}
	return why == ""
}

// step is one step of a path: a key, or the index of an element.
type step struct {
	key   string
	index int // -1 for a key
}

func (s step) String() string {
	if s.index >= 0 {
		return "[" + strconv.Itoa(s.index) + "]"
	}
	return s.key
}

// setPath reads a path.
func setPath(path string) (steps []step, ok bool) {
	const dot = "\x00"
	for _, part := range strings.Split(strings.ReplaceAll(path, `\.`, dot), ".") {
		key, rest, indexed := strings.Cut(strings.ReplaceAll(part, dot, "."), "[")
		if key == "" {
			return nil, false
		}
		steps = append(steps, step{key, -1})
		for indexed {
			var index string
			index, rest, ok = strings.Cut(rest, "]")
			n, err := strconv.Atoi(index)
			if !ok || err != nil || n < 0 || rest != "" && rest[0] != '[' {
				return nil, false
			}
			steps, indexed = append(steps, step{index: n}), rest != ""
			rest = strings.TrimPrefix(rest, "[")
		}
	}
	return steps, true
}

// setAt sets what is at a path below a value, and returns the value. why is not empty if it
// cannot.
func setAt(have any, path []step, to any) (set any, why string) {
	if len(path) == 0 {
		return to, ""
	}
	if s := path[0]; s.index >= 0 {
		list, isList := have.([]any)
		if !isList && have != nil || s.index > len(list) {
			return have, fmt.Sprintf("there is no element %s", s)
		}
		if s.index == len(list) {
			list = append(list, nil)
		}
		list[s.index], why = setAt(list[s.index], path[1:], to)
		return list, why
	}
	m, isMap := have.(map[string]any)
	if !isMap && have != nil {
		return have, "the value above " + path[0].key + " has no keys"
	}
	if !isMap {
		m = map[string]any{}
	}
	if len(path) == 1 && to == nil {
		delete(m, path[0].key)
		return m, ""
	}
	m[path[0].key], why = setAt(m[path[0].key], path[1:], to)
	return m, why
}

// setValue reads a value: true, false, null, a number that is printed as it is written, [a, b] or
// {a: 1}; anything else is a string.
func setValue(s string) any {
	if strings.HasPrefix(s, "[") || strings.HasPrefix(s, "{") {
		if docs, err := syntax.Parse(strings.NewReader(s)); err == nil && len(docs) == 1 {
			n := syntax.NewConverter(nil, 0, func(int32, int32, string, string) {}).Node(docs[0], 0)
			return setNode(&n)
		}
		return s
	}
	switch s {
	case "null":
		return nil
	case "true", "false":
		return s == "true"
	}
	for _, t := range []source.Type{source.Int, source.Float} {
		if v, same := typed(t, s); same && v != s {
			return v
		}
	}
	return s
}

func setNode(n *source.Node) any {
	switch n.Shape {
	case source.List:
		out := make([]any, len(n.Kids))
		for i := range n.Kids {
			out[i] = setNode(&n.Kids[i])
		}
		return out
	case source.Object:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Kids); i += 2 {
			out[n.Kids[i].Text] = setNode(&n.Kids[i+1])
		}
		return out
	}
	if v, same := typed(n.Type, n.Text); same {
		return v
	}
	return n.Text
}

// SetText sets the value at a path of keys to a text, and reports whether it could.
func SetText(values map[string]any, path []string) bool {
	steps := make([]step, len(path))
	for i := range path {
		steps[i] = step{path[i], -1}
	}
	_, why := setAt(values, steps, "1")
	return why == ""
}
