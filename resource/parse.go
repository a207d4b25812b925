package resource

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxDepth bounds how deep values may nest: no configuration comes near it, and a hostile
// record must not exhaust the stack.
const maxDepth = 200

// ParseJSON reads one value as AppendJSON writes it, with white space between its parts allowed.
// null is nil. Bytes after the value, duplicate names in one object, numbers out of range and
// nesting deeper than 200 are errors.
func ParseJSON(b []byte) (Value, error) {
	p := parser{b: b}
	v, err := p.value(0)
	if err == nil {
		p.space()
		if p.i < len(b) {
			err = p.bad("the end of the value")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("resource: %w", err)
	}
	return v, nil
}

// parser reads JSON by hand: records are read by the hundred thousand, and reading them token
// by token through encoding/json took five times as long.
type parser struct {
	b []byte
	i int
}

func (p *parser) bad(expected string) error {
	if p.i >= len(p.b) {
		return fmt.Errorf("the JSON ends at byte %d, expected %s", p.i, expected)
	}
	return fmt.Errorf("%q at byte %d of the JSON, expected %s", p.b[p.i], p.i, expected)
}

func (p *parser) space() {
	for p.i < len(p.b) {
		switch p.b[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

// next skips white space and returns the next byte; 0 at the end.
func (p *parser) next() byte {
	p.space()
	if p.i == len(p.b) {
		return 0
	}
	return p.b[p.i]
}

func (p *parser) value(depth int) (Value, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("values nest deeper than %d", maxDepth)
	}
	switch c := p.next(); {
	case c == '"':
		s, err := p.text()
		return String(s), err
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.list(depth)
	case c == 't':
		return Bool(true), p.word("true")
	case c == 'f':
		return Bool(false), p.word("false")
	case c == 'n':
		return nil, p.word("null")
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	return nil, p.bad("a value")
}

func (p *parser) word(w string) error {
	if end := p.i + len(w); end <= len(p.b) && string(p.b[p.i:end]) == w {
		p.i = end
		return nil
	}
	return p.bad(w)
}

func (p *parser) list(depth int) (Value, error) {
	p.i++
	out := List{}
	if p.next() == ']' {
		p.i++
		return out, nil
	}
	for {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
		more, err := p.more(']')
		if err != nil || !more {
			return out, err
		}
	}
}

// more reads the comma before the next part, or the end.
func (p *parser) more(end byte) (bool, error) {
	switch p.next() {
	case ',':
		p.i++
		return true, nil
	case end:
		p.i++
		return false, nil
	}
	return false, p.bad("a comma or " + string(end))
}

func (p *parser) object(depth int) (Value, error) {
	out := Attrs{}
	sorted, plain := true, false
	err := p.members(func(name string) error {
		if strings.HasPrefix(name, "$$") { // escaped because it starts with $
			name, plain = name[1:], true
		}
		v, err := p.value(depth + 1)
		if n := len(out); n > 0 && out[n-1].Name >= name {
			sorted = false
		}
		out = append(out, Attr{name, v})
		return err
	})
	if err != nil {
		return nil, err
	}
	if !sorted {
		n := len(out)
		if out = NewAttrs(out...); len(out) < n {
			return nil, errors.New("duplicate name in one object")
		}
	}
	if plain {
		return out, nil
	}
	return fromObject(out)
}

// members reads an object, handing each name to a function that reads its value.
func (p *parser) members(value func(name string) error) error {
	p.i++
	if p.next() == '}' {
		p.i++
		return nil
	}
	for {
		if p.next() != '"' {
			return p.bad("a name in quotes")
		}
		name, err := p.text()
		if err != nil {
			return err
		}
		if p.next() != ':' {
			return p.bad("a colon")
		}
		p.i++
		if err := value(name); err != nil {
			return err
		}
		more, err := p.more('}')
		if err != nil || !more {
			return err
		}
	}
}

// fromObject tells digests, references and texts from plain objects by their reserved name,
// which comes first.
func fromObject(attrs Attrs) (Value, error) {
	if len(attrs) == 0 || len(attrs) > 2 {
		return attrs, nil
	}
	path := String("")
	if len(attrs) == 2 {
		s, ok := attrs[1].Value.(String)
		if attrs[0].Name != "$ref" || attrs[1].Name != "path" || !ok || s == "" {
			return attrs, nil
		}
		path = s
	}
	switch v := attrs[0].Value.(type) {
	case String:
		switch attrs[0].Name {
		case "$digest":
			return Digest(v), nil
		case "$ref":
			r, err := ParseRef(string(v))
			return Reference{r, string(path)}, err
		}
	case List:
		if attrs[0].Name == "$text" {
			return textOf(v)
		}
	}
	return attrs, nil
}

// textOf reads the parts of a Text. Where a Secret was, its Digest is.
func textOf(parts List) (Value, error) {
	for _, p := range parts {
		switch p.(type) {
		case String, Digest, Reference:
		default:
			return nil, errors.New("a text holds a part that is neither a string nor a reference")
		}
	}
	return Text(parts), nil
}

// number reads an Int, or with a point or an exponent a Float.
func (p *parser) number() (Value, error) {
	start := p.i
	if p.b[p.i] == '-' {
		p.i++
	}
	zero := p.i < len(p.b) && p.b[p.i] == '0'
	if n := p.skipDigits(); n == 0 || zero && n > 1 {
		return nil, p.bad("a number")
	}
	whole := true
	if p.i < len(p.b) && p.b[p.i] == '.' {
		whole = false
		p.i++
		if p.skipDigits() == 0 {
			return nil, p.bad("a digit")
		}
	}
	if p.i < len(p.b) && p.b[p.i]|0x20 == 'e' {
		whole = false
		p.i++
		if p.i < len(p.b) && (p.b[p.i] == '+' || p.b[p.i] == '-') {
			p.i++
		}
		if p.skipDigits() == 0 {
			return nil, p.bad("a digit")
		}
	}
	s := string(p.b[start:p.i])
	if !whole {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsInf(f, 0) {
			return nil, fmt.Errorf("the number %.40s is out of range", s)
		}
		return Float(f), nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the number %.40s is out of range", s)
	}
	return Int(n), nil
}

func (p *parser) skipDigits() int {
	start := p.i
	for p.i < len(p.b) && p.b[p.i] >= '0' && p.b[p.i] <= '9' {
		p.i++
	}
	return p.i - start
}

// UnmarshalJSON reads what AppendJSON wrote. Integers stay exact; any other value is an error.
func (a *Attrs) UnmarshalJSON(b []byte) error {
	v, err := ParseJSON(b)
	if err != nil {
		return err
	}
	if v == nil {
		*a = nil
		return nil
	}
	attrs, ok := v.(Attrs)
	if !ok {
		return fmt.Errorf("resource: attributes are not an object: %.40q", b)
	}
	*a = attrs
	return nil
}

// UnmarshalJSON reads an object of strings.
func (t *Tags) UnmarshalJSON(b []byte) error {
	var m map[string]string
	if err := json.Unmarshal(b, &m); err != nil {
		return fmt.Errorf("resource: tags: %w", err)
	}
	*t = nil
	if len(m) > 0 {
		*t = TagsOf(m)
	}
	return nil
}
