package source

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

var (
	// inserted matches the values that a message quotes; the rest of a message are its own words.
	inserted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	// asWritten matches how a value from outside is written.
	asWritten = regexp.MustCompile(`\$\{[^{}"]*\}`)
)

// hide replaces what came from outside by how it was written. With InQuotes, the words of a message stay: if a secret
// is a common word, a replaced word would show it. A long value with letters and digits is replaced everywhere.
func (r *report) hide(s string) string {
	longer := func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }
	for _, plain := range slices.SortedFunc(maps.Keys(r.outside), longer) {
		written, quoted := r.outside[plain], fmt.Sprintf("%q", plain)
		replace := func(text string) string {
			if len(plain) < 3 {
				return text
			}
			return strings.ReplaceAll(strings.ReplaceAll(text, plain, written), quoted[1:len(quoted)-1], written)
		}
		if !r.InQuotes {
			s = replace(strings.ReplaceAll(s, quoted, fmt.Sprintf("%q", written)))
			continue
		}
		s = inserted.ReplaceAllStringFunc(s, func(value string) string {
			if value == quoted {
				return fmt.Sprintf("%q", written)
			}
			return around(asWritten, value, replace)
		})
		if isNoWord(plain) {
			s = strings.ReplaceAll(s, plain, written)
		}
	}
	return s
}

// around changes the text around the matches of a pattern.
func around(pattern *regexp.Regexp, s string, change func(string) string) string {
	var out strings.Builder
	kept := append(pattern.FindAllString(s, -1), "")
	for i, part := range pattern.Split(s, -1) {
		out.WriteString(change(part) + kept[i])
	}
	return out.String()
}

// isNoWord reports that no message has a text as a word: it has several lines, or is long and mixes letters and digits.
func isNoWord(s string) bool {
	return strings.Contains(s, "\n") || len(s) >= 16 && strings.ContainsAny(s, "0123456789") &&
		!strings.ContainsAny(s, " \t") && strings.ToLower(s)+strings.ToUpper(s) != s+s
}
