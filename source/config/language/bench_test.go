package language

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
	"github.com/ovi-project/ovi/source/syntax"
)

// tenBlocks returns a configuration of ten blocks that make 10,000 resources.
func tenBlocks(attributes string) string {
	var text strings.Builder
	text.WriteString("version: v1\nvars: {key: k, size: t3.micro}\nlocals: {n: \"${lists.range(1000).map(i, string(i))}\"}\n" +
		"resources:\n")
	for i := range 10 {
		fmt.Fprintf(&text, "  - type: ec2\n    name: web%d\n    for_each: ${locals.n}\n    state: running\n    image: ami-1\n%s",
			i, attributes)
	}
	return text.String()
}

// parsed returns a Language and the blocks of a text.
func parsed(tb testing.TB, text string) (*Language, *input.File, []source.Node) {
	tb.Helper()
	docs, err := syntax.Parse(strings.NewReader(text))
	if err != nil {
		tb.Fatal(err)
	}
	fail := func(line, column int32, summary, _ string) { tb.Fatalf("%d:%d: %s", line, column, summary) }
	root := syntax.NewConverter(nil, 0, fail).Node(docs[0], 0)
	f := &input.File{Name: "ovi.yaml", Text: text}
	l := New(Options{Wrong: func(at position.Position, ref, summary, _ string) {
		tb.Fatalf("%s (%s): %s", at, ref, summary)
	}})
	l.Declare(Document{f, &root})
	if !l.EvaluateAll() {
		tb.Fatal("not evaluated")
	}
	return l, f, root.Get("resources").Kids
}

// BenchmarkExpansion expands ten blocks into 10,000 resources, without reading the file and checking the resources.
func BenchmarkExpansion(b *testing.B) {
	for name, attributes := range map[string]string{
		"paths": "    key_name: ${each.key}\n    size: ${vars.size}\n",
		"three": "    key_name: ${each.key + '-k'}\n    size: ${'t3.' + each.key}\n    user_data: ${each.key + vars.key}\n",
	} {
		b.Run(name, func(b *testing.B) {
			text := tenBlocks(attributes)
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				l, f, blocks := parsed(b, text)
				b.StartTimer()
				n := 0
				for i := range blocks {
					l.Block(f, &blocks[i], func(*Member) bool { n++; return true })
				}
				if n != 10_000 {
					b.Fatal(n)
				}
			}
		})
	}
}
