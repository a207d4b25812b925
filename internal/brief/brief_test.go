package brief

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 100_000)
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"invalid name \"web\"", "invalid name \"web\""},
		{strings.Repeat("ab ", 2000), strings.Repeat("ab ", 2000)},
		{long[:longestWord], long[:longestWord]},
		{"invalid name " + long + ", use\nanother", "invalid name " + long[:256] + "… (99745 more bytes) use\nanother"},
		{long + " " + long, long[:256] + "… (99744 more bytes) " + long[:256] + "… (99744 more bytes)"},
	} {
		if got := Text(c.in); got != c.want {
			t.Errorf("%.100q: %.600q", c.in, got)
		}
	}
}

// TestATextIsBounded whatever it consists of.
func TestATextIsBounded(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"n", "n ", "ä", "ä\n", "\xff", "\xff ", strings.Repeat("x", longestWord) + " ", strings.Repeat("x", 2*longestWord) + "\t", "\u2003"} {
		got := Text(strings.Repeat(s, 1+1_000_000/len(s)))
		if len(got) > Longest+100 || !strings.HasSuffix(got, "more bytes)") || utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("%.20q: %d bytes, ends with %.60q", s, len(got), got[max(0, len(got)-60):])
		}
	}
}
