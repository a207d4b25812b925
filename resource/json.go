package resource

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends the canonical JSON of a value: objects sorted by name, no white space,
// secrets and digests as {"$digest":…}, references as {"$ref":…} or {"$ref":…,"path":…}, texts
// as {"$text":[…]}; a name that begins with $ gets another one. The same value always gives
// the same bytes: the store compares resources by these bytes.
func AppendJSON(dst []byte, v Value) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case Bool:
		return strconv.AppendBool(dst, bool(v))
	case Int:
		return strconv.AppendInt(dst, int64(v), 10)
	case Float:
		return appendFloat(dst, float64(v))
	case String:
		return appendString(dst, string(v))
	case List:
		return appendList(dst, v)
	case Attrs:
		return v.AppendJSON(dst)
	case Secret:
		return AppendJSON(dst, v.digest)
	case Digest:
		return append(appendString(append(dst, `{"$digest":`...), string(v)), '}')
	case Reference:
		dst = append(v.Ref.appendQuoted(append(dst, `{"$ref":"`...)), '"')
		if v.Path != "" {
			dst = appendString(append(dst, `,"path":`...), v.Path)
		}
		return append(dst, '}')
	case Text:
		return append(appendList(append(dst, `{"$text":`...), List(v)), '}')
	}
	return dst
}

// appendQuoted appends the string form, escaped, without making it first.
func (r Ref) appendQuoted(dst []byte) []byte {
	if r.Stack != "" {
		dst = append(appendQuoted(dst, escapeStack(r.Stack)), ':')
	}
	dst = append(appendQuoted(dst, r.Provider), '/')
	dst = append(appendQuoted(dst, r.Location), '/')
	dst = append(appendQuoted(dst, r.Kind), '/')
	return appendQuoted(dst, r.Name)
}

// AppendJSON appends the attributes as one object.
func (a Attrs) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	for i, x := range a {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		if x.Name != "" && x.Name[0] == '$' { // apart from the reserved $digest, $ref and $text
			dst = append(dst, '$')
		}
		dst = append(appendQuoted(dst, x.Name), '"', ':')
		dst = AppendJSON(dst, x.Value)
	}
	return append(dst, '}')
}

// AppendJSON appends the tags as one object.
func (t Tags) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	for i, x := range t {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, x.Key), ':')
		dst = appendString(dst, x.Value)
	}
	return append(dst, '}')
}

// MarshalJSON writes the canonical form.
func (a Attrs) MarshalJSON() ([]byte, error) { return a.AppendJSON(nil), nil }

// MarshalJSON writes the canonical form.
func (t Tags) MarshalJSON() ([]byte, error) { return t.AppendJSON(nil), nil }

// appendFloat keeps a whole float apart from an Int by its point or exponent.
func appendFloat(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	n := len(dst)
	dst = strconv.AppendFloat(dst, f, 'g', -1, 64)
	for _, c := range dst[n:] {
		if c == '.' || c == 'e' {
			return dst
		}
	}
	return append(dst, ".0"...)
}

func appendList(dst []byte, l List) []byte {
	dst = append(dst, '[')
	for i, v := range l {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendJSON(dst, v)
	}
	return append(dst, ']')
}

const hexDigits = "0123456789abcdef"

// appendString quotes as encoding/json does without HTML escaping. Invalid UTF-8 becomes the
// replacement character.
func appendString(dst []byte, s string) []byte {
	return append(appendQuoted(append(dst, '"'), s), '"')
}

// appendQuoted is appendString without the quotes.
func appendQuoted(dst []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		size := 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscape(dst, c)
		i += size
		start = i
	}
	return append(dst, s[start:]...)
}

func appendEscape(dst []byte, c byte) []byte {
	switch {
	case c == '"' || c == '\\':
		return append(dst, '\\', c)
	case c == '\n':
		return append(dst, '\\', 'n')
	case c == '\t':
		return append(dst, '\\', 't')
	case c == '\r':
		return append(dst, '\\', 'r')
	case c >= utf8.RuneSelf:
		return append(dst, "\ufffd"...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
