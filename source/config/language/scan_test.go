package language

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/source"
)

func TestScan(t *testing.T) {
	for text, want := range map[string][]string{
		"plain":                    {"0 plain"},
		"a ${env:X} b":             {"0 a ", "1 env:X", "0  b"},
		"${file:it's}":             {"1 file:it's"},
		"$${x} ${vars.x}":          {"0 ${x} ", "3 vars.x"},
		"${rds/db.endpoint}":       {"2 rds/db.endpoint"},
		"${rds/${vars.e}-db.port}": {"2 rds/${vars.e}-db.port"},
		"${vars.a/2}":              {"3 vars.a/2"},
		"${a/b + 1}":               {"3 a/b + 1"},
		"${{'a': '}'}['a']}":       {"3 {'a': '}'}['a']"},
		"${'''a'}''' + r'\\'}":     {"3 '''a'}''' + r'\\'"},
		"${vars.x":                 nil,
		"${'a}":                    nil,
	} {
		pieces, ok := scan(text)
		var got []string
		for _, p := range pieces {
			got = append(got, string('0'+rune(p.kind))+" "+p.text)
		}
		if diff := cmp.Diff(want, got); diff != "" || ok == (want == nil) {
			t.Errorf("%s: %v %s", text, ok, diff)
		}
	}
}

// FuzzScan: the scanner ends, and finds in plain references and outside values the parts that package source finds.
func FuzzScan(f *testing.F) {
	for _, s := range []string{"a ${env:X} b", "${a/${vars.x}}", "$${x}", "${'", "${{}}", "${${${", "${a/b}${file:c}", "${//\n}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		pieces, ok := scan(s)
		if !ok || isComputed(pieces) {
			return
		}
		var got strings.Builder
		for _, p := range pieces {
			if p.kind == literal {
				got.WriteString(p.text)
			} else {
				got.WriteString("<" + p.text + ">")
			}
		}
		parts, unclosed, _ := source.Expand(s, func(from, name string) (source.Part, bool) {
			return source.Part{Text: from + ":" + name, From: "x"}, true
		})
		var want strings.Builder
		for _, p := range parts {
			if p.From == "" && !p.Reference {
				want.WriteString(p.Text)
			} else {
				want.WriteString("<" + p.Text + ">")
			}
		}
		if unclosed == "" && got.String() != want.String() && !strings.Contains(s, "${}") && !strings.ContainsAny(s, "{'\"/:\n\t\r ") {
			t.Errorf("%q: %s, and package source reads %s", s, got.String(), want.String())
		}
		compile(s)
	})
}

// TestOtherFunctions: a function for which there is advice does not exist, and what the advice names does.
func TestOtherFunctions(t *testing.T) {
	for _, x := range []struct{ name, of, instead string }{
		{"length", "vars", "size(vars)"},
		{"upper", "stack", "stack.upperAscii()"},
		{"lower", "stack", "stack.lowerAscii()"},
		{"trimspace", "stack", "stack.trim()"},
		{"concat", "[1], [2]", "[1] + [2]"},
		{"contains", "['a'], 'a'", "'a' in ['a']"},
		{"substr", "'abc', 0, 1", "'abc'.substring(0, 1)"},
		{"distinct", "['a']", "['a'].distinct()"},
		{"flatten", "[['a']]", "[['a']].flatten()"},
		{"reverse", "['a']", "['a'].reverse()"},
		{"sort", "['a']", "['a'].sort()"},
		{"element", "['a'], 0", "['a'][0]"},
		{"slice", "['a'], 0, 1", "['a'].slice(0, 1)"},
		{"keys", "{'a': 1}", "{'a': 1}.map(k, k)"},
		{"values", "{'a': 1}", "{'a': 1}.transformList(k, v, v)"},
		{"lookup", "{'a': 1}, 'a', 2", "'a' in {'a': 1} ? {'a': 1}['a'] : 2"},
		{"tostring", "1", "string(1)"},
		{"tonumber", "'1'", "int('1')"},
		{"max", "1, 2", "math.greatest(1, 2)"},
		{"min", "1, 2", "math.least(1, 2)"},
		{"abs", "1", "math.abs(1)"},
		{"ceil", "1.5", "math.ceil(1.5)"},
		{"floor", "1.5", "math.floor(1.5)"},
		{"range", "2", "lists.range(2)"},
		{"jsonencode", "1", "json(1)"},
		{"base64encode", "'a'", "base64('a')"},
		{"cidrsubnet", "'10.0.0.0/8', 8, 1", "cidr.subnet('10.0.0.0/8', 8, 1)"},
		{"join", "'-', ['a']", "['a'].join('-')"},
		{"split", "'-', 'a-b'", "'a-b'.split('-')"},
		{"replace", "'abc', 'b', 'x'", "'abc'.replace('b', 'x')"},
		{"timestamp", "", "'a'"},
		{"now", "", "'a'"},
	} {
		p := compile(x.name + "(" + x.of + ")")
		if at := p.err; at == nil || at.Suggestion != otherFunction(x.name) || at.Suggestion == "" {
			t.Errorf("%s: %+v", x.name, at)
		}
		if p := compile(x.instead); p.err != nil {
			t.Errorf("%s instead of %s: %+v", x.instead, x.name, p.err)
		}
	}
}
