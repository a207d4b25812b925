package language

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/source"
)

// Opaque is a value that no expression computes with: a reference to a resource, or text from outside that may be a
// secret. All other values are nil, bool, int64, float64, string, []any and map[string]any.
type Opaque struct{ Parts source.Parts }

// withinOutput returns the reference to a value below an output of another stack; false for any other value. The
// output is known later, and so is whether it has such a value.
func withinOutput(v, key any) (any, bool) {
	o, is := v.(Opaque)
	if !is || len(o.Parts) != 1 || !o.Parts[0].Reference || !strings.HasPrefix(o.Parts[0].Text, "stack/") {
		return nil, false
	}
	text := o.Parts[0].Text
	switch key := key.(type) {
	case int64:
		text += "[" + strconv.FormatInt(key, 10) + "]"
	case string:
		text += "." + key
		if key == "" || strings.ContainsAny(key, ".[]?/${}") {
			return nil, false
		}
	default:
		return nil, false
	}
	return Opaque{source.Parts{{Text: text, Reference: true}}}, true
}

// mostValues and mostText bound one value, so that a few lines of expressions cannot become a value that fills the
// memory.
const (
	mostValues = 50_000
	mostText   = 1 << 20
)

// hasOpaque reports whether a value is opaque or holds an opaque value.
func hasOpaque(v any) bool {
	switch v := v.(type) {
	case Opaque:
		return true
	case []any:
		return slices.ContainsFunc(v, hasOpaque)
	case map[string]any:
		for _, x := range v {
			if hasOpaque(x) {
				return true
			}
		}
	}
	return false
}

// isSecret reports whether a value holds text from outside that may be a secret.
func isSecret(v any) bool {
	switch v := v.(type) {
	case Opaque:
		return v.Parts.Private() != ""
	case []any:
		return slices.ContainsFunc(v, isSecret)
	case map[string]any:
		for _, x := range v {
			if isSecret(x) {
				return true
			}
		}
	}
	return false
}

// form names the type of a value in a message.
func form(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "a bool"
	case int64:
		return "an int"
	case float64:
		return "a float"
	case string:
		return "a string"
	case []any:
		return "a list"
	case map[string]any:
		return "a map"
	case Opaque:
		if v.Parts.Private() != "" {
			return "a secret"
		}
		return "a value that is known after apply"
	}
	return "another value"
}

// scalarText returns a scalar as text. False means that the value is no scalar.
func scalarText(v any) (string, bool) {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return decimal(v), true
	case string:
		return v, true
	}
	return "", false
}

// decimal returns a number in plain digits, unless they are very many.
func decimal(v float64) string {
	if size := math.Abs(v); v != 0 && (size < 1e-6 || size >= 1e21) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// keysOf returns the keys of a map, sorted.
func keysOf(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// nodeOf returns a value as a node at a position.
func nodeOf(v any, at *source.Node) source.Node {
	n := source.Node{Line: at.Line, Column: at.Column, File: at.File}
	switch v := v.(type) {
	case nil:
		n.Type = source.Null
	case bool:
		n.Type, n.Text = source.Bool, strconv.FormatBool(v)
	case int64:
		n.Type, n.Text = source.Int, strconv.FormatInt(v, 10)
	case float64:
		n.Type, n.Text = source.Float, decimal(v)
	case string:
		n.Text, n.Quoted = v, true
		if source.HasParts(v) {
			n.Parts = &source.Parts{{Text: v}}
		}
	case Opaque:
		parts := slices.Clone(v.Parts)
		n.Text, n.Quoted, n.Parts = at.Text, true, &parts
	case []any:
		n.Shape = source.List
		for _, x := range v {
			if x != nil {
				n.Kids = append(n.Kids, nodeOf(x, at))
			}
		}
	case map[string]any:
		n.Shape = source.Object
		for _, k := range keysOf(v) {
			if v[k] != nil {
				n.Kids = append(n.Kids, source.Node{Line: at.Line, Column: at.Column, Text: k, Quoted: true}, nodeOf(v[k], at))
			}
		}
	}
	return n
}

// valueOf returns a node without expressions as a value.
func valueOf(n *source.Node) (any, error) {
	switch n.Shape {
	case source.List:
		out := make([]any, 0, len(n.Kids))
		for i := range n.Kids {
			v, err := valueOf(&n.Kids[i])
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	case source.Object:
		out := make(map[string]any, len(n.Kids)/2)
		for i := 0; i+1 < len(n.Kids); i += 2 {
			v, err := valueOf(&n.Kids[i+1])
			if err != nil {
				return nil, err
			}
			if _, twice := out[n.Kids[i].Text]; twice {
				return nil, fmt.Errorf("duplicate key %s", source.Quote(n.Kids[i].Text))
			}
			out[n.Kids[i].Text] = v
		}
		return out, nil
	}
	switch {
	case n.Parts != nil:
		return settledParts(*n.Parts), nil
	case n.Type == source.Null:
		return nil, nil
	case n.Type == source.Bool:
		return strings.EqualFold(n.Text, "true"), nil
	case n.Type == source.Int:
		v, err := strconv.ParseInt(n.Text, 10, 64)
		if err != nil || strings.TrimLeft(n.Text, "+-0") != strings.TrimLeft(n.Text, "+-") && v != 0 {
			return nil, fmt.Errorf("ambiguous number %s", source.Clip(n.Text))
		}
		return v, nil
	case n.Type == source.Float:
		v, err := strconv.ParseFloat(n.Text, 64)
		if err != nil {
			return nil, fmt.Errorf("ambiguous number %s", source.Clip(n.Text))
		}
		return v, nil
	}
	return n.Text, nil
}

// settledParts returns text that may be shown as a string, and any other text as an opaque value.
func settledParts(parts source.Parts) any {
	var b strings.Builder
	for _, p := range parts {
		if p.Reference || p.From != "" && !p.Public {
			return Opaque{parts}
		}
		b.WriteString(p.Text)
	}
	return b.String()
}

// jsonText returns a value as JSON with sorted keys.
func jsonText(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("json: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// plainText is the text of parts.
func plainText(parts source.Parts) string {
	var text strings.Builder
	for _, p := range parts {
		text.WriteString(p.Text)
	}
	return text.String()
}

func hasReference(parts source.Parts) bool {
	return slices.ContainsFunc(parts, func(p source.Part) bool { return p.Reference })
}

// appendParts appends pieces of a string. Plain text is joined.
func appendParts(to, more source.Parts) source.Parts {
	for _, p := range more {
		i := len(to) - 1
		switch plain := p == (source.Part{Text: p.Text}); {
		case plain && p.Text == "":
		case plain && i >= 0 && to[i] == (source.Part{Text: to[i].Text}):
			to[i].Text += p.Text
		default:
			to = append(to, p)
		}
	}
	return to
}
