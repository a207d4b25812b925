package config

import (
	"strings"

	"github.com/ovi-project/ovi/source"
)

// value reads a value that ends on its line.
func (r *simple) value(s string, col int32) (n source.Node, ok bool) {
	n, rest, ok := r.one(s, col, false)
	return n, ok && ended(rest)
}

// ended reports that nothing but a comment follows.
func ended(rest string) bool {
	t := strings.TrimLeft(rest, " ")
	return t == "" || t[0] == '#' && len(t) < len(rest)
}

// one reads one value and returns what follows it.
func (r *simple) one(s string, col int32, flow bool) (n source.Node, rest string, ok bool) {
	n = source.Node{Line: r.line, Column: col}
	switch s[0] {
	case '"', '\'':
		end, plain := quoted(s)
		if end == 0 {
			return n, "", false
		}
		if n.Text, n.Quoted = s[1:end], true; !plain {
			n.Text = escapes.Replace(n.Text)
		}
		return n, s[end+1:], true
	case '[', '{':
		if flow || !ascii(s) { // columns count characters
			return n, "", false
		}
		return r.flow(s, n)
	}
	end := plainEnd(s, flow)
	n.Text = strings.TrimRight(s[:end], " ")
	n.Type, ok = resolve(n.Text)
	return n, s[end:], ok
}

// escapes are the ones that are common in quotes; the library knows the others.
var escapes = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n", `\t`, "\t")

// quoted finds the closing quote; 0 if there is none, or something that only the library
// should judge. Plain reports that nothing is escaped.
func quoted(s string) (end int, plain bool) {
	plain = true
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			if s[0] == '\'' && strings.HasPrefix(s[i+1:], "'") {
				return 0, false
			}
			return i, plain
		case s[i] == '\\' && s[0] == '"':
			plain = false
			if i++; i == len(s) || strings.IndexByte(`"\nt`, s[i]) < 0 {
				return 0, false
			}
		}
	}
	return 0, false
}

// flow reads a list or a block in brackets, of plain values.
func (r *simple) flow(s string, n source.Node) (out source.Node, rest string, ok bool) {
	n.Shape = source.List
	if s[0] == '{' {
		n.Shape = source.Object
	}
	start, mark := len(s), len(r.stack)
	at := func() int32 { return n.Column + int32(start-len(s)) }
	s = strings.TrimLeft(s[1:], " ")
	for s != "" && s[0] != ']' && s[0] != '}' {
		if n.Shape == source.Object {
			k := wordEnd(s)
			if k == 0 || k+1 >= len(s) || s[k] != ':' || s[k+1] != ' ' || reserved(s[:k]) {
				return n, "", false
			}
			r.stack = append(r.stack, source.Node{Text: s[:k], Line: n.Line, Column: at()})
			if s = strings.TrimLeft(s[k+1:], " "); s == "" {
				return n, "", false
			}
		}
		v, after, ok := r.one(s, at(), true)
		if !ok {
			return n, "", false
		}
		r.stack = append(r.stack, v)
		s = strings.TrimLeft(after, " ")
		if s == "" || s[0] != ',' {
			break
		}
		if s = strings.TrimLeft(s[1:], " "); s == "" || s[0] == ']' || s[0] == '}' {
			return n, "", false // a comma at the end: let the library judge
		}
	}
	if s == "" || s[0] == ']' != (n.Shape == source.List) || s[0] != ']' && s[0] != '}' {
		return n, "", false
	}
	n.Kids = r.keep(mark)
	return n, s[1:], true
}

// wordEnd is the length of the key that a line begins with.
func wordEnd(s string) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case letter(c), c == '_' && i > 0:
		case i > 0 && (c >= '0' && c <= '9' || c == '-' || c == '.' || c == '/'):
		default:
			return i
		}
	}
	return len(s)
}

// plainEnd is the length of an unquoted value; 0 if there is something in it that only the
// library should judge.
func plainEnd(s string, flow bool) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case letter(c), c >= '0' && c <= '9', c >= 0x80, c == '_', c == '.', c == '/', c == '@' && i > 0, c == '+' && i > 0, c == '=' && i > 0, c == '-' && i > 0:
		case flow && (c == ',' || c == ']' || c == '}' || c == ' '):
			return i
		case flow:
			return 0
		case c == ' ' && i+1 < len(s) && s[i+1] == '#':
			return i
		case c == ' ', c == '$', c == '(', c == ')':
		case (c == '{' || c == '}' || c == ',') && i > 0:
		case c == ':' && i > 0 && i+1 < len(s) && s[i+1] != ' ':
		default:
			return 0
		}
	}
	return len(s)
}

// resolve tells the type of an unquoted value, where that is beyond doubt.
func resolve(s string) (source.Type, bool) {
	switch {
	case s == "" || s[0] == '.' || s[0] == '_':
		return source.String, false
	case s == "true", s == "false":
		return source.Bool, true
	case s[0] < '0' || s[0] > '9':
		return source.String, !reserved(s)
	}
	slash, dots := false, 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '/':
			slash = true
		case s[i] == '.':
			dots++
		case s[i] < '0' || s[i] > '9':
			return source.String, false
		}
	}
	switch {
	case slash || dots > 1:
		return source.String, true // an address such as 10.0.0.1, or a block of them
	case dots == 1:
		return source.Float, len(s) < 18 && (s[0] != '0' || s[1] == '.') && s[len(s)-1] != '.'
	}
	return source.Int, len(s) < 18 && (s[0] != '0' || s == "0")
}

// reserved reports that a word can be more than a string in some reading of YAML.
func reserved(s string) bool {
	if len(s) > 5 {
		return false
	}
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		return true
	}
	return false
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
