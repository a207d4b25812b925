package render_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/render"
)

func page() render.Page {
	long := strings.Repeat("somebody wanted it so and ", 6)
	return render.Page{
		Lead: "aws/us-east-1/ec2/web was deleted by ada, because " + long, Next: "nothing",
		Facts: []render.Fact{{Label: "there", Text: "no"}, {Label: "last look", Text: long}},
		Sections: []render.Section{
			{Head: "2026-02-03 10:00:00", Title: "deleted by ada", Facts: []render.Fact{{Label: "rule", Text: "unwanted"}, {Label: "approved", Text: long}}},
			{Title: "seen\x1b[31m different"},
		},
		Foot: "2 more things happened before",
	}
}

// TestAPageFitsItsTerminal: at 80 and at 200 columns nothing is cut, nothing stands out, and
// what is said under a label stands in one column.
func TestAPageFitsItsTerminal(t *testing.T) {
	for _, width := range []int{80, 200} {
		var b bytes.Buffer
		if err := page().Write(&b, render.Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		out := b.String()
		for _, line := range strings.Split(out, "\n") {
			if n := len([]rune(line)); n > width {
				t.Errorf("%d columns: a line of %d: %q", width, n, line)
			}
		}
		if got := strings.Count(strings.Join(strings.Fields(out), " "), "somebody wanted it so and"); got != 18 {
			t.Errorf("%d columns: %d of 18 words are left:\n%s", width, got, out)
		}
		for _, want := range []string{"\n  there      no\n", "\n2026-02-03 10:00:00  deleted by ada\n  rule      unwanted\n  approved  somebody", "Next: nothing\n"} {
			if !strings.Contains(out, want) {
				t.Errorf("%d columns: no %q in\n%s", width, want, out)
			}
		}
		if strings.Contains(out, "\x1b") {
			t.Error("a page without colour steers the terminal")
		}
	}
	var narrow, wide bytes.Buffer
	_ = page().Write(&narrow, render.Style{Width: 80})
	_ = page().Write(&wide, render.Style{Width: 200})
	if strings.Count(narrow.String(), "\n") <= strings.Count(wide.String(), "\n") {
		t.Error("a wide terminal gets as many lines as a narrow one")
	}
}
