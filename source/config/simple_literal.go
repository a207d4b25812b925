package config

import "strings"

// literal reads the lines below a | or |-, the usual form of a script. The current line is
// the one with the sign.
func (r *simple) literal(ind int, strip bool) (text string, ok bool) {
	var out strings.Builder
	content, blank := 0, 0
	for r.rest != "" {
		line, rest, ended := strings.Cut(r.rest, "\n")
		line = strings.TrimSuffix(line, "\r")
		body := strings.TrimLeft(line, " ")
		spaces := len(line) - len(body)
		switch {
		case body == "" && (content == 0 || spaces > content):
			return "", false // white space that may or may not be content
		case body == "":
			blank++
		case spaces <= ind:
			r.advance()
			return chomp(out.String(), strip), content > 0
		case content > 0 && spaces < content || !ended || !printable(body):
			return "", false
		default:
			if content == 0 {
				content = spaces
			}
			for ; blank > 0; blank-- {
				out.WriteByte('\n')
			}
			out.WriteString(line[content:])
			out.WriteByte('\n')
		}
		r.rest = rest
		r.line++
	}
	r.advance()
	return chomp(out.String(), strip), content > 0
}

func chomp(s string, strip bool) string {
	if strip {
		return strings.TrimSuffix(s, "\n")
	}
	return s
}

// printable reports that a text holds nothing that YAML forbids, breaks a line at or takes for
// a byte order mark. Tabs are left to the library.
func printable(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] == 0x7f {
			return false
		}
		if s[i] >= 0x80 {
			return printableRunes(s[i:])
		}
	}
	return true
}

func printableRunes(s string) bool {
	for _, c := range s {
		switch {
		case c < ' ', c >= 0x7f && c < 0xa0, c == 0x2028, c == 0x2029, c == 0xfeff, c >= 0xfffd && c <= 0xffff:
			return false
		}
	}
	return true
}
