// Package brief bounds the texts of errors. A name, a value or an answer of others can have any length, and an error
// quotes it.
package brief

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a text.
const (
	Longest     = 8 << 10 // bytes
	longestWord = 1 << 10
	shownWord   = 256 // bytes of a longer word
)

// Text cuts words of more than 1 KiB, and then a text of more than 8 KiB. It says how many bytes it leaves out.
func Text(s string) string {
	if s = Words(s); len(s) > Longest {
		return cut(s, Longest)
	}
	return s
}

// Words cuts words of more than 1 KiB. It says how many bytes of each it leaves out.
func Words(s string) string {
	if len(s) <= longestWord {
		return s
	}
	var out strings.Builder
	for rest := s; rest != ""; {
		end := strings.IndexFunc(rest, unicode.IsSpace)
		if end < 0 {
			end = len(rest)
		}
		if end > longestWord {
			out.WriteString(cut(rest[:end], shownWord))
		} else {
			out.WriteString(rest[:end])
		}
		_, size := utf8.DecodeRuneInString(rest[end:])
		out.WriteString(rest[end : end+size])
		rest = rest[end+size:]
	}
	return out.String()
}

func cut(s string, to int) string {
	return fmt.Sprintf("%s… (%d more bytes)", strings.ToValidUTF8(s[:to], ""), len(s)-to)
}
