package render_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/term"
)

func page() render.Page {
	long := strings.Repeat("because the review asked for it and ", 5)
	return render.Page{
		Lead: "ec2/web was deleted by ada, " + long, Suggestion: "run `ovi apply` to create it again",
		Facts: []render.Fact{{Label: "live state", Text: "does not exist"}, {Label: "audit log", Text: long}},
		Sections: []render.Section{
			{Head: "2026-02-03 10:00:00", Title: "deleted by ada", Facts: []render.Fact{{Label: "reason", Text: "unwanted"}, {Label: "approved by", Text: long}}},
			{Title: "changed\x1b[31m outside ovi"},
		},
	}
}

// TestAPageFitsItsTerminal: at 80 and at 200 columns nothing is truncated, no line is too long,
// and what belongs to a label is in one column.
func TestAPageFitsItsTerminal(t *testing.T) {
	for _, width := range []int{80, 200} {
		var b bytes.Buffer
		if err := page().Write(&b, term.Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		out := b.String()
		for _, line := range strings.Split(out, "\n") {
			if n := len([]rune(line)); n > width {
				t.Errorf("%d columns: a line of %d: %q", width, n, line)
			}
		}
		if got := strings.Count(strings.Join(strings.Fields(out), " "), "because the review asked for it and"); got != 15 {
			t.Errorf("%d columns: %d of 15 repetitions are left:\n%s", width, got, out)
		}
		for _, want := range []string{"\n  live state  does not exist\n", "\n2026-02-03 10:00:00  deleted by ada\n  reason       unwanted\n  approved by  because", "\nSuggestion: run `ovi apply` to create it again\n"} {
			if !strings.Contains(out, want) {
				t.Errorf("%d columns: no %q in\n%s", width, want, out)
			}
		}
		if strings.Contains(out, "\x1b") {
			t.Error("a page without color has control codes")
		}
	}
	var narrow, wide bytes.Buffer
	_ = page().Write(&narrow, term.Style{Width: 80})
	_ = page().Write(&wide, term.Style{Width: 200})
	if strings.Count(narrow.String(), "\n") <= strings.Count(wide.String(), "\n") {
		t.Error("a wide terminal gets as many lines as a narrow one")
	}
}
