package canary

import (
	"bytes"
	"compress/flate"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"html"
	"mime/quotedprintable"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
)

// Mangled are forms in which programs quote a part of a secret, or encode it so that no search finds it.
func Mangled() []Encoding {
	b64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	digits := func(s string) string { return hex.EncodeToString([]byte(s)) }
	return slices.Concat(Encodings(), cuts(), escapes(), []Encoding{
		{"reversed", reversed},
		{"base64, reversed", func(s string) string { return reversed(b64(s)) }},
		{"base64, one byte on", func(s string) string { return b64("x" + s) }},
		{"base64, two bytes on", func(s string) string { return b64("xy" + s) }},
		{"base64 of base64", func(s string) string { return b64(b64(s)) }},
		{"base64 of JSON", func(s string) string { return b64(fmt.Sprintf(`{"p":%q}`, s)) }},
		{"base64 of a URL's query", func(s string) string { return b64("p=" + url.QueryEscape(s)) }},
		{"base64 of hexadecimal", func(s string) string { return b64(digits(s)) }},
		{"hexadecimal of base64", func(s string) string { return digits(b64(s)) }},
		{"base64 of a packed form", func(s string) string {
			var out bytes.Buffer
			z, _ := flate.NewWriter(&out, flate.BestCompression) // the level is one of them
			_, _ = z.Write([]byte(s))                            // a buffer takes everything
			_ = z.Close()
			return b64(out.String())
		}},
		{"UTF-16", func(s string) string { return utf16Of(s, binary.LittleEndian) }},
		{"UTF-16, big end first", func(s string) string { return utf16Of(s, binary.BigEndian) }},
		{"base64 of UTF-16", func(s string) string { return b64(utf16Of(s, binary.LittleEndian)) }},
		{"hexadecimal of UTF-16", func(s string) string { return digits(utf16Of(s, binary.BigEndian)) }},
		{"base32 behind a user", func(s string) string { return base32.StdEncoding.EncodeToString([]byte("user:" + s)) }},
		{"base32 of DNS", func(s string) string { return base32.HexEncoding.EncodeToString([]byte(s)) }},
		{"ascii85", func(s string) string {
			out := make([]byte, ascii85.MaxEncodedLen(len(s)))
			return string(out[:ascii85.Encode(out, []byte(s))])
		}},
		{"rotated by 13", func(s string) string { return strings.Map(rotated, s) }},
		{"wide letters", func(s string) string { return strings.Map(func(r rune) rune { return r + 0xfee0 }, s) }},
		{"in HTML, four times", func(s string) string { return times(4, html.EscapeString, s) }},
		{"in a URL, five times", func(s string) string { return times(5, url.QueryEscape, s) }},
	})
}

// cuts are parts of a secret.
func cuts() []Encoding {
	return []Encoding{
		{"its first half", func(s string) string { return `"` + s[:len(s)/2] + `" is too long` }},
		{"its second half", func(s string) string { return "..." + s[len(s)/2:] }},
		{"its middle", func(s string) string { return s[len(s)/4 : 3*len(s)/4] }},
		{"with an ellipsis", func(s string) string { return s[:len(s)/2-1] + "…" + s[len(s)/2:] }},
		{"in strings of JSON", func(s string) string { return strings.ReplaceAll(lines(s, 9), "\n", `","`) }},
		{"in added strings", func(s string) string { return strings.ReplaceAll(lines(s, 9), "\n", `" + "`) }},
		{"with spaces of no width", func(s string) string { return strings.ReplaceAll(lines(s, 3), "\n", "\u200b") }},
		{"in quoted lines of base64", func(s string) string {
			return strings.ReplaceAll(lines(base64.StdEncoding.EncodeToString([]byte(s)), 12), "\n", "\n> ")
		}},
	}
}

// escapes are forms of bytes.
func escapes() []Encoding {
	return []Encoding{
		{"percent u", func(s string) string { return each(s, "%%u%04X") }},
		{"braces of Rust", func(s string) string { return each(s, `\u{%x}`) }},
		{"eight digits of C", func(s string) string { return each(s, `\U%08x`) }},
		{"octal", func(s string) string { return each(s, `\%03o`) }},
		{"numbers", func(s string) string { return each(s, "%d,") }},
		{"hexadecimal numbers", func(s string) string { return each(s, "0x%02x, ") }},
		{"hexadecimal, colons", func(s string) string { return each(s, "%02x:") }},
		{"hexadecimal, spaces", func(s string) string { return each(s, "%02x ") }},
		{"quoted letters", func(s string) string { return each(s, "'%c' ") }},
		{"quoted for mail", func(s string) string {
			var out strings.Builder
			w := quotedprintable.NewWriter(&out)
			_, _ = w.Write([]byte(s)) // a builder takes everything
			_ = w.Close()
			return out.String()
		}},
		{"quoted for mail, every byte", func(s string) string { return each(s, "=%02X") }},
		{"quoted for SQL", func(s string) string { return strings.ReplaceAll(s, "'", "''") }},
		{"quoted for a shell", func(s string) string { return strings.ReplaceAll(s, "'", `'\''`) }},
		{"backslashes", func(s string) string {
			return strings.NewReplacer("%", `\%`, "&", `\&`, "<", `\<`, ">", `\>`, "+", `\+`, "=", `\=`).Replace(s)
		}},
	}
}

// Search returns a function that names the forms of a secret of which a text has eight bytes in a row.
func Search(secret string) func(text string) []string {
	forms := map[string]string{}
	for _, e := range Mangled() {
		form := e.Encode(secret)
		for i := 0; i+least <= len(form); i++ {
			forms[form[i:i+least]] = e.Name
		}
	}
	return func(text string) (found []string) {
		for i := 0; i+least <= len(text); i++ {
			if name, is := forms[text[i:i+least]]; is {
				found = append(found, name+": "+text[i:i+least])
			}
		}
		return found
	}
}

func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

func rotated(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

func times(n int, do func(string) string, s string) string {
	for range n {
		s = do(s)
	}
	return s
}

func utf16Of(s string, order binary.AppendByteOrder) string {
	var out []byte
	for _, r := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, r)
	}
	return string(out)
}
