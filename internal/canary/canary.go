// Package canary encodes a secret in the ways in which programs quote it, for tests that then look for it.
package canary

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
)

// Secret has letters of both cases and what each encoding changes. It is no secret of anything.
const Secret = `Canary-7f3k%Q&a<tweet>+z='x`

// Encoding is one way of writing a text.
type Encoding struct {
	Name   string
	Encode func(string) string
}

// Encodings are all ways.
func Encodings() []Encoding {
	return []Encoding{
		{"unchanged", func(s string) string { return s }},
		{"lower case", strings.ToLower},
		{"upper case", strings.ToUpper},
		{"in a URL's query", url.QueryEscape},
		{"in a URL's path", url.PathEscape},
		{"in a URL, small digits", func(s string) string { return strings.ToLower(url.QueryEscape(s)) }},
		{"in a URL, every byte", func(s string) string { return each(s, "%%%02X") }},
		{"in a URL, twice", func(s string) string { return url.QueryEscape(url.QueryEscape(s)) }},
		{"in HTML", html.EscapeString},
		{"in HTML, decimal", func(s string) string { return each(s, "&#%d;") }},
		{"in HTML, hexadecimal", func(s string) string { return each(s, "&#x%X;") }},
		{"in JSON", func(s string) string { return inJSON(s, true) }},
		{"in JSON, but not HTML", func(s string) string { return inJSON(s, false) }},
		{"in JSON in JSON", func(s string) string { return inJSON(inJSON(s, true), true) }},
		{"in JSON, every rune", func(s string) string { return each(s, `\u%04x`) }},
		{"in Go", func(s string) string { q := fmt.Sprintf("%q", s); return q[1 : len(q)-1] }},
		{"base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
		{"base64 of URLs", func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) }},
		{"base64 without padding", func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) }},
		{"base64 of URLs without padding", func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }},
		{"base64 behind a user", func(s string) string {
			return base64.StdEncoding.EncodeToString(
				[]byte("user:" + s + "!"))
		}},
		{"base64 over lines", func(s string) string { return lines(base64.StdEncoding.EncodeToString([]byte(s)), 16) }},
		{"base64 in a URL", func(s string) string { return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(s))) }},
		{"base32", func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) }},
		{"hexadecimal", func(s string) string { return hex.EncodeToString([]byte(s)) }},
		{"hexadecimal, capital", func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) }},
		{"bytes of Go or C", func(s string) string { return each(s, `\x%02x`) }},
		{"over lines", func(s string) string { return lines(s, 5) }},
		{"over indented lines", func(s string) string { return strings.ReplaceAll(lines(s, 5), "\n", "\r\n    ") }},
	}
}

func each(s, format string) string {
	var out strings.Builder
	for _, b := range []byte(s) {
		fmt.Fprintf(&out, format, b)
	}
	return out.String()
}

func inJSON(s string, escaped bool) string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(escaped)
	_ = e.Encode(s) // a string can always be
	text := strings.TrimSpace(out.String())
	return text[1 : len(text)-1]
}

func lines(s string, width int) string {
	var out []string
	for len(s) > width {
		out, s = append(out, s[:width]), s[width:]
	}
	return strings.Join(append(out, s), "\n")
}

// least is how many characters of an encoding tell something of the secret, and no word has by chance.
const least = 8

// In names the encodings of a secret of which a text has a part. What a text writes over lines is found
// as one line too.
func In(text, secret string) (found []string) {
	joined := strings.NewReplacer("\n", "", "\r", "", `\n`, "", `\r`, "", " ", "").Replace(text)
	for _, e := range Encodings() {
		form := e.Encode(secret)
		flat := strings.NewReplacer("\n", "", "\r", "", " ", "").Replace(form)
		for i := 0; i+least <= len(flat); i++ {
			if part := flat[i : i+least]; strings.Contains(joined, part) {
				found = append(found, e.Name+": "+part)
				break
			}
		}
	}
	return found
}
