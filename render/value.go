package render

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/ovi-project/ovi/resource"
)

const hidden = "(secret)"

// Value writes a value on one line as people would in a config: strings without quotes where
// that can be read one way only, references as kind/name, secrets hidden.
func Value(v resource.Value) string {
	switch v := v.(type) {
	case nil:
		return "(none)"
	case resource.Bool:
		return strconv.FormatBool(bool(v))
	case resource.Int:
		return strconv.FormatInt(int64(v), 10)
	case resource.Float:
		return strconv.FormatFloat(float64(v), 'g', -1, 64)
	case resource.String:
		return word(string(v))
	case resource.List:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = Value(x)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case resource.Attrs:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = word(x.Name) + ": " + Value(x.Value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case resource.Reference:
		return v.String()
	case resource.Text:
		return word(textOf(v))
	case resource.Secret, resource.Digest:
		return hidden
	}
	return "(unknown)"
}

// textOf writes a text as a configuration does, its secret parts hidden.
func textOf(t resource.Text) string {
	var b strings.Builder
	for _, p := range t {
		switch p := p.(type) {
		case resource.Reference:
			b.WriteString("${" + p.String() + "}")
		case resource.String:
			b.WriteString(string(p))
		default:
			b.WriteString(Value(p))
		}
	}
	return b.String()
}

// word quotes a string unless it can only be read as that string.
func word(s string) string {
	plain := s != "" && strings.IndexFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune(`"'[]{},#→`, r)
	}) < 0
	if plain {
		return s
	}
	return strconv.Quote(s)
}

// veiled is the value with each secret and digest replaced by "(secret)", for JSON.
func veiled(v resource.Value) resource.Value {
	switch v := v.(type) {
	case resource.Secret, resource.Digest:
		return resource.String(hidden)
	case resource.List:
		out := make(resource.List, len(v))
		for i, x := range v {
			out[i] = veiled(x)
		}
		return out
	case resource.Text:
		out := make(resource.Text, len(v))
		for i, x := range v {
			out[i] = veiled(x)
		}
		return out
	case resource.Attrs:
		out := make(resource.Attrs, len(v))
		for i, x := range v {
			out[i] = resource.Attr{Name: x.Name, Value: veiled(x.Value)}
		}
		return out
	}
	return v
}

// JSON is the value as canonical JSON, secrets hidden.
func JSON(v resource.Value) []byte { return resource.AppendJSON(nil, veiled(v)) }
