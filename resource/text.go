package resource

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a string; p is at its opening quote. Invalid UTF-8 becomes the
// replacement character, as it does when it is written.
func (p *parser) text() (string, error) {
	p.i++
	start := p.i
	for ; p.i < len(p.b); p.i++ {
		switch c := p.b[p.i]; {
		case c == '"':
			s := p.b[start:p.i]
			p.i++
			return string(s), nil
		case c == '\\' || c >= utf8.RuneSelf:
			return p.escaped(start)
		case c < 0x20:
			return "", p.bad("no control character")
		}
	}
	return "", p.bad("a closing quote")
}

// escaped is text from the first byte on that is not itself.
func (p *parser) escaped(start int) (string, error) {
	out := bytes.Clone(p.b[start:p.i])
	for p.i < len(p.b) {
		switch c := p.b[p.i]; {
		case c == '"':
			p.i++
			return string(out), nil
		case c == '\\':
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			out = utf8.AppendRune(out, r)
		case c < 0x20:
			return "", p.bad("no control character")
		default:
			r, n := utf8.DecodeRune(p.b[p.i:])
			out = utf8.AppendRune(out, r)
			p.i += n
		}
	}
	return "", p.bad("a closing quote")
}

const (
	escapes = `"\/bfnrt`
	meaning = "\"\\/\b\f\n\r\t"
)

func (p *parser) escape() (rune, error) {
	p.i++
	if p.i == len(p.b) {
		return 0, p.bad("an escape")
	}
	c := p.b[p.i]
	if k := bytes.IndexByte([]byte(escapes), c); k >= 0 {
		p.i++
		return rune(meaning[k]), nil
	}
	if c != 'u' {
		return 0, p.bad("an escape")
	}
	r, err := p.unit()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	// Two escapes can encode one character; half of a pair is invalid.
	if p.i+1 < len(p.b) && p.b[p.i] == '\\' && p.b[p.i+1] == 'u' {
		at := p.i
		p.i++
		low, err := p.unit()
		if err != nil {
			return 0, err
		}
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, nil
		}
		p.i = at
	}
	return utf8.RuneError, nil
}

// unit reads the four digits after \u; p is at the u.
func (p *parser) unit() (rune, error) {
	if p.i+5 > len(p.b) {
		return 0, errors.New("the JSON ends within an escape")
	}
	digits := string(p.b[p.i+1 : p.i+5])
	n, err := strconv.ParseUint(digits, 16, 16)
	if err != nil {
		return 0, fmt.Errorf("invalid escape %q at byte %d", digits, p.i)
	}
	p.i += 5
	return rune(n), nil
}
