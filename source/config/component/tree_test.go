package component_test

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/source/config/component"
)

func TestMentioned(t *testing.T) {
	for text, want := range map[string]bool{
		"- use: ./a": true, "  use : a": true, `{"use": "a"}`: true, "{use: a}": true, "'use'\n: a": true,
		"? use\n: a": true, "use:": true, "[{a: b,use: c}]": true,
		"user_data: x": false, "because: x": false, "in use by": false, "": false, "us": false, "${use/a.b}": false,
	} {
		if got := component.Mentioned(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// BenchmarkMentioned reads a long file without a use block.
func BenchmarkMentioned(b *testing.B) {
	text := strings.Repeat("  - {type: ec2, name: web, user_data: because of the user}\n", 20_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		component.Mentioned(text)
	}
}
