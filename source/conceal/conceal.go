// Package conceal replaces values from outside in messages. It knows nothing else of a source.
package conceal

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

// Texts replaces the values from outside in the texts of a message by the texts that the configuration has for them.
func Texts(outside map[string]string, inQuotes bool, texts ...*string) {
	for _, t := range texts {
		*t = text(*t, outside, inQuotes)
	}
}

// text returns a message in which each value from outside is replaced by the text that the configuration has for it.
// outside maps the values to these texts. With inQuotes, the words of a message stay: if a secret is a common word, a
// replaced word would show it. A long value with letters and digits is replaced everywhere.
func text(s string, outside map[string]string, inQuotes bool) string {
	longer := func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }
	for _, plain := range slices.SortedFunc(maps.Keys(outside), longer) {
		written, quoted := outside[plain], fmt.Sprintf("%q", plain)
		replace := func(text string) string {
			if len(plain) < 3 {
				return text
			}
			return strings.ReplaceAll(strings.ReplaceAll(text, plain, written), quoted[1:len(quoted)-1], written)
		}
		if !inQuotes {
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
