package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// BadByte finds the first byte that text must not have.
func BadByte(s string) (line, col int32, what string) {
	line, start := 1, 0
	for i := 0; i < len(s); {
		if s[i] >= ' ' && s[i] <= '~' {
			i++
			continue
		}
		c, size := rune(s[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case c == '\n':
			line, start = line+1, i+1
		case c == utf8.RuneError && size == 1:
			what = "a byte that is not UTF-8"
		case c == '\r' && !strings.HasPrefix(s[i:], "\r\n"):
			what = "a carriage return without a newline"
		case c < ' ' && c != '\t' && c != '\r', c == 0x7f:
			what = fmt.Sprintf("the control character U+%04X", c)
		}
		if what != "" {
			return line, int32(utf8.RuneCountInString(s[start:i])) + 1, what
		}
		i += size
	}
	return 0, 0, ""
}
