package selection_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"cel.dev/cel-go/cel"
	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/source/config/selection"
)

// late is a value that no expression computes with.
type late string

// values are those of a list, a map and a nested map of late values; a computed part is a number, a text or a condition.
func values() selection.Values {
	all := map[string]any{
		"list": []any{late("a"), late("b"), late("c")}, "map": map[string]any{"x": late("d"), "y": []any{late("e")}}, "one": late("f"),
	}
	return selection.Values{
		Roots: []string{"vars"},
		Form:  func(v any) string { return fmt.Sprintf("%T", v) },
		Path: func(path []string) (any, *selection.Problem) {
			var v any = all
			for _, step := range path[1:] {
				v = v.(map[string]any)[step]
			}
			return v, nil
		},
		Compute: func(text string) (any, *selection.Problem) {
			if n, err := strconv.ParseInt(text, 10, 64); err == nil {
				return n, nil
			}
			if s, err := strconv.Unquote(text); err == nil {
				return s, nil
			}
			switch text {
			case "1 + 1":
				return int64(2), nil
			case "1 < 2":
				return true, nil
			case "1 > 2":
				return false, nil
			}
			return nil, &selection.Problem{Line: 1, Summary: "cannot compute " + text}
		},
	}
}

func TestElements(t *testing.T) {
	env, err := cel.NewEnv()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]any{
		"vars.list[0]": late("a"), "vars.list[1 + 1]": late("c"), `vars.map["x"]`: late("d"), "vars.map.y[0]": late("e"),
		"(1 < 2 ? vars.list : vars.map.y)[0]": late("a"), "1 > 2 ? vars.missing[9] : vars.one": late("f"),
		"[vars.one, vars.list[1]]": []any{late("f"), late("b")}, "[vars.map][0].x": late("d"),
		"vars.map.y + [vars.one]": []any{late("e"), late("f")}, "[[vars.one]]": []any{[]any{late("f")}}, "[]": []any{},
		"[vars.one] + vars.list + vars.map.y": []any{late("f"), late("a"), late("b"), late("c"), late("e")},
	} {
		got, selects, problem := values().Element(env, text)
		if diff := cmp.Diff(want, got); diff != "" || !selects || problem != nil {
			t.Errorf("%s: %v, %v\n%s", text, selects, problem, diff)
		}
	}
	for text, want := range map[string]string{
		"vars.list[3]": "index 3 is outside a list of 3", "vars.list[-1]": "index -1 is outside", "(1 < 2 ? vars.list : vars.one)['x']": "must be an int, got string",
		"vars.map[0]": "must be text, got int64", "(1 < 2 ? vars.map : vars.one).z": `there is no key "z"`, "vars.one[0]": "selection_test.late has no elements",
		"vars.list[vars.one]": "cannot compute vars.one", "vars.one ? vars.one : vars.one": "cannot compute vars.one",
		"1 ? vars.one : vars.one": "a condition must be true or false", "[vars.one] + vars.one": "a list is joined with selection_test.late",
		"[vars.one + 'x']": "cannot compute vars.one + \"x\"",
	} {
		got, selects, problem := values().Element(env, text)
		if problem == nil || !selects || !strings.Contains(problem.Summary, want) {
			t.Errorf("%s: %v, %v, %v; want %s", text, got, selects, problem, want)
		}
	}
	for _, text := range []string{"vars.one", "vars.one == vars.one", "size(vars.list)", "vars.one + vars.one", "vars.list.filter(x, true)", "vars.one in vars.list", "{'a': vars.one}", "1 +"} {
		if got, selects, _ := values().Element(env, text); selects {
			t.Errorf("%s selects %v", text, got)
		}
	}
}

// FuzzElement: no expression ends the process, and one that selects nothing has no value.
func FuzzElement(f *testing.F) {
	for _, seed := range []string{"vars.list[0]", "[vars.one][0]", "1 < 2 ? vars.one : vars.list[1]", "vars.map['x'].y", "[1] + vars.list", "has(vars.map.x)"} {
		f.Add(seed)
	}
	env, err := cel.NewEnv()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := values()
		v.Path = func(path []string) (any, *selection.Problem) { return []any{late(strings.Join(path, "."))}, nil }
		got, selects, problem := v.Element(env, text)
		if !selects && (got != nil || problem != nil) {
			t.Errorf("%q selects nothing, and is %v, %v", text, got, problem)
		}
	})
}
