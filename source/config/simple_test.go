package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/syntax"
)

// agree says whether the simple reader and the library read a block alike. What the simple
// reader gives up on is always alike.
func agree(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string,
) (simpleEnough bool) {
	t.Helper()
	var r simple
	got, ok := r.block(text, 7)
	if !ok {
		return false
	}
	docs, err := syntax.Parse(strings.NewReader(text))
	if err != nil || len(docs) != 1 || docs[0].Content[0].Kind != yaml.SequenceNode || len(docs[0].Content[0].Content) != 1 {
		t.Fatalf("only the simple reader reads\n%q\nas %+v; the library says %v", text, got, err)
	}
	c := syntax.NewConverter(6, func(line, col int32, s, _ string) { t.Fatalf("%q: the library has a problem: %s", text, s) })
	want := c.Node(docs[0].Content[0].Content[0], 2)
	if diff := cmp.Diff(want, got, cmp.Transformer("kids", func(n []source.Node) []source.Node {
		if len(n) == 0 {
			return nil
		}
		return n
	})); diff != "" {
		t.Fatalf("the library (-) and the simple reader (+) differ in\n%q\n%s", text, diff)
	}
	return true
}

func TestSimpleReadsWhatBlocksAreWrittenIn(t *testing.T) {
	for name, text := range map[string]string{
		"keys and values":     "  - type: ec2\n    count: 3\n    size: t3.micro\n",
		"nested keys":         "- type: ec2\n  tags:\n    environment: prod\n    team: platform\n",
		"list below":          "  - type: ec2\n    security_groups:\n      - web\n      - db\n    size: x\n",
		"list under its key":  "  - type: ec2\n    security_groups:\n    - web\n    - db\n    size: x\n",
		"list of blocks":      "  - ingress:\n      - port: 80\n        cidr: 0.0.0.0/0\n      - port: 443\n        cidr: \"::/0\"\n",
		"lists on one line":   "  - a: [web, db]\n    b: []\n    c: [1, \"2\"]\n    d: {port: 80, cidr: 0.0.0.0/0}\n    e: {}\n",
		"comments":            "  # above\n  - a: b # beside\n\n    # between\n    c: [d] # list\n  # below\n",
		"quotes":              "  - a: \"x: y # z\"\n    b: 'no \"escape\" here'\n    c: ''\n",
		"escapes":             "  - a: \"x \\\"y\\\" \\\\ \\n \\t\"\n    b: \"\\\\\"\n",
		"other letters":       "  - a: ä ö\n    b: \"日本\" # ü\n    # ß\n    c: é\n    d: |\n      ñ\n",
		"from outside":        "  - a: ${env:NAME}\n    b: x-${file:a/b.txt}\n",
		"truth and numbers":   "  - a: true\n    b: false\n    c: 0\n    d: 42\n",
		"arn and url":         "  - a: arn:aws:iam::123:role/x\n    b: http://example.com/?q\n",
		"script":              "  - user_data: |\n      #!/bin/sh\n      echo: hi\n\n        deeper\n    b: c\n",
		"script without end":  "  - user_data: |-\n      one\n      two\n\n",
		"windows line ends":   "  - a: b\r\n    c:\r\n      - d\r\n    e: |\r\n      f\r\n",
		"dash with two steps": "  -   a: b\n      c: d\n",
	} {
		if name == "arn and url" {
			text = strings.ReplaceAll(text, "?q", "q")
		}
		if !agree(t, text) {
			t.Errorf("%s: the simple reader gives up on\n%s", name, text)
		}
	}
}

func TestSimpleGivesUpOnWhatItIsNotSureOf(t *testing.T) {
	for _, text := range []string{
		"", "-", "- a", "- a:", "- a: b: c\n", "- a: yes\n", "- a: 010\n", "- a: 1.5e3\n", "- a: 01.5\n", "- a: 1.\n", "- a: ~\n", "- a: 2024-01-01\n", "- a: *b\n",
		"- a: !!str b\n", "- a: >\n    b\n", "- a: \"b\\x41\"\n", "- a: [ä]\n", "- a: b\u0085c\n", "- a: \ufeffb\n", "- a: 'b''c'\n", "- a: b\n    c\n", "- a: [b,\n  c]\n", "- a: [b,]\n", "- a:\tb\n",
		"- ? a\n", "- <<: b\n", "- a: 0x1f\n", "- a: 1_000\n", "- a: .inf\n", "- a: |\n\n    b\n", "- a: |2\n    b\n", "- a: |+\n    b\n\n", "- a: @b\n", "- a: b #\tc\n", "- null: b\n",
	} {
		var r simple
		if n, ok := r.block(text, 1); ok {
			t.Errorf("%q was read as %+v", text, n)
		}
		agree(t, text)
	}
}

// yamlish draws texts that look like blocks, with what could be misread sprinkled in.
func yamlish(t *rapid.T) string {
	word := rapid.SampledFrom([]string{
		"a", "type", "ec2", "true", "no", "12", "0", "007", "1.5", "0.25", "10.0.0.1", "1.2.3", "10.0.0.0/16", "\"q\"", "'s'", "\"a: b\"", "[a, b]", "[1,2]", "{a: b}", "[]", "{}", "[a, [b]]",
		"x y", "a:b", "a: b", "a #c", "a#c", "-", "- b", "$", "${env:A}", "|", "|-", ">", "&x", "*x", "!t", "~", "null", "", "ä", "ä b", "\"ä\"", "[ä, b]", "\"\\n\"", "\"\\\\\"", "\"a\\\"b\"", "\"\\x41\"", "\"\\\\n\"", "'it''s'", "a,b", "(x)", "?", "%", "@", "`", "2024-01-01", "12:30", "1e3", "=", "<<", "#", "# c", "a\tb", "{a: b,}", "[a b]", "a]", "}", "key:", "a  b",
	})
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", rapid.IntRange(0, 3).Draw(t, "indent")) + "- ")
	for i := range rapid.IntRange(1, 7).Draw(t, "lines") {
		if i > 0 {
			b.WriteString(strings.Repeat(" ", rapid.IntRange(0, 9).Draw(t, "spaces")))
			if rapid.IntRange(0, 5).Draw(t, "dash") == 0 {
				b.WriteString("- ")
			}
		}
		if rapid.IntRange(0, 9).Draw(t, "key") > 0 {
			b.WriteString(rapid.SampledFrom([]string{"a", "b", "tags", "size", "y", "x-y", "k8s.io/a", "1", "\"q\""}).Draw(t, "name") + ":" + rapid.SampledFrom([]string{" ", "", "  ", " "}).Draw(t, "gap"))
		}
		b.WriteString(word.Draw(t, "value"))
		b.WriteString(rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n", "\n\n", " # c\n", " \n", ""}).Draw(t, "end"))
	}
	return b.String()
}

func TestSimpleAgrees(t *testing.T) {
	drawn, simple := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		if agree(t, yamlish(t)) {
			simple++
		}
	})
	if simple == 0 && drawn >= 100 { // fewer are drawn with -short
		t.Error("not one of the texts was simple: this test shows nothing")
	}
}

func FuzzSimpleAgrees(f *testing.F) {
	f.Add("  - type: ec2\n    tags: {a: b}\n    l: [a, 1]\n    s: |\n      x\n")
	f.Add("- a: \"b\" # c\n  d:\n  - e\n")
	f.Fuzz(func(t *testing.T, text string) {
		if _, _, bad := syntax.BadByte(text); bad == "" {
			agree(t, text)
		}
	})
}
