package term

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// drawnText has each sequence that ovi writes.
func drawnText() string {
	s := Style{Width: 80, Color: true, Live: true}
	text := "\x1b[12A\r\x1b[J"
	for _, p := range []Paint{Bold, Dim, Red, green, Yellow, "34"} {
		text += s.In(p, "ü, 漢字 and 👩‍👩‍👧")
	}
	return text + s.Colored(ReplaceSign) + "\n\ta"
}

// TestACleanerPassesTextAndWhatOviDraws: to a terminal. To a pipe, no sequence passes.
func TestACleanerPassesTextAndWhatOviDraws(t *testing.T) {
	t.Parallel()
	text := drawnText()
	if got := (&Cleaner{Drawn: true}).Clean([]byte(text)); string(got) != text {
		t.Errorf("%q became %q", text, got)
	}
	if got := string((&Cleaner{}).Clean([]byte(text))); strings.ContainsAny(got, "\x1b\r") {
		t.Errorf("to a pipe: %q", got)
	}
}

// hostileTexts are what others write into names and errors, to change what a terminal shows or does.
var hostileTexts = map[string]string{
	"title": "\x1b]0;evil\x07", "link": "\x1b]8;;http://evil\x1b\\text\x1b]8;;\x1b\\", "clipboard": "\x1b]52;c;ZXZpbA==\x07", "clear": "\x1b[2J",
	"up": "\x1b[1A", "hidden": "\x1b[8mx\x1b[0m", "background": "\x1b[41m", "true color": "\x1b[38;2;0;0;0m", "scroll": "\x1b[1;2r", "report": "\x1b[6n", "keys": "\x1b[?1000h",
	"device control": "\x1bP+q\x1b\\", "charset": "\x1b(0", "reset": "\x1bc", "return": "done\rfake", "back": "abc\b\b\b", "bell": "\x07", "shift": "\x0e", "delete": "\x7f",
	"vertical": "a\vb\fc", "eight bits": "\u009b2J", "eight bits, bare": "\x9b2J", "next line": "\u0085", "overlong": "\xc0\x9b", "surrogate": "\xed\xa0\x80",
	"override": "\u202edne", "isolate": "\u2066x", "mark": "a\u200fb", "arabic mark": "\u061c", "line": "a\u2028b", "paragraph": "a\u2029b", "no width": "we\u200bb", "joined": "we\u2060b",
	"order mark": "\ufeffa", "redraw, almost": "\x1b[1A\x1b[J", "redraw, many": "\x1b[99999A\r\x1b[J", "nul": "a\x00b", "cut": "\x1b[",
}

// TestACleanerPassesNothingElse, in one write and byte by byte.
func TestACleanerPassesNothingElse(t *testing.T) {
	t.Parallel()
	for name, text := range hostileTexts {
		for _, cut := range []int{len(text), 1, 2, 3} {
			c, out := &Cleaner{Drawn: true}, ""
			for rest := text + "."; rest != ""; {
				n := min(cut, len(rest))
				out += string(c.Clean([]byte(rest[:n])))
				rest = rest[n:]
			}
			out = drawn.ReplaceAllString(out, "") // the paint that ends a hidden text
			for i := range out {
				if m := drawn.FindString(out[i:]); m != "" {
					out = strings.Replace(out, m, "", 1)
					break
				}
			}
			if !utf8.ValidString(out) || !strings.HasSuffix(out, ".") || strings.ContainsFunc(out, UnsafeRune) {
				t.Errorf("%s, %d bytes a write: %q", name, cut, out)
			}
		}
	}
}

// TestACleanerJoinsACharacterOfTwoWrites, however it is cut.
func TestACleanerJoinsACharacterOfTwoWrites(t *testing.T) {
	t.Parallel()
	text := "aü漢👩\n"
	for i := range len(text) {
		c := &Cleaner{}
		if got := string(c.Clean([]byte(text[:i]))) + string(c.Clean([]byte(text[i:]))); got != text {
			t.Errorf("cut at %d: %q", i, got)
		}
	}
}
