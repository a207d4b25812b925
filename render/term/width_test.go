package term

import "testing"

// A column is what a terminal fills for what a reader takes for one character.
func TestColumnsAreThoseOfATerminal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "web-0": 5, "größe": 5, "e\u0301": 1, "日本": 4, "…": 1, "-/+ ×": 5,
		"👩\u200d🚀": 2, "🇨🇭": 2, // one picture of several runes
	} {
		if got := Columns(text); got != want {
			t.Errorf("Columns(%q) = %d, want %d", text, got, want)
		}
	}
	for _, x := range []struct {
		text  string
		width int
		want  string
	}{
		{"web-0", 5, "web-0"},
		{"web-0", 4, "web…"},
		{"web-0", 0, "web-0"},
		{"日本語", 5, "日本…"},
		{"日本語", 4, "日…"},
		{"👩\u200d🚀👩\u200d🚀", 3, "👩\u200d🚀…"},
	} {
		if got := Truncate(x.text, x.width); got != x.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", x.text, x.width, got, x.want)
		}
	}
}
