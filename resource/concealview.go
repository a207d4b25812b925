package resource

import (
	"bytes"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// view is a text as a reader of some encoding has it. Byte i stands for the bytes from[i] up to to[i] of
// the original.
type view struct {
	text     []byte
	from, to []int
}

func newView(text string) view {
	v := view{text: []byte(text), from: make([]int, len(text)), to: make([]int, len(text))}
	for i := range len(text) {
		v.from[i], v.to[i] = i, i+1
	}
	return v
}

// add appends bytes that stand for a part of another view.
func (v *view) add(b []byte, of view, from, to int) {
	for _, x := range b {
		v.text, v.from, v.to = append(v.text, x), append(v.from, of.from[from]), append(v.to, of.to[to-1])
	}
}

// folded is the view in lower case and without white space: a text may be broken over lines.
func (v view) folded() view {
	out := view{text: make([]byte, 0, len(v.text))}
	for i, c := range v.text {
		switch {
		case c == '\n' || c == '\r' || c == ' ' || c == '\t':
			continue
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		}
		out.add([]byte{c}, v, i, i+1)
	}
	return out
}

// hide marks the bytes of the original where a form is, or where its beginning is cut off at the end.
func (v view) hide(form []byte, hidden []bool) {
	mark := func(from, to int) {
		for i := v.from[from]; i < v.to[to-1]; i++ {
			hidden[i] = true
		}
	}
	for at := 0; ; at++ {
		i := bytes.Index(v.text[at:], form)
		if i < 0 {
			break
		}
		at += i
		mark(at, at+len(form))
	}
	for n := len(form) - 1; n >= leastPart; n-- {
		if bytes.HasSuffix(v.text, form[:n]) {
			mark(len(v.text)-n, len(v.text))
			return
		}
	}
}

// decoded is the view with each escape as what it stands for: %41, &#65; and &amp;, \u0041, \x41, \n.
func (v view) decoded() (out view, changed bool) {
	for i := 0; i < len(v.text); {
		b, n := escape(v.text[i:])
		if n == 0 {
			b, n = v.text[i:i+1], 1
		} else {
			changed = true
		}
		out.add(b, v, i, i+n)
		i += n
	}
	return out, changed
}

// escape returns the decoded escape at the start of a text, and its length; 0 if there is none.
func escape(text []byte) ([]byte, int) {
	switch text[0] {
	case '%':
		return digits(text, 1, 2, false)
	case '&':
		return entity(text)
	case '\\':
		return backslash(text)
	}
	return nil, 0
}

// longestEntity is enough for every number of a rune, with leading zeros, and for the common names.
const longestEntity = 12

func entity(text []byte) ([]byte, int) {
	end := bytes.IndexByte(text[:min(len(text), longestEntity)], ';')
	if end < 0 {
		return nil, 0
	}
	s := string(text[:end+1])
	if plain := html.UnescapeString(s); plain != s {
		return []byte(plain), end + 1
	}
	return nil, 0
}

func backslash(text []byte) ([]byte, int) {
	if len(text) < 2 {
		return nil, 0
	}
	switch text[1] {
	case 'u':
		return digits(text, 2, 4, true)
	case 'U':
		return digits(text, 2, 8, true)
	case 'x':
		return digits(text, 2, 2, false)
	case 'n':
		return []byte{'\n'}, 2
	case 'r':
		return []byte{'\r'}, 2
	case 't':
		return []byte{'\t'}, 2
	}
	if strings.IndexByte(`"'\/`, text[1]) >= 0 {
		return text[1:2], 2
	}
	return nil, 0
}

// digits are n hexadecimal digits behind a prefix: a byte, or a rune.
func digits(text []byte, prefix, n int, isRune bool) ([]byte, int) {
	if len(text) < prefix+n {
		return nil, 0
	}
	x, err := strconv.ParseUint(string(text[prefix:prefix+n]), 16, 32)
	switch {
	case err != nil:
		return nil, 0
	case isRune:
		return utf8.AppendRune(nil, rune(min(x, utf8.MaxRune+1))), prefix + n
	}
	return []byte{byte(x)}, prefix + n
}
