package planview

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/ovi-project/ovi/resource"
)

const hidden = "(secret)"

// Value writes a value on one line as in a configuration: strings without quotes where that
// has one reading only, references as kind/name, and a secret by six digits of its keyed digest.
func Value(v resource.Value) string { return valueText(v, nil) }

// valueText is Value with the order of fields and the unit of a schema.
func valueText(v resource.Value, schema *resource.Attribute) string {
	switch v := v.(type) {
	case nil:
		return "(none)"
	case resource.Bool:
		return strconv.FormatBool(bool(v))
	case resource.Int:
		return strconv.FormatInt(int64(v), 10) + unitOf(schema)
	case resource.Float:
		return strconv.FormatFloat(float64(v), 'g', -1, 64) + unitOf(schema)
	case resource.String:
		return word(string(v))
	case resource.List:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = valueText(x, elemOf(schema))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case resource.Attrs:
		parts := make([]string, 0, len(v))
		for _, x := range inOrder(v, schema) {
			parts = append(parts, word(x.Name)+": "+valueText(x.Value, fieldOf(schema, x.Name)))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case resource.Reference:
		return v.String()
	case resource.Text:
		if hides(v) {
			return hiddenText(v)
		}
		return word(textOf(v))
	case resource.Secret, resource.Digest:
		d, _ := digits(v)
		return strings.TrimSpace(hidden + " " + d)
	}
	return "(unknown)"
}

func unitOf(schema *resource.Attribute) string {
	if schema == nil || schema.Unit == "" {
		return ""
	}
	return " " + schema.Unit
}

// textOf writes a text as a configuration does.
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

// hides says that a text has secret parts.
func hides(t resource.Text) bool {
	return slices.ContainsFunc(t, func(p resource.Value) bool {
		_, is := digits(p)
		return is
	})
}

// hiddenText writes a text with secret parts: six digits of the digest of each, and its references.
func hiddenText(t resource.Text) string {
	parts := []string{hidden}
	for _, p := range t {
		switch p := p.(type) {
		case resource.Reference:
			parts = append(parts, "${"+p.String()+"}")
		case resource.String:
			parts = append(parts, word(string(p)))
		default:
			if d, _ := digits(p); d != "" {
				parts = append(parts, d)
			}
		}
	}
	return strings.Join(parts, " ")
}

// inOrder sorts the fields of an object as its schema does.
func inOrder(v resource.Attrs, schema *resource.Attribute) resource.Attrs {
	if schema == nil || len(schema.Fields) == 0 {
		return v
	}
	out := make(resource.Attrs, 0, len(v))
	for i := range schema.Fields {
		if x, ok := v.Get(schema.Fields[i].Name); ok {
			out = append(out, resource.Attr{Name: schema.Fields[i].Name, Value: x})
		}
	}
	for _, x := range v {
		if schemaAt(schema.Fields, x.Name) == nil {
			out = append(out, x)
		}
	}
	return out
}

// digits are the first six hexadecimal digits of a secret's keyed digest; "" where it has none.
// It returns false if a value is not a secret.
func digits(v resource.Value) (string, bool) {
	var digest string
	switch v := v.(type) {
	case resource.Secret:
		digest = string(v.Digest())
	case resource.Digest:
		digest = string(v)
	default:
		return "", false
	}
	sum := digest[strings.LastIndexByte(digest, ':')+1:]
	if b, err := hex.DecodeString(sum); err == nil && len(b) >= 16 {
		return sum[:6], true
	}
	if b, err := base64.RawURLEncoding.DecodeString(sum); err == nil && len(b) >= 3 {
		return hex.EncodeToString(b[:3]), true
	}
	return "", true
}

// word quotes a string unless it can only be read as that string.
func word(s string) string {
	plain := s != "" && strings.IndexFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune(`"'[]{},#`, r)
	}) < 0 && !strings.Contains(s, "->")
	if plain {
		return s
	}
	return strconv.Quote(s)
}

// concealed is the value with six digits of its digest for each secret, for JSON.
func concealed(v resource.Value) resource.Value {
	switch v := v.(type) {
	case resource.Secret, resource.Digest:
		return resource.String(Value(v))
	case resource.List:
		out := make(resource.List, len(v))
		for i, x := range v {
			out[i] = concealed(x)
		}
		return out
	case resource.Text:
		out := make(resource.Text, len(v))
		for i, x := range v {
			out[i] = concealed(x)
		}
		return out
	case resource.Attrs:
		out := make(resource.Attrs, len(v))
		for i, x := range v {
			out[i] = resource.Attr{Name: x.Name, Value: concealed(x.Value)}
		}
		return out
	}
	return v
}

// JSON is the value as canonical JSON, with six digits of its digest for each secret.
func JSON(v resource.Value) []byte { return resource.AppendJSON(nil, concealed(v)) }

// schemaAt finds the schema of a dotted path; nil where there is none.
func schemaAt(schema []resource.Attribute, path string) *resource.Attribute {
	name, rest, nested := strings.Cut(path, ".")
	for i := range schema {
		if schema[i].Name != name {
			continue
		}
		if nested {
			return schemaAt(schema[i].Fields, rest)
		}
		return &schema[i]
	}
	return nil
}

func fieldOf(a *resource.Attribute, name string) *resource.Attribute {
	if a == nil {
		return nil
	}
	return schemaAt(a.Fields, name)
}

func elemOf(a *resource.Attribute) *resource.Attribute {
	if a == nil {
		return nil
	}
	return a.Elem
}
