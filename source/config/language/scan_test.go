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
